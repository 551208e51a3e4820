import Canonical

/// An employee was approved and is active.
package struct EmployeeApproved: EventPayload {
    package var employeeID: EmployeeID
    /// Whether the approval verifies the address, which is in a confirmed domain of the tenant.
    package var emailVerified = false
    package var by: Authority

    package static let members = EventMembers<EmployeeApproved>(
        "EmployeeApproved", EmployeeApproved.init,
        Member("employeeId", \.employeeID), Member("emailVerified", \.emailVerified), Member("by", \.by))
}

/// An employee was cancelled and may no longer log in.
package struct EmployeeCancelled: EventPayload {
    package var employeeID: EmployeeID
    package var reason: CancellationReason
    /// The reason, in free text.
    package var note: Personal?
    package var by: Authority

    package static let members = EventMembers<EmployeeCancelled>(
        "EmployeeCancelled", EmployeeCancelled.init,
        Member("employeeId", \.employeeID), Member("reason", \.reason), Member(optional: "note", \.note),
        Member("by", \.by))
}

/// A cancellation was taken back.
package struct EmployeeReinstated: EventPayload {
    package var employeeID: EmployeeID
    package var by: Authority

    package static let members = EventMembers<EmployeeReinstated>(
        "EmployeeReinstated", EmployeeReinstated.init,
        Member("employeeId", \.employeeID), Member("by", \.by))
}

/// All sessions of an employee were ended by somebody with authority.
package struct EmployeeSessionsEnded: EventPayload {
    package var employeeID: EmployeeID
    package var reason: ReasonCode
    package var by: Authority

    package static let members = EventMembers<EmployeeSessionsEnded>(
        "EmployeeSessionsEnded", EmployeeSessionsEnded.init,
        Member("employeeId", \.employeeID), Member("reason", \.reason), Member("by", \.by))
}

/// A tenant reclaimed an address that it owns; the employee's device keys end with it.
package struct EmailReclaimed: EventPayload {
    package var employeeID: EmployeeID
    /// The user who loses the address.
    package var userID: UserID
    /// The reason, in free text.
    package var reason: Personal
    package var by: Authority

    package static let members = EventMembers<EmailReclaimed>(
        "EmailReclaimed", EmailReclaimed.init,
        Member("employeeId", \.employeeID), Member("userId", \.userID), Member("reason", \.reason), Member("by", \.by))
}
