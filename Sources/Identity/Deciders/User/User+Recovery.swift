public import Canonical

extension User.State {
    /// The recovery that is open at a time.
    public func openRecovery(at time: Timestamp) -> User.Recovery? {
        guard let recovery, time < recovery.expiresAt, recovery.credential == credentials?.id else { return nil }
        return recovery
    }
}

extension User.Recovery {
    /// Whether it is about this account and key.
    public func isAbout(_ target: User.RecoveryTarget) -> Bool {
        tenant == target.tenant && employee == target.employee && fingerprint == target.fingerprint
    }
}

/// Two persons, neither of whom is the one who recovers unless by a device that was let in before.
extension User {
    /// Opens a recovery: the security admin alone, and never their own. Twice is the same as once.
    static func decide(_ state: State, _ open: OpenRecovery) throws(Rejection) -> [UserEvent] {
        let decision = open.decision, target = open.target
        guard let user = state.id, let credentials = state.credentials,
            AdminAuthority.permitsOpeningRecovery(.employee(decision.caller)), decision.caller.user != user,
            decision.isOwn, decision.signer != target.fingerprint
        else { throw .notPermitted }
        guard open.reach.suffices else { throw .otherCompanies }
        if let other = state.openRecovery(at: open.time) {
            guard other.isAbout(target) else { throw .recoveryInProgress }
            return []
        }
        return [
            .recoveryOpened(
                RecoveryOpened(
                    recoveryID: open.id, userID: user, tenant: target.tenant, employeeID: target.employee,
                    fingerprint: target.fingerprint, credentialID: credentials.id,
                    expiresAt: open.time.adding(recoveryLifetime), openerID: decision.caller.user,
                    by: decision.authority))
        ]
    }

    /// Confirms a recovery: another admin, or another device of the user. Twice is the same as once.
    static func decide(_ state: State, _ confirm: ConfirmRecovery) throws(Rejection) -> [UserEvent] {
        let decision = confirm.decision, target = confirm.target
        guard let recovery = state.openRecovery(at: confirm.time), recovery.isAbout(target) else {
            throw .recoveryUnknown
        }
        // No key lets itself in, and no person is two.
        guard mayDecide(recovery, decision), decision.caller.user != recovery.opener,
            decision.signer != target.fingerprint
        else { throw .notPermitted }
        guard confirm.reach.suffices else { throw .otherCompanies }
        guard recovery.confirmed == nil else { return [] }
        return [
            .recoveryConfirmed(
                RecoveryConfirmed(
                    recoveryID: recovery.id, userID: recovery.user, tenant: recovery.tenant,
                    employeeID: recovery.employee, opened: confirm.opened, confirmerID: decision.caller.user,
                    by: decision.authority))
        ]
    }

    /// Ends a recovery: any admin of the company, or a device of the user.
    static func decide(_ state: State, _ cancel: CancelRecovery) throws(Rejection) -> [UserEvent] {
        guard let recovery = state.openRecovery(at: cancel.time), recovery.isAbout(cancel.target) else {
            throw .recoveryUnknown
        }
        guard mayDecide(recovery, cancel.decision) else { throw .notPermitted }
        return [cancelled(recovery, cancel.reason, by: cancel.decision.authority)]
    }

    /// Who is in with right credentials, on a device that was let in, needs no recovery: whoever opened one was mistaken, or
    /// means ill.
    ///
    /// It is the owner who ends it, by the account that it is about. In which company they were is not that company's business.
    static func endRecovery(_ state: State, _ time: Timestamp) -> [UserEvent] {
        guard let recovery = state.openRecovery(at: time), let reason = ReasonCode("login") else { return [] }
        return [cancelled(recovery, reason, by: .employee(recovery.employee, nil))]
    }

    /// Sets new credentials, once, with the key and by the two decisions that are in the log.
    static func decide(_ state: State, _ recover: RecoverCredentials) throws(Rejection) -> [UserEvent] {
        let event = recover.event
        guard state.credentials?.id == event.previousCredentialID, state.id == event.userID,
            !state.everyCredential.contains(event.credentialID)
        else { throw .credentialsReplaced }
        guard let recovery = state.openRecovery(at: recover.time), recovery.isAbout(recover.target),
            let confirmed = recovery.confirmed, recover.approvals == [recovery.opened.position, confirmed.position]
        else { throw .recoveryEnded }
        guard recover.reach.suffices else { throw .otherCompanies }
        return [.credentialsChanged(event)]
    }

    private static func mayDecide(_ recovery: Recovery, _ decision: RecoveryDecision) -> Bool {
        let caller = decision.caller
        guard caller.status == .active, decision.isOwn else { return false }
        return caller.user == recovery.user ? caller.employee == recovery.employee : caller.isActiveAdmin
    }

    private static func cancelled(
        _ recovery: Recovery, _ reason: ReasonCode, by authority: Authority
    ) -> UserEvent {
        .recoveryCancelled(
            RecoveryCancelled(
                recoveryID: recovery.id, userID: recovery.user, tenant: recovery.tenant,
                employeeID: recovery.employee, reason: reason, by: authority))
    }
}
