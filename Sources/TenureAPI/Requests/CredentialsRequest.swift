public import Canonical

/// The body of `POST /v1/registrations/{flow}/credentials`.
public struct CredentialsRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The questions with their answers, in the user's order.
    public var securityQuestions: [NewSecurityQuestion]
    /// The passphrase, when the user chose one.
    public var passphrase: String?
    /// Whether the questions may be used although there is a passphrase; false when absent.
    public var questionsWithPassphrase: Bool

    /// Describes new credentials.
    public init(
        securityQuestions: [NewSecurityQuestion], passphrase: String? = nil, questionsWithPassphrase: Bool = false
    ) {
        self.securityQuestions = securityQuestions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        securityQuestions = try reader.wire("securityQuestions")
        passphrase = try reader.optionalString("passphrase")
        questionsWithPassphrase = try reader.optionalBool("questionsWithPassphrase") ?? false
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue {
        .objectOmittingNil([
            "securityQuestions": securityQuestions.json, "passphrase": passphrase.map(JSONValue.string),
            "questionsWithPassphrase": .bool(questionsWithPassphrase),
        ])
    }

    /// Never the secrets.
    public var description: String { "[redacted]" }
}

/// A question with its answer.
public struct NewSecurityQuestion: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The question as entered.
    public var question: String
    /// The answer as entered.
    public var answer: String

    /// Pairs a question with its answer.
    public init(question: String, answer: String) {
        self.question = question
        self.answer = answer
    }

    /// Reads a pair; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        question = try reader.string("question")
        answer = try reader.string("answer")
        try reader.finish()
    }

    /// The pair.
    public var json: JSONValue { ["question": .string(question), "answer": .string(answer)] }

    /// Never the answer.
    public var description: String { "[redacted]" }
}
