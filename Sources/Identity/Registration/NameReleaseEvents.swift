import Canonical
import FoundationEssentials

/// A provisional employee id was released: no device key was ever authorized under it.
package struct EmployeeIdReleased: EventPayload {
    package var employeeID: EmployeeID
    package var reason: ReleaseReason
    package var by: Authority

    package static let members = EventMembers<EmployeeIdReleased>(
        "EmployeeIdReleased", EmployeeIdReleased.init,
        Member("employeeId", \.employeeID), Member("reason", \.reason), Member("by", \.by))
}

/// A user's address was released, and another person may claim it. The cause is an event in the tenant's ledger.
package struct EmailReleased: EventPayload {
    package var userID: UserID
    /// The tenant whose decision released the address.
    package var tenant: TenantID

    package static let members = EventMembers<EmailReleased>(
        "EmailReleased", EmailReleased.init,
        Member("userId", \.userID), Member("tenant", \.tenant))
}
