public import Canonical
import Credentials
public import FoundationEssentials

/// The first reply of a flow, which has the same form for known and unknown names.
public struct FlowStarted: Sendable, Equatable {
    /// The opaque handle, unpadded base64url.
    public var flow: String
    /// The exact bytes that the device signs.
    public var challenge: [UInt8]
    /// The salt of the challenge's subject commitment, 32 bytes. With it the client checks which employee the challenge
    /// names.
    public var subjectSalt: [UInt8]
    /// When the flow expires.
    public var expiresAt: Timestamp
}

/// The rules that new credentials must satisfy.
public struct SetUpRules: Sendable, Equatable {
    /// The number of questions, always five.
    public var questions = 5
    /// The least number of code points of a passphrase.
    public var passphraseMinimumLength = 8
    /// Whether the user may allow questions beside a passphrase.
    public var questionsWithPassphraseAllowed: Bool
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
    /// Whether the app lets users choose questions that are not in the published list.
    public var customQuestionsAllowed = false
}

/// The outcome of a flow's step, unless it is an error.
public enum StepAnswer: Sendable, Equatable {
    /// The employee is logged in.
    case success(IssuedTokens, EmployeeSummary, position: Int64?)
    /// The device key is pending: somebody with authority must decide about it.
    case authorizationPending(employeePublicKey: [UInt8], fingerprint: String, position: Int64?)
    /// The new user must choose questions, answers and optionally a passphrase.
    case setCredentials(challenge: [UInt8], rules: SetUpRules, setUp: CredentialSetUpPlan? = nil)
    /// The client must supply three of five answers.
    case validateAnswers(challenge: [UInt8], questions: [ShownQuestion], opening: BlindChallenge? = nil)
    /// The client must supply the passphrase. `questions` is set if the user allows them too.
    case validatePassphrase(challenge: [UInt8], questions: [ShownQuestion]?, opening: BlindChallenge? = nil)
}

/// The data that a client needs to open a credential in blind mode.
public struct BlindChallenge: Sendable, Equatable {
    /// The credential's context, 240 or 289 bytes.
    public var context: [UInt8]
    /// The hash of the credential's record, 32 bytes.
    public var recordHash: [UInt8]
}

/// The values that a flow fixes before credentials are set. The record must repeat them.
public struct CredentialSetUpPlan: Sendable, Equatable {
    /// The new credential's id.
    public var credentialId: UUID
    /// The new user's id.
    public var userId: UUID
    /// The VOPRF key for answers, 49 bytes.
    public var oprfAnswers: [UInt8]
    /// The VOPRF key for the passphrase, 49 bytes.
    public var oprfPassphrase: [UInt8]
    /// The logarithm of scrypt's N, which sets the cost of one guess.
    public var log2N: Int
    /// Scrypt's block size.
    public var r: Int
    /// Scrypt's parallelism.
    public var p: Int
    /// The record that the new one must follow; `nil` for a user's first credentials.
    public var previous: PreviousRecord?

    /// The decisions of a recovery that the new record has to name; `nil` otherwise.
    public var approvals: Approvals?

    /// The hashes of the two events that approved a recovery.
    public struct Approvals: Sendable, Equatable {
        /// The hash of the event that opened it, 32 bytes.
        public var opened: [UInt8]
        /// The hash of the event that confirmed it, 32 bytes.
        public var confirmed: [UInt8]
    }

    /// The record to be replaced.
    public struct PreviousRecord: Sendable, Equatable {
        /// Its hash, 32 bytes.
        public var hash: [UInt8]
        /// Its generation, 1 or more.
        public var generation: Int
    }
}

/// A question as replies show it.
///
/// A listed question is stored by its number, so a reply shows it in the language of its request.
public struct ShownQuestion: Sendable, Equatable {
    /// Sixteen random bytes, unpadded base64url.
    public var questionId: String
    let question: Question

    init(questionId: String, question: Question) {
        self.questionId = questionId
        self.question = question
    }

    /// A question with a text, which may be that of a listed question.
    public init(questionId: String, question: String) {
        self.init(questionId: questionId, question: Question(question))
    }

    /// The text: a listed question in the first of `languages` that the list has, any other as entered.
    public func text(preferring languages: [String]) -> String {
        question.text(in: QuestionLocale(preferring: languages))
    }

    /// The number and version of a listed question, or `nil` for the user's own text.
    public var listed: (number: Int, version: Int)? { question.listed.map { ($0.number, $0.version) } }
}
