import Canonical

/// An employee was approved and is active.
package struct EmployeeApproved: EventPayload {
    package var employeeID: EmployeeID
    /// Whether the approval verifies the address, which is in a confirmed domain of the tenant.
    package var emailVerified = false
    /// The authority that decided.
    package var by: Authority
    /// The schema version that the event is written in. Version 2 is signed and says whether the approval verifies
    /// the address.
    package var schema = 2

    /// The members as the log has them.
    package static let members = EventMembers<EmployeeApproved>(
        "EmployeeApproved", schemas: 1...2, EmployeeApproved.init,
        Member("employeeId", \.employeeID), Member("emailVerified", \.emailVerified, since: 2, before: false),
        Member("by", \.by), .schema(\.schema))
}

/// An employee was cancelled and may no longer log in.
package struct EmployeeCancelled: EventPayload {
    package var employeeID: EmployeeID
    /// The reason, as a code.
    package var reason: CancellationReason
    /// The reason, in free text.
    package var note: Personal?
    /// The authority that decided.
    package var by: Authority
    /// The schema version that the event is written in. Version 2 is signed, and ends device keys, sessions and the
    /// admin role.
    package var schema = 2

    /// The members as the log has them.
    package static let members = EventMembers<EmployeeCancelled>(
        "EmployeeCancelled", schemas: 1...2, EmployeeCancelled.init,
        Member("employeeId", \.employeeID), Member("reason", \.reason), Member(optional: "note", \.note),
        Member("by", \.by), .schema(\.schema))
}

/// A cancellation was taken back.
package struct EmployeeReinstated: EventPayload {
    package var employeeID: EmployeeID
    /// The authority that decided.
    package var by: Authority
    /// The schema version that the event is written in. Version 2 is signed.
    package var schema = 2

    /// The members as the log has them.
    package static let members = EventMembers<EmployeeReinstated>(
        "EmployeeReinstated", schemas: 1...2, EmployeeReinstated.init,
        Member("employeeId", \.employeeID), Member("by", \.by), .schema(\.schema))
}

/// All sessions of an employee were ended by somebody with authority.
package struct EmployeeSessionsEnded: EventPayload {
    package var employeeID: EmployeeID
    /// The reason, as a code.
    package var reason: ReasonCode
    /// The authority that decided.
    package var by: Authority

    /// The members as the log has them.
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
    /// The authority that decided.
    package var by: Authority
    /// The schema version that the event is written in. Version 2 is signed.
    package var schema = 2

    /// The members as the log has them.
    package static let members = EventMembers<EmailReclaimed>(
        "EmailReclaimed", schemas: 1...2, EmailReclaimed.init,
        Member("employeeId", \.employeeID), Member("userId", \.userID), Member("reason", \.reason),
        Member("by", \.by), .schema(\.schema))
}
