public import Canonical
public import FoundationEssentials

/// What every call carries beside its input.
public struct Call: Sendable {
    /// The id of the request, `[A-Za-z0-9._-]{1,64}`; stands on every event that the call appends.
    public var requestId: String
    /// The address of the caller as text; sealed under the employee's key when it is stored.
    public var sourceAddress: String?
    /// The moment the request arrived.
    public var time: Timestamp
    /// The raw `Idempotency-Key`, 1 to 255 visible ASCII characters.
    public var idempotencyKey: String?
    /// What a retry must repeat: method, path and body, as the exact bytes received. Never stored; only an HMAC of it is.
    public var fingerprintInput: [UInt8]

    /// Describes one call.
    public init(
        requestId: String, sourceAddress: String? = nil, time: Timestamp = .now(), idempotencyKey: String? = nil,
        fingerprintInput: [UInt8] = []
    ) {
        self.requestId = requestId
        self.sourceAddress = sourceAddress
        self.time = time
        self.idempotencyKey = idempotencyKey
        self.fingerprintInput = fingerprintInput
    }
}

/// Who calls the service.
public enum Caller: Sendable {
    /// An application that presented one of its secrets.
    case app(AppCaller)
    /// An employee who presented an access token.
    case employee(EmployeeCaller)
}

/// What an app's secret may be used for.
public enum CallerRole: String, Sendable, Hashable, CaseIterable {
    /// Log employees in and read what the app may see.
    case access = "ACCESS"
    /// Register employees.
    case creation = "CREATION"
    /// Countersign employee keys.
    case authorization = "AUTHORIZATION"
}

/// An authenticated application.
public struct AppCaller: Sendable {
    /// The app.
    public let appId: UUID
    /// The secret that was presented.
    public let secretId: UUID
    /// What that secret may be used for.
    public let roles: Set<CallerRole>
    /// The secret and salt, kept for the length of the call: the authority key is derived from them.
    let presented: PresentedSecret

    init(appId: UUID, secretId: UUID, roles: Set<CallerRole>, presented: PresentedSecret) {
        self.appId = appId
        self.secretId = secretId
        self.roles = roles
        self.presented = presented
    }
}

/// A secret while a request that presented it is served.
struct PresentedSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let secret: [UInt8]
    let salt: [UInt8]
    var description: String { "[redacted]" }
    var debugDescription: String { "[redacted]" }
}

/// An authenticated employee.
public struct EmployeeCaller: Sendable {
    /// The company, which is also the ledger.
    public let tenantId: UUID
    /// The employee.
    public let employeeId: UUID
    /// The session.
    public let sessionId: UUID
    /// SHA-256 of the employee key that opened the session, 32 bytes.
    public let fingerprint: [UInt8]
}
