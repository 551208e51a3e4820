import Canonical

extension Employee {
    /// The command that changes the address of the caller's own user.
    package struct ChangeEmail: Sendable, Equatable {
        package var email: EmailAddress
        /// The commitment that the statement names, and its salt.
        package var subject: Bytes32
        package var salt: Bytes32
        package var by: StatusDecision

        package init(email: EmailAddress, subject: Bytes32, salt: Bytes32, by: StatusDecision) {
            self.email = email
            self.subject = subject
            self.salt = salt
            self.by = by
        }
    }

    static func decide(_ state: State, _ change: ChangeEmail) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account, !account.isErased else { throw .unknownEmployee }
        guard account.status == .active else { throw .inactive }
        let subject = AuthoritySubject(account.id, of: account.user, role: change.by.role)
        guard AuthorityTable.permits(.changeEmail, about: subject, by: change.by.decision) else {
            throw .notPermitted
        }
        let changed = EmployeeEmailChanged(
            employeeID: account.id, userID: account.user, email: Personal(account.id, change.email.entered),
            subject: change.subject, subjectSalt: Personal(account.id, Base64URL.encode(change.salt.bytes)),
            by: change.by.decision.authority)
        return [.emailChanged(changed)]
    }

    /// The event of a further account of the user, or of a change that is undone. A company that has ended the account,
    /// for a time or for good, does not learn the address.
    static func followEmail(_ state: State, _ email: String) -> [EmployeeEvent] {
        guard let account = state.account, !account.isErased, !account.isCancelled, !account.isReleased,
            !account.isReclaimed
        else { return [] }
        let changed = EmployeeEmailChanged(
            employeeID: account.id, userID: account.user, email: Personal(account.id, email), by: .policy)
        return [.emailChanged(changed)]
    }
}
