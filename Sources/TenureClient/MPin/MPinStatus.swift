import ErrorCodes
public import TenureAPI

/// What a call of ``MPinClient`` or ``MPin`` led to: a code and a message for the developer.
///
/// ```swift
/// let mpinStatus = await MPin.confirmRegistration(user)
/// switch mpinStatus.status {
/// case .ok: askForPIN()
/// case .identityNotVerified: show("Open the link in the mail first.")
/// default: show(mpinStatus.message)
/// }
/// ```
public struct MPinStatus: Sendable, CustomStringConvertible {
    /// The code of a status. The raw value is Milagro's name and permanent.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The call succeeded.
        case ok = "OK"
        /// The PIN is empty: the person cancelled. Nothing changed.
        case pinInputCanceled = "PIN_INPUT_CANCELED"
        /// A share, a key, a statement or a proof is wrong. What it made was erased.
        case cryptoError = "CRYPTO_ERROR"
        /// The store cannot be read or written, or holds something else than a user.
        case storageError = "STORAGE_ERROR"
        /// No response: no connection, a redirect, or the task was cancelled.
        case networkError = "NETWORK_ERROR"
        /// The response is not what the service's contract says.
        case responseParseError = "RESPONSE_PARSE_ERROR"
        /// The state of the user forbids the call, the backend is not set, or an argument is malformed.
        case flowError = "FLOW_ERROR"
        /// The service refused the app or the user.
        case identityNotAuthorized = "IDENTITY_NOT_AUTHORIZED"
        /// The identity is not verified yet, or the registration has ended.
        case identityNotVerified = "IDENTITY_NOT_VERIFIED"
        /// The request took too long. Repeat the call.
        case requestExpired = "REQUEST_EXPIRED"
        /// The identity was revoked. The user is blocked.
        case revoked = "REVOKED"
        /// The PIN is wrong. If the user's state is `BLOCKED`, it was wrong too often.
        case incorrectPIN = "INCORRECT_PIN"
        /// The access number is wrong. This service has none, so it never sends this.
        case incorrectAccessNumber = "INCORRECT_ACCESS_NUMBER"
        /// The service failed.
        case httpServerError = "HTTP_SERVER_ERROR"
        /// The service refused the request for another reason, such as too many requests.
        case httpRequestError = "HTTP_REQUEST_ERROR"
        /// The service does not accept this client.
        case badUserAgent = "BAD_USER_AGENT"
        /// The tenant has new keys, or a D-TA issues no more shares for this M-Pin ID. Delete the user and register again.
        case clientSecretExpired = "CLIENT_SECRET_EXPIRED"
    }

    /// The code.
    public let status: Code
    /// What happened and what to do next, in English. Empty after success.
    public let message: String
    /// The service's problem document, if it sent one.
    public let problem: Problem?
    /// The time to wait before a retry, if the service sent `Retry-After`.
    public let retryAfter: Duration?

    /// Describes a status.
    public init(_ status: Code, _ message: String = "", problem: Problem? = nil, retryAfter: Duration? = nil) {
        self.status = status
        self.message = message
        self.problem = problem
        self.retryAfter = retryAfter
    }

    /// Success.
    public static let ok = MPinStatus(.ok)

    /// The code, with the message if there is one.
    public var description: String { message.isEmpty ? status.rawValue : "\(status.rawValue): \(message)" }
}

/// A status that ends a call.
struct MPinFailure: Error {
    let status: MPinStatus
    /// Whether the service has ended the identity, so that the user is blocked and the token erased.
    var endsIdentity = false

    init(_ code: MPinStatus.Code, _ message: String) { status = MPinStatus(code, message) }

    init(_ status: MPinStatus, endsIdentity: Bool = false) {
        self.status = status
        self.endsIdentity = endsIdentity
    }

    /// The store failed.
    static let storage = MPinFailure(
        .storageError, "The store of M-Pin users cannot be read or written, or other users can read it.")
}

/// The calls whose refusals are read differently.
enum MPinCall: Sendable, CaseIterable {
    case settings
    case register
    case signature
    /// The second D-TA. It sends no problem documents, and cannot end an identity.
    case secondShare
    case pass
    case authenticate
    case link
    case logIn
}

