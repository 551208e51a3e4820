/// A refusal by this module: a stable code and, if it helps, the name of the refused field.
///
/// The description is safe to show to anyone: it never holds a secret or an answer, nor says which of several secret
/// checks failed. Every failure to open a sealed copy is the one code ``Code/cannotOpen``.
public struct CredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal. The raw value is permanent and may be shown.
    public enum Code: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// Set-up did not name exactly five questions.
        case fiveQuestionsRequired = "credentials.five_questions_required"
        /// A question or an answer is empty after canonicalisation, or a new passphrase has fewer than 8 code points.
        case incomplete = "credentials.incomplete"
        /// Two of the five questions are the same text after folding.
        case questionsAlike = "credentials.questions_alike"
        /// An answer or a passphrase is easy to guess; ``CredentialsError/weaknesses`` says which and why.
        case tooWeak = "credentials.too_weak"
        /// A question, an answer or a passphrase is longer than its limit, before or after canonicalisation.
        case tooLong = "credentials.too_long"
        /// A text contains what the rules refuse: an unassigned code point, NUL or another control character.
        case textInvalid = "credentials.text_invalid"
        /// Fewer than three answers were supplied. Nothing was evaluated, and nothing may be charged.
        case atLeastThreeAnswersRequired = "answers.at_least_three_required"
        /// One question id was answered twice.
        case questionTwice = "answers.question_twice"
        /// An answer names a question that does not belong to the credential.
        case questionUnknown = "answers.question_unknown"
        /// An empty passphrase was supplied.
        case passphraseMissing = "passphrase.missing"
        /// The credential has no sealed copy of the requested kind.
        case notStored = "credentials.not_stored"
        /// No sealed copy opened. Wrong secrets, changed copies, contexts and evaluations all give this one error.
        case cannotOpen = "credentials.cannot_open"
        /// The key-derivation parameters are outside the accepted range.
        case parametersRefused = "credentials.parameters_refused"
        /// A seed, secret or salt of the wrong size, or a seed that does not belong to the credential.
        case secretInvalid = "credentials.secret_invalid"
        /// A blinded element is not a compressed P-384 point of 49 bytes.
        case elementInvalid = "evaluation.element_invalid"
        /// An evaluation has the wrong size, or its proof does not verify.
        case evaluationInvalid = "evaluation.invalid"
        /// A record of credentials is malformed, or one of its signatures or links does not verify.
        case recordInvalid = "record.invalid"
        /// A question's plaintext or ciphertext has the wrong size or form, or does not match its commitment.
        case questionTextInvalid = "record.question_text_invalid"
        /// A public key is not a 65-byte X9.63 point on P-256.
        case keyInvalid = "key.invalid"
        /// A signature has the wrong form or does not verify.
        case signatureInvalid = "signature.invalid"
        /// A challenge does not have the exact form, or a field is out of range.
        case challengeInvalid = "challenge.invalid"
        /// A challenge is well formed, but a field differs from what the reader expects.
        case challengeMismatch = "challenge.mismatch"
        /// The expiry of a challenge or a statement has passed, or lies too far ahead.
        case expired = "challenge.expired"
        /// A statement does not have the exact form, or a field is out of range.
        case statementInvalid = "statement.invalid"
        /// The bytes begin with another tag than the expected one.
        case unexpectedTag = "statement.unexpected_tag"

        /// The permanent spelling of the code.
        public var description: String { rawValue }
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
