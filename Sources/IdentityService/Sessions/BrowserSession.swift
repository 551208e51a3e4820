package import Canonical
package import FoundationEssentials

/// Somebody who is logged in in a browser, as the cookie shows.
package struct BrowserSession: Sendable, Equatable {
    package let id: UUID
    /// The session of the log-in. The browser session ends with it.
    package let sessionID: UUID
    package let tenantID: UUID
    /// The account.
    package let employeeID: UUID
    /// The SHA-256 of the device key that opened the session, 32 bytes.
    package let fingerprint: [UInt8]
    /// When the person logged in.
    package let authenticatedAt: Timestamp
    /// How the person logged in, as values of RFC 8176 (`amr`).
    package let methods: [String]
    /// When the session ends at the latest.
    package let expiresAt: Timestamp

    /// The person as use cases take it that ask for a session's owner.
    package var caller: EmployeeCaller {
        EmployeeCaller(
            tenantId: tenantID, employeeId: employeeID, sessionId: sessionID, fingerprint: fingerprint,
            secretProved: AuthenticationMethods(values: methods).secretProved)
    }
}
