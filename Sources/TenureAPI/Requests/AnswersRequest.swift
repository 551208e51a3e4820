public import Canonical

/// The body of `POST /v1/…/{flow}/answers`.
public struct AnswersRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The answers.
    public var answers: [Answer]

    /// Describes answers.
    public init(answers: [Answer]) { self.answers = answers }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        answers = try reader.wire("answers")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue { ["answers": answers.json] }

    /// Never the answers.
    public var description: String { "[redacted]" }

    /// One answer.
    public struct Answer: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
        /// The question's id as it was shown.
        public var questionId: String
        /// The answer as entered.
        public var answer: String

        /// Pairs a question with its answer.
        public init(questionId: String, answer: String) {
            self.questionId = questionId
            self.answer = answer
        }

        /// Reads an answer; unknown members are refused.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            questionId = try reader.string("questionId")
            answer = try reader.string("answer")
            try reader.finish()
        }

        /// The answer.
        public var json: JSONValue { ["questionId": .string(questionId), "answer": .string(answer)] }

        /// Never the answer.
        public var description: String { "[redacted]" }
    }
}
