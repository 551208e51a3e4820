public import Canonical
import Credentials
public import FoundationEssentials

/// The five kinds of flows.
public enum FlowKind: String, Sendable, Hashable {
    /// `POST /v1/registrations`.
    case registration
    /// `POST /v1/logins`.
    case login
    /// `POST /v1/credentials/changes`.
    case change
    /// `POST /v1/recoveries`.
    case recovery
    /// `POST /v1/returns`.
    case returning = "return"
}

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

/// The tokens of a session, shown once.
public struct IssuedTokens: Sendable, Equatable, CustomStringConvertible {
    /// The access token: a signed JWT (RFC 9068).
    public var accessToken: String
    /// When the access token expires.
    public var expiresAt: Timestamp
    /// The refresh token, unpadded base64url; usable once.
    public var refreshToken: String
    /// Whether unknown devices are locked out until the credentials are changed.
    public var credentialsChangeRequired = false
    /// Messages to the owner of the account.
    public var notices: [Notice] = []
    /// A placeholder that never contains the tokens.
    public var description: String { "[redacted]" }
}

/// An employee as replies show one.
public struct EmployeeSummary: Sendable, Equatable {
    /// The employee's permanent id, which access tokens name as `sub`.
    public var employeeId: UUID
    /// The tenant's id.
    public var tenantId: UUID
    /// The tenant's name as first entered.
    public var companyName: String
    /// The employee id as first entered; `nil` once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String

    /// Each parameter sets the property of the same name.
    package init(
        employeeId: UUID, tenantId: UUID, companyName: String, companyEmployeeId: String?, status: String, role: String
    ) {
        self.employeeId = employeeId
        self.tenantId = tenantId
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
    }
}
