/// A refusal of this module: a stable code and, where it helps, the name of the field that was refused.
///
/// The description is safe to show a stranger: it never holds a secret, an answer or which of several secret checks
/// failed. Everything that goes wrong while a sealed copy is opened is the one code ``Code/cannotOpen``.
public struct CredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was refused; the raw value is permanent and may be shown.
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
        /// A question, an answer or a passphrase is longer than its limit, before or after canonicalisation.
        public static let tooLong = Code("credentials.too_long")
        /// A text holds what the rules refuse: an unassigned code point, NUL or another control.
        public static let textInvalid = Code("credentials.text_invalid")
        /// Fewer than three answers were supplied; nothing was evaluated and nothing may be charged.
        public static let atLeastThreeAnswersRequired = Code("answers.at_least_three_required")
        /// One question id was answered twice.
        public static let questionTwice = Code("answers.question_twice")
        /// An answer names a question that does not belong to the credential.
        public static let questionUnknown = Code("answers.question_unknown")
        /// An empty passphrase was supplied.
        public static let passphraseMissing = Code("passphrase.missing")
        /// The credential holds no sealed copy of the kind that was asked for.
        public static let notStored = Code("credentials.not_stored")
        /// No sealed copy opened: the one error for wrong secrets, changed copies, contexts and evaluations alike.
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
        /// A question's plaintext or cipher text has the wrong size or form, or does not fit its commitment.
        public static let questionTextInvalid = Code("record.question_text_invalid")
        /// A public key is not a 65-byte X9.63 point on P-256.
        public static let keyInvalid = Code("key.invalid")
        /// A signature has the wrong form or does not verify.
        public static let signatureInvalid = Code("signature.invalid")
        /// A challenge is not of the exact form, or a field is out of range.
        public static let challengeInvalid = Code("challenge.invalid")
        /// A challenge is well formed but a field differs from what the reader knows.
        public static let challengeMismatch = Code("challenge.mismatch")
        /// A challenge's or a statement's expiry has passed, or lies further ahead than is allowed.
        public static let expired = Code("challenge.expired")
        /// A statement is not of the exact form, or a field is out of range.
        public static let statementInvalid = Code("statement.invalid")
        /// The bytes begin with another tag than the one the signer asked for.
        public static let unexpectedTag = Code("statement.unexpected_tag")
    }

    /// What was refused.
    public let code: Code
    /// The public name of the refused field, when there is one to name.
    public let field: String?

    /// Makes an error. `field` must be a name out of the documentation, never a value.
    public init(_ code: Code, field: String? = nil) {
        self.code = code
        self.field = field
    }

    /// The code, and the field in parentheses when there is one.
    public var description: String { field.map { "\(code.rawValue) (\($0))" } ?? code.rawValue }
}
