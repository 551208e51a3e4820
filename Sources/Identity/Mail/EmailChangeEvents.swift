package import Canonical

/// A user changed their address. The cause is the signed `EmployeeEmailChanged` of one of their accounts.
package struct EmailChanged: EventPayload {
    package var userID: UserID
    /// The new address, whose mailbox the browser of the change proved, encrypted under the user's key.
    package var email: Personal
    /// Until when the former address can undo the change; `nil` if it never can, because nobody confirmed it.
    package var undoUntil: Timestamp?

    package static let members = EventMembers<EmailChanged>(
        "EmailChanged", EmailChanged.init,
        Member("userId", \.userID), Member("email", \.email), Member(optional: "undoUntil", \.undoUntil))
}

/// Whoever reads the mails of the former address undid a change. The user has the former address again.
package struct EmailChangeUndone: EventPayload {
    package var userID: UserID
    /// The position of the `EmailChanged` in the same ledger.
    package var change: Int64

    package static let members = EventMembers<EmailChangeUndone>(
        "EmailChangeUndone", EmailChangeUndone.init,
        Member("userId", \.userID), Member("change", \.change, .position))
}

/// The user of an account has another address. In one account of the user a device key signs the change; in the others,
/// and when a change is undone, the event follows from the user's.
package struct EmployeeEmailChanged: EventPayload {
    package var employeeID: EmployeeID
    package var userID: UserID
    /// The address that the user has now, encrypted under the employee's key.
    package var email: Personal
    /// The salted commitment to the address, which the signed statement names; `nil` without a statement.
    package var subject: Bytes32?
    /// The salt of the commitment as base64url, encrypted under the employee's key.
    package var subjectSalt: Personal?
    package var by: Authority

    package static let members = EventMembers<EmployeeEmailChanged>(
        "EmployeeEmailChanged", EmployeeEmailChanged.init,
        Member("employeeId", \.employeeID), Member("userId", \.userID), Member("email", \.email),
        Member(optional: "subject", \.subject), Member(optional: "subjectSalt", \.subjectSalt), Member("by", \.by))
}
