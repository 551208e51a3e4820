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
        /// A text contains what the rules refuse: an unassigned code point, NUL or another control character, U+FFFD.
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
        /// A public key is neither a 65-byte X9.63 point on P-256 nor, for a device, an RSA modulus of 2,048 bits.
        case keyInvalid = "key.invalid"
        /// A signature has the wrong form or does not verify.
        case signatureInvalid = "signature.invalid"
        /// The evidence of a passkey does not have the exact form, or says something else than was asked.
        case evidenceInvalid = "evidence.invalid"
        /// A passkey's evidence for a key that is none, or a bare signature for one that is.
        case evidenceKind = "evidence.kind"
        /// A passkey was used on a page whose origin is not in force.
        case originUnknown = "evidence.origin_unknown"
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

    /// The entry that the error is about, if it is about one. With ``Code/tooWeak`` each weakness has its own.
    public let place: EntryPlace?

    /// An error. `field` must be a documented name, never a value.
    public init(_ code: Code, field: String? = nil) { self.init(code, field, [], nil) }

    /// An error about an entry.
    public init(_ code: Code, at place: EntryPlace) { self.init(code, nil, [], place) }

    /// The refusal of weak secrets.
    init(_ weaknesses: [Weakness]) { self.init(.tooWeak, nil, weaknesses, nil) }

    private init(_ code: Code, _ field: String?, _ weaknesses: [Weakness], _ place: EntryPlace?) {
        self.code = code
        self.field = field
        self.weaknesses = weaknesses
        self.place = place
    }

    /// The same error about an entry, unless it names one already.
    public func placed(at place: EntryPlace) -> CredentialsError {
        CredentialsError(code, field, weaknesses, self.place ?? place)
    }

    /// The code, with the field in parentheses if there is one.
    public var description: String { field.map { "\(code.rawValue) (\($0))" } ?? code.rawValue }
}

extension CredentialsError {
    /// What is wrong with an entry and what to do about it, in a clause without a full stop; `nil` for an error that no
    /// entry causes. It never repeats the entry.
    public var advice: String? {
        let entry =
            switch place {
            case .question: "question"
            case .answer: "answer"
            case .passphrase: "passphrase"
            case nil: "text"
            }
        return switch (code, place) {
        case (.fiveQuestionsRequired, _): "exactly five questions are needed"
        case (.incomplete, .passphrase): "the passphrase has fewer than \(Passphrase.minimumCodePoints) characters"
        case (.incomplete, _): "the \(entry) is empty"
        case (.questionsAlike, _): "the five questions must differ, and this one is the same as an earlier one"
        case (.tooLong, .passphrase): "the passphrase is longer than \(Passphrase.maximumByteCount) bytes of UTF-8"
        case (.tooLong, _): "the \(entry) is longer than \(SuppliedAnswers.maximumByteCount) bytes of UTF-8"
        case (.textInvalid, _):
            """
            the \(entry) contains a control character, a character that Unicode 15.0 does not define, or U+FFFD, which \
            stands for bytes that were not UTF-8: type it without
            """
        case (.questionTwice, _): "a question is answered twice; answer each question once"
        case (.questionUnknown, _): "the question was not asked; answer the questions of the last outcome"
        case (.atLeastThreeAnswersRequired, _): "at least three answers are needed"
        case (.passphraseMissing, _): "the passphrase is empty"
        default: nil
        }
    }
}
