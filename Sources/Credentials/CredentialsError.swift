/// A refusal by this module: a stable code and, if it helps, the name of the refused field.
///
/// The description is safe to show to anyone: it never holds a secret or an answer, nor says which of several secret
/// checks failed. Every failure to open a sealed copy is the one code ``Code/cannotOpen``.
public struct CredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal. The raw value is permanent and may be shown.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The permanent spelling of the code.
        public let rawValue: String

        /// The permanent spelling of the code.
        public var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// Set-up did not name exactly five questions.
        public static let fiveQuestionsRequired = Code("credentials.five_questions_required")
        /// A question or an answer is empty after canonicalisation, or a new passphrase has fewer than 8 code points.
        public static let incomplete = Code("credentials.incomplete")
        /// Two of the five questions are the same text after folding.
        public static let questionsAlike = Code("credentials.questions_alike")
        /// An answer or a passphrase is easy to guess; ``CredentialsError/weaknesses`` says which and why.
        public static let tooWeak = Code("credentials.too_weak")
        /// A question, an answer or a passphrase is longer than its limit, before or after canonicalisation.
        public static let tooLong = Code("credentials.too_long")
        /// A text contains what the rules refuse: an unassigned code point, NUL or another control character.
        public static let textInvalid = Code("credentials.text_invalid")
        /// Fewer than three answers were supplied. Nothing was evaluated, and nothing may be charged.
        public static let atLeastThreeAnswersRequired = Code("answers.at_least_three_required")
        /// One question id was answered twice.
        public static let questionTwice = Code("answers.question_twice")
        /// An answer names a question that does not belong to the credential.
        public static let questionUnknown = Code("answers.question_unknown")
        /// An empty passphrase was supplied.
        public static let passphraseMissing = Code("passphrase.missing")
        /// The credential has no sealed copy of the requested kind.
        public static let notStored = Code("credentials.not_stored")
        /// No sealed copy opened. Wrong secrets, changed copies, contexts and evaluations all give this one error.
        public static let cannotOpen = Code("credentials.cannot_open")
        /// The key-derivation parameters are outside the accepted range.
        public static let parametersRefused = Code("credentials.parameters_refused")
        /// A seed, secret or salt of the wrong size, or a seed that does not belong to the credential.
        public static let secretInvalid = Code("credentials.secret_invalid")
        /// A blinded element is not a compressed P-384 point of 49 bytes.
        public static let elementInvalid = Code("evaluation.element_invalid")
        /// An evaluation has the wrong size, or its proof does not verify.
        public static let evaluationInvalid = Code("evaluation.invalid")
        /// A record of credentials is malformed, or one of its signatures or links does not verify.
        public static let recordInvalid = Code("record.invalid")
        /// A question's plaintext or ciphertext has the wrong size or form, or does not match its commitment.
        public static let questionTextInvalid = Code("record.question_text_invalid")
        /// A public key is not a 65-byte X9.63 point on P-256.
        public static let keyInvalid = Code("key.invalid")
        /// A signature has the wrong form or does not verify.
        public static let signatureInvalid = Code("signature.invalid")
        /// A challenge does not have the exact form, or a field is out of range.
        public static let challengeInvalid = Code("challenge.invalid")
        /// A challenge is well formed, but a field differs from what the reader expects.
        public static let challengeMismatch = Code("challenge.mismatch")
        /// The expiry of a challenge or a statement has passed, or lies too far ahead.
        public static let expired = Code("challenge.expired")
        /// A statement does not have the exact form, or a field is out of range.
        public static let statementInvalid = Code("statement.invalid")
        /// The bytes begin with another tag than the expected one.
        public static let unexpectedTag = Code("statement.unexpected_tag")
    }

    /// The kind of refusal.
    public let code: Code
    /// The documented name of the refused field, if there is one.
    public let field: String?
    /// The weak secrets, with ``Code/tooWeak``; empty otherwise.
    public let weaknesses: [Weakness]

    /// An error. `field` must be a documented name, never a value.
    public init(_ code: Code, field: String? = nil) {
        self.code = code
        self.field = field
        weaknesses = []
    }

    /// The refusal of weak secrets.
    init(_ weaknesses: [Weakness]) {
        code = .tooWeak
        field = nil
        self.weaknesses = weaknesses
    }

    /// The code, with the field in parentheses if there is one.
    public var description: String { field.map { "\(code.rawValue) (\($0))" } ?? code.rawValue }
}