extension MPinFailure {
    /// Reads a response that is no success: the problem's code first, then the HTTP status.
    init(_ response: WireResponse, of call: MPinCall) {
        let problem = call == .secondShare ? nil : try? Problem(bytes: response.body)
        let wait = response.headers["retry-after"].flatMap { Int($0) }.map { Duration.seconds(max(0, $0)) }
        self.init(http: response.status, problem, retryAfter: wait, of: call)
    }

    init(describing error: any Error, of call: MPinCall) {
        if let failure = error as? MPinFailure {
            self = failure
            return
        }
        let error = TenureClientError(describing: error)
        if let problem = error.problem {
            self.init(http: problem.status, problem, retryAfter: error.retryAfter, of: call)
            return
        }
        switch error.kind {
        case .signingRefused:
            self.init(.cryptoError, "The service asked this device to sign something else. Nothing was signed.")
        case .connectionLost: self.init(.networkError, "The service cannot be reached.")
        case .cancelled: self.init(.networkError, "The call was cancelled.")
        case .notLoggedIn:
            self.init(.identityNotAuthorized, "This device has no session of the employee. Log in first.")
        case .storageFailed, .keyFileInvalid, .pinInvalid: self = .storage
        case .addressInvalid: self.init(.flowError, "A name or an address cannot be a part of a URL.")
        default: self.init(.responseParseError, "The response does not come from a Tenure service.")
        }
    }

    private init(http: Int, _ problem: Problem?, retryAfter: Duration?, of call: MPinCall) {
        let known = problem?.knownCode.flatMap { Self.code(of: $0, call) }
        let code = (300..<400).contains(http) ? .networkError : known ?? Self.code(http: http, call)
        let ends =
            problem.map { $0.knownCode == .mpinBlocked || $0.knownCode == .mpinEnded }
            ?? (http == 410 && (call == .authenticate || call == .logIn))
        let words =
            problem.map { "\($0.title). \($0.detail)" } ?? Self.words(ofSecondShare: http, call)
            ?? "The service answered with HTTP status \(http)."
        self.init(MPinStatus(code, words, problem: problem, retryAfter: retryAfter), endsIdentity: ends)
    }

    /// The status of a problem's code; `nil` if the HTTP status decides.
    private static func code(of problem: ErrorCode, _ call: MPinCall) -> MPinStatus.Code? {
        switch problem {
        case .mpinWrongPIN, .mpinBlocked: .incorrectPIN
        case .mpinEnded: .revoked
        case .mpinUnauthorized: call == .signature ? .identityNotVerified : .identityNotAuthorized
        case .mpinRequestExpired: .requestExpired
        case .mpinKeyExpired: .clientSecretExpired
        case .mpinWrongState: .flowError
        case .mpinDisabled, .appUnknown, .appSecretInvalid, .appRoleMissing, .appNotLinked, .employeeInactive,
            .companyUnknown, .authorizationNotPermitted:
            .identityNotAuthorized
        // These two come from places where the table of HTTP statuses would read them as something about a PIN.
        case .sessionExpired, .sessionInvalid: .identityNotAuthorized
        default: nil
        }
    }

    /// What a refusal of the second D-TA means; `nil` for another call.
    private static func words(ofSecondShare http: Int, _ call: MPinCall) -> String? {
        guard call == .secondShare else { return nil }
        return switch http {
        case 403: "The second D-TA does not accept the service's signature. Tell the operator of the service."
        case 408: "The query for the second D-TA has expired. Confirm the registration again."
        case 410: "The second D-TA issues no more shares for this M-Pin ID. Delete the user and register again."
        case 503: "The second D-TA cannot issue shares now. Confirm the registration again later."
        default: "The second D-TA answered with HTTP status \(http)."
        }
    }

    private static func code(http: Int, _ call: MPinCall) -> MPinStatus.Code {
        switch (call, http) {
        case (.register, 403), (.authenticate, 403), (.logIn, 403), (.link, 401), (.link, 403):
            .identityNotAuthorized
        case (.signature, 400), (.signature, 401): .identityNotVerified
        case (.secondShare, 408), (.authenticate, 408): .requestExpired
        case (.authenticate, 401), (.authenticate, 410), (.logIn, 410): .incorrectPIN
        case (.authenticate, 409), (.secondShare, 410): .clientSecretExpired
        case (.authenticate, 412): .incorrectAccessNumber
        case (_, 300..<400): .networkError
        case (_, 406): .badUserAgent
        case (_, 400..<500): .httpRequestError
        case (_, 500...): .httpServerError
        // 1xx, and successes other than 200.
        default: .responseParseError
        }
    }
}
