public import Canonical

/// The body of `POST /v1/…/{flow}/answers`.
public struct AnswersRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The answers.
    public var answers: [Answer]

    /// Describes a list of answers.
    public init(answers: [Answer]) { self.answers = answers }

    /// Reads a request and rejects unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        answers = try reader.wire("answers")
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue { ["answers": answers.json] }

    /// Always `[redacted]`, so that no answer reaches a log.
    public var description: String { "[redacted]" }

    /// One answer.
    public struct Answer: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
        /// The id of the question, as the service sent it.
        public var questionId: String
        /// The answer as entered.
        public var answer: String

        /// Pairs a question with its answer.
        public init(questionId: String, answer: String) {
            self.questionId = questionId
            self.answer = answer
        }

        /// Reads an answer and rejects unknown members.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            questionId = try reader.string("questionId")
            answer = try reader.string("answer")
            try reader.finish()
        }

        /// The answer as JSON.
        public var json: JSONValue { ["questionId": .string(questionId), "answer": .string(answer)] }

        /// Always `[redacted]`, so that no answer reaches a log.
        public var description: String { "[redacted]" }
    }
}

/// The body of `POST /v1/…/{flow}/passphrase`.
public struct PassphraseRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The passphrase as entered.
    public var passphrase: String

    /// Describes a passphrase.
    public init(passphrase: String) { self.passphrase = passphrase }

    /// Reads a request and rejects unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        passphrase = try reader.string("passphrase")
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue { ["passphrase": .string(passphrase)] }

    /// Always `[redacted]`, so that no passphrase reaches a log.
    public var description: String { "[redacted]" }
}
