import Canonical

extension Employee {
    /// The command that erases an employee.
    package struct Erase: Sendable, Equatable {
        /// The employee's role. Erasing a security admin needs ``includesSecurityAdmin``.
        package var role: EmployeeRole
        /// Whether the tenant may be left without a security admin.
        package var includesSecurityAdmin: Bool
        package var decision: AuthorityDecision

        package init(role: EmployeeRole, includesSecurityAdmin: Bool = false, decision: AuthorityDecision) {
            self.role = role
            self.includesSecurityAdmin = includesSecurityAdmin
            self.decision = decision
        }
    }

    /// Erases an employee; does nothing if the employee is erased.
    ///
    /// An employee who is not cancelled is cancelled too, so that readers of cancellations need not handle erasures.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ erase: Erase) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        let subject = AuthoritySubject(account.id, of: account.user, role: erase.role)
        guard AuthorityTable.permits(.erase, about: subject, by: erase.decision) else { throw .notPermitted }
        guard !account.isErased else { return [] }
        guard erase.role != .securityAdmin || erase.includesSecurityAdmin else { throw .securityAdmin }
        let by = erase.decision.authority
        let erased = EmployeeEvent.erased(EmployeeErased(employeeID: account.id, by: by))
        guard !account.isCancelled else { return [erased] }
        return [.cancelled(EmployeeCancelled(employeeID: account.id, reason: .cancelled, by: by)), erased]
    }
}

/// The employee's personal data was erased: its key is destroyed with this event or right after it.
package struct EmployeeErased: EventPayload {
    package var employeeID: EmployeeID
    package var by: Authority

    package static let members = EventMembers<EmployeeErased>(
        "EmployeeErased", EmployeeErased.init,
        Member("employeeId", \.employeeID), Member("by", \.by))
}

/// The user's personal data and credentials were erased: key and seeds are destroyed with this event or right after it.
///
/// The address, if the user still had one, becomes available.
package struct UserErased: EventPayload {
    package var userID: UserID
    package var by: Authority

    package static let members = EventMembers<UserErased>(
        "UserErased", UserErased.init,
        Member("userId", \.userID), Member("by", \.by))
}
