import TenureAPI

/// What new credentials must satisfy.
public struct CredentialRules: Sendable, Hashable {
    /// How many questions there must be.
    public var questionCount: Int
    /// The least number of code points of a passphrase.
    public var passphraseMinimumLength: Int
    /// Whether the user may allow the questions in the place of the passphrase.
    public var questionsWithPassphraseAllowed: Bool

    /// Describes rules.
    public init(questionCount: Int, passphraseMinimumLength: Int, questionsWithPassphraseAllowed: Bool) {
        self.questionCount = questionCount
        self.passphraseMinimumLength = passphraseMinimumLength
        self.questionsWithPassphraseAllowed = questionsWithPassphraseAllowed
    }

    init(_ response: CredentialRulesResponse) {
        self.init(
            questionCount: Int(clamping: response.questions),
            passphraseMinimumLength: Int(clamping: response.passphraseMinimumLength),
            questionsWithPassphraseAllowed: response.questionsWithPassphraseAllowed)
    }
}
