public import Canonical
public import FoundationEssentials

/// One open session of an employee.
public struct SessionView: Sendable, Equatable {
    /// The session.
    public var sessionId: UUID
    /// The fingerprint of the key that opened it.
    public var fingerprint: String
    /// When it was opened.
    public var createdAt: Timestamp
    /// When its refresh token expires.
    public var expiresAt: Timestamp
    /// Whether it is the session of this call.
    public var isCurrent: Bool
}
