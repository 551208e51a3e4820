public import Canonical

/// Which of the flows a handle belongs to.
public enum FlowPurpose: String, Sendable, Hashable {
    /// `POST /v1/registrations`.
    case registration
    /// `POST /v1/logins`.
    case login
    /// `POST /v1/credentials/changes`.
    case change
    /// `POST /v1/recoveries`.
    case recovery
}

/// The first answer of a flow, the same for everybody.
public struct FlowStarted: Sendable, Equatable {
    /// The opaque handle, unpadded base64url.
    public var flow: String
    /// The exact bytes that the device signs.
    public var challenge: [UInt8]
    /// The salt of the subject commitment in the challenge, 32 bytes: with it the client compares whom it is about.
    public var subjectSalt: [UInt8]
    /// The end of the flow's life.
    public var expiresAt: Timestamp
}

/// One question as it is shown.
public struct ShownQuestion: Sendable, Equatable {
    /// Sixteen random bytes, unpadded base64url.
    public var questionId: String
    /// The text as it was entered.
    public var question: String
}

/// What a set-up must satisfy.
public struct CredentialRules: Sendable, Equatable {
    /// How many questions, always five.
    public var questions = 5
    /// The least number of code points of a passphrase.
    public var passphraseMinimumLength = 8
    /// Whether the user may allow questions beside a passphrase.
    public var questionsWithPassphraseAllowed: Bool
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
}

/// A step's answer: exactly one of these, or an error.
public enum FlowOutcome: Sendable, Equatable {
    /// The employee is in.
    case success(SessionTokens, EmployeeSummary, position: Int64?)
    /// The employee key awaits somebody with authority.
    case authorizationPending(employeePublicKey: [UInt8], fingerprint: String, position: Int64?)
    /// A new user chooses questions, answers and perhaps a passphrase.
    case setCredentials(challenge: [UInt8], rules: CredentialRules, setUp: CredentialSetUpPlan? = nil)
    /// Three of five answers are wanted.
    case validateAnswers(challenge: [UInt8], questions: [ShownQuestion], opening: CredentialOpening? = nil)
    /// The passphrase is wanted; questions are there when the user allowed them.
    case validatePassphrase(challenge: [UInt8], questions: [ShownQuestion]?, opening: CredentialOpening? = nil)
}

/// The tokens of a session, shown once.
public struct SessionTokens: Sendable, Equatable, CustomStringConvertible {
    /// The access token, unpadded base64url.
    public var accessToken: String
    /// When the access token ends.
    public var expiresAt: Timestamp
    /// The refresh token, unpadded base64url; usable once.
    public var refreshToken: String
    /// Whether unknown devices are locked out until credentials are changed.
    public var credentialsChangeRequired = false
    /// Never the tokens.
    public var description: String { "[redacted]" }
}

/// An employee as answers show one.
public struct EmployeeSummary: Sendable, Equatable {
    /// The company's name as first entered.
    public var companyName: String
    /// The employee's id as first entered; `nil` once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String
}
