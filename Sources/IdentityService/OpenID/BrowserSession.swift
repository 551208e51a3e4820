public import Canonical
public import FoundationEssentials

/// Somebody who is logged in in a browser, as the cookie shows.
public struct BrowserSession: Sendable, Equatable {
    /// The browser session.
    public let id: UUID
    /// The session of the log-in. The browser session ends with it.
    public let sessionID: UUID
    /// The tenant.
    public let tenantID: UUID
    /// The account.
    public let employeeID: UUID
    /// The SHA-256 of the device key that opened the session, 32 bytes.
    public let fingerprint: [UInt8]
    /// When the person logged in.
    public let authenticatedAt: Timestamp
    /// How the person logged in, as values of RFC 8176 (`amr`).
    public let methods: [String]
    /// When the session ends at the latest.
    public let expiresAt: Timestamp
}

/// A browser session that was just opened, with its cookie.
public struct OpenedBrowserSession: Sendable, CustomStringConvertible {
    /// The value of the cookie. It is stored nowhere.
    public let cookie: String
    /// The browser session.
    public let session: BrowserSession
    /// A placeholder that never contains the cookie.
    public var description: String { "[redacted]" }
}
