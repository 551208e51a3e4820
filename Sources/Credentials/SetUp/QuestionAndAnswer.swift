/// One question a person chose and their answer to it, as entered.
public struct QuestionAndAnswer: Sendable, Redacted {
    /// The question, at most 256 bytes of UTF-8.
    public var question: String
    /// The answer, at most 256 bytes of UTF-8 before and after canonicalisation.
    public var answer: String

    /// Takes both as entered; ``CredentialSetUp`` checks them.
    public init(question: String, answer: String) {
        self.question = question
        self.answer = answer
    }
}
