public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A provisional employee id was released: no device key was ever authorized under it.
public struct EmployeeIdReleased: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The reason, as a code.
    public var reason: ReleaseReason
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<EmployeeIdReleased>(
        "EmployeeIdReleased", EmployeeIdReleased.init,
        Member("employeeId", \.employeeID), Member("reason", \.reason), Member("by", \.by))
}

/// A user's address was released, and another person may claim it.
public struct EmailReleased: EventPayload {
    /// The user.
    public var userID: UserID
    /// The tenant whose decision released the address.
    public var tenant: TenantID
    /// The event in that tenant's ledger that caused the release.
    public var cause: UUID

    /// The members as the log has them.
    public static let members = EventMembers<EmailReleased>(
        "EmailReleased", EmailReleased.init,
        Member("userId", \.userID), Member("tenant", \.tenant), Member("cause", \.cause))
}
