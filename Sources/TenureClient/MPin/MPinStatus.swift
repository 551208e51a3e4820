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
