extension Employee {
    /// Approves; twice is the same as once.
    static func decide(_ state: State, _ approve: Approve) throws(Rejection) -> [EmployeeEvent] {
        let account = try account(state, approve.caller)
        guard !account.isCancelled else { throw .inactive }
        guard !account.isApproved else { return [] }
        return [.approved(EmployeeApproved(employeeID: account.id, by: approve.caller.authority(nil)))]
    }

    /// Cancels; twice is the same as once.
    static func decide(_ state: State, _ cancel: Cancel) throws(Rejection) -> [EmployeeEvent] {
        let account = try account(state, cancel.caller)
        guard !account.isCancelled else { return [] }
        guard cancel.role != .securityAdmin else { throw .securityAdmin }
        return [
            .cancelled(
                EmployeeCancelled(
                    employeeID: account.id, reason: .cancelled, note: cancel.note.map { Personal(account.id, $0.text) },
                    by: cancel.caller.authority(nil)))
        ]
    }

    /// Reinstates whoever was cancelled, with approval and keys as they were; never a reclaimed or an erased account.
    static func decide(_ state: State, _ reinstate: Reinstate) throws(Rejection) -> [EmployeeEvent] {
        let account = try account(state, reinstate.caller)
        guard account.isCancelled else { return [] }
        guard !account.isReclaimed, !account.isErased else { throw .inactive }
        return [.reinstated(EmployeeReinstated(employeeID: account.id, by: reinstate.caller.authority(nil)))]
    }

    /// Reclaims the address of whoever claimed it for the company; twice is the same as once.
    ///
    /// A cancelled employee is cancelled once more, for the reason that is for ever: whoever watches cancellations
    /// need not know reclaims.
    static func decide(_ state: State, _ reclaim: ReclaimEmail) throws(Rejection) -> [EmployeeEvent] {
        let account = try account(state, reclaim.caller)
        guard !account.isReclaimed, !account.isErased else { return [] }
        guard account.isCompanyOwnedEmail, isConfirmed(account.email, reclaim.confirmedDomains) else {
            throw .emailNotReclaimable
        }
        guard reclaim.role != .securityAdmin else { throw .securityAdmin }
        let by = reclaim.caller.authority(nil)
        return [
            .emailReclaimed(
                EmailReclaimed(
                    employeeID: account.id, userID: account.user, reason: Personal(account.id, reclaim.reason.text),
                    by: by)
            ),
            .cancelled(EmployeeCancelled(employeeID: account.id, reason: .reclaimed, by: by)),
        ]
    }

    private static func account(_ state: State, _ caller: Caller) throws(Rejection) -> Account {
        guard AdminAuthority.permits(caller) else { throw .notPermitted }
        guard let account = state.account else { throw .unknownEmployee }
        return account
    }

    private static func isConfirmed(_ email: Personal, _ domains: Set<String>) -> Bool {
        guard let text = email.text, let address = try? EmailAddress(text) else { return false }
        return domains.contains { $0.utf8.elementsEqual(address.domain) }
    }
}
