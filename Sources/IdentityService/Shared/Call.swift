package import Canonical
package import FoundationEssentials
package import TenureAPI

/// The metadata that every call carries besides its input.
package struct Call: Sendable {
    /// The request id, `[A-Za-z0-9._-]{1,64}`, recorded with every event that the call appends.
    package var requestId: String
    /// The caller's address as text, encrypted under the employee's key when it is stored.
    package var sourceAddress: String?
    /// When the request arrived.
    package var time: Timestamp
    /// The raw `Idempotency-Key`, 1 to 255 visible ASCII characters.
    package var idempotencyKey: String?
    /// What a retry must repeat: method, path, caller, and the body as received. Only an HMAC of them is stored.
    package var fingerprintInput: [[UInt8]]
    /// The name that a device gets which presents its key in this call; `nil` for none. It comes from the browser.
    package var deviceName: String?
    /// The browser of a form that may end a log-in on the pages; `nil` for every other call.
    package var browser: LogInBrowser?

    package init(
        requestId: String, sourceAddress: String? = nil, time: Timestamp = .now(), idempotencyKey: String? = nil,
        fingerprintInput: [[UInt8]] = []
    ) {
        self.requestId = requestId
        self.sourceAddress = sourceAddress
        self.time = time
        self.idempotencyKey = idempotencyKey
        self.fingerprintInput = fingerprintInput
    }
}

/// The authenticated caller.
package enum Caller: Sendable {
    /// An application that presented one of its secrets.
    case app(AppCaller)
    /// An employee who presented an access token.
    case employee(EmployeeCaller)
}

/// An authenticated app.
package struct AppCaller: Sendable {
    package let appId: UUID
    /// The secret that was presented.
    package let secretId: UUID
    package let roles: Set<AppLinkRequest.Role>
    /// Whether the app lets its users choose questions that are not in the published list.
    let customQuestions: Bool
    /// Whether the caller is the hosted pages, which act for whoever opens them; see ``ActAsPagesApp``.
    package let isPagesApp: Bool
    /// The secret and the salt, kept during the call to derive the authority key.
    let presented: PresentedSecret

    init(
        appId: UUID, secretId: UUID, roles: Set<AppLinkRequest.Role>, customQuestions: Bool = false,
        isPagesApp: Bool = false, presented: PresentedSecret
    ) {
        self.appId = appId
        self.secretId = secretId
        self.roles = roles
        self.customQuestions = customQuestions
        self.isPagesApp = isPagesApp
        self.presented = presented
    }
}

/// A presented secret, kept while its request is served.
struct PresentedSecret: Sendable, Redacted {
    let secret: [UInt8]
    let salt: [UInt8]
}

/// An authenticated employee.
package struct EmployeeCaller: Sendable {
    /// The tenant, whose id is also its ledger's.
    package let tenantId: UUID
    package let employeeId: UUID
    package let sessionId: UUID
    /// The SHA-256 of the device key that opened the session, 32 bytes.
    package let fingerprint: [UInt8]
    /// Whether the log-in proved a secret of the person. Without one a synced passkey carries no role.
    package let secretProved: Bool

    package init(tenantId: UUID, employeeId: UUID, sessionId: UUID, fingerprint: [UInt8], secretProved: Bool) {
        (self.tenantId, self.employeeId, self.sessionId) = (tenantId, employeeId, sessionId)
        (self.fingerprint, self.secretProved) = (fingerprint, secretProved)
    }
}
