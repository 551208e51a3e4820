public import Canonical

/// One question as it is shown.
public struct QuestionResponse: Sendable, Equatable, JSONConvertible {
    /// Sixteen random bytes, unpadded base64url.
    public var questionId: String
    /// The text as it was entered.
    public var question: String

    /// Describes one.
    public init(
        questionId: String, question: String
    ) {
        self.questionId = questionId
        self.question = question
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        questionId = try reader.string("questionId")
        question = try reader.string("question")
    }

    /// The response.
    public var json: JSONValue {
        ["questionId": .string(questionId), "question": .string(question)]
    }
}
