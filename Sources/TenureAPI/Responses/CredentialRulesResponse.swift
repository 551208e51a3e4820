public import Canonical

/// What new credentials must satisfy.
public struct CredentialRulesResponse: Sendable, Equatable, JSONConvertible {
    /// How many questions.
    public var questions: Int64
    /// The least number of code points of a passphrase.
    public var passphraseMinimumLength: Int64
    /// Whether the user may allow questions beside a passphrase.
    public var questionsWithPassphraseAllowed: Bool
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool

    /// Describes one.
    public init(
        questions: Int64, passphraseMinimumLength: Int64, questionsWithPassphraseAllowed: Bool, blindOnly: Bool
    ) {
        self.questions = questions
        self.passphraseMinimumLength = passphraseMinimumLength
        self.questionsWithPassphraseAllowed = questionsWithPassphraseAllowed
        self.blindOnly = blindOnly
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        questions = try reader.integer("questions")
        passphraseMinimumLength = try reader.integer("passphraseMinimumLength")
        questionsWithPassphraseAllowed = try reader.bool("questionsWithPassphraseAllowed")
        blindOnly = try reader.bool("blindOnly")
    }

    /// The response.
    public var json: JSONValue {
        [
            "questions": .integer(questions), "passphraseMinimumLength": .integer(passphraseMinimumLength),
            "questionsWithPassphraseAllowed": .bool(questionsWithPassphraseAllowed), "blindOnly": .bool(blindOnly),
        ]
    }
}
