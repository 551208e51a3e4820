extension Employee {
    /// Presents a key: again when it expired, never again when it was refused or revoked.
    static func decide(_ state: State, _ present: PresentKey) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        guard !account.isCancelled else { throw .inactive }
        switch state.standing(of: present.key, at: present.time) {
        case .pending, .authorized: return []
        case .revoked, .refused: throw .keyRevoked
        case .unknown, .expired:
            guard state.waitingKeys(at: present.time) < pendingLimit else { throw .tooManyWaitingKeys }
            return [
                .keyPresented(
                    EmployeeKeyPresented(
                        employeeID: account.id, key: present.key, flow: present.flow, first: state.keys.isEmpty))
            ]
        }
    }

    /// Authorizes a waiting key; twice is the same as once.
    static func decide(_ state: State, _ authorize: AuthorizeKey) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        let decision = authorize.decision
        try check(decision, authorize.policy)
        guard decision.statement.key != authorize.key else { throw .selfAuthorization }
        if case .employee(let caller) = decision.caller, caller.user == account.user {
            // Two accounts of one user are one person, who cannot vouch for themselves by the other account either.
            guard caller.role == .securityAdmin, caller.employee == account.id else { throw .anotherPersonNeeded }
        }
        guard !account.isCancelled else { throw .inactive }
        switch state.standing(of: authorize.key, at: authorize.time) {
        case .authorized: return []
        case .unknown, .expired, .refused, .revoked: throw .unknownKey
        case .pending:
            return [
                .keyAuthorized(
                    EmployeeKeyAuthorized(employeeID: account.id, key: authorize.key, by: decision.authority))
            ]
        }
    }

    /// Refuses a waiting key; twice is the same as once.
    static func refuse(_ state: State, _ refuse: EndKey) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        try check(refuse.decision, refuse.policy)
        switch state.standing(of: refuse.key, at: refuse.time) {
        case .refused: return []
        case .unknown, .expired, .authorized, .revoked: throw .unknownKey
        case .pending:
            return [
                .keyRefused(
                    EmployeeKeyRefused(
                        employeeID: account.id, key: refuse.key, reason: refuse.reason,
                        note: refuse.note.map { Personal(account.id, $0.text) }, by: refuse.decision.authority))
            ]
        }
    }

    /// Revokes an authorized key, also that of a cancelled employee and the signer's own; twice is the same as once.
    static func revoke(_ state: State, _ revoke: EndKey) throws(Rejection) -> [EmployeeEvent] {
        try check(revoke.decision, revoke.policy)
        return try end(state, revoke)
    }

    /// Revokes a key of the caller's own, the signing one too, whatever the policy: it says who lets a key in, and
    /// giving one up needs nobody. Twice is the same as once.
    static func revokeOwn(_ state: State, _ revoke: EndKey) throws(Rejection) -> [EmployeeEvent] {
        guard case .employee(let caller) = revoke.decision.caller, caller.employee == state.account?.id,
            revoke.decision.caller.speaks(with: revoke.decision.statement.key)
        else { throw .notPermitted }
        return try end(state, revoke)
    }

    private static func end(_ state: State, _ revoke: EndKey) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        switch state.standing(of: revoke.key, at: revoke.time) {
        case .revoked: return []
        case .unknown, .pending, .expired, .refused: throw .unknownKey
        case .authorized:
            if case .employee(let caller) = revoke.decision.caller, caller.employee == account.id,
                caller.role == .securityAdmin, state.authorizedKeys.count == 1
            {
                // Nobody could speak for the company then: a follower is named first.
                throw .securityAdmin
            }
            return [
                .keyRevoked(
                    EmployeeKeyRevoked(
                        employeeID: account.id, key: revoke.key, reason: revoke.reason,
                        note: revoke.note.map { Personal(account.id, $0.text) }, by: revoke.decision.authority))
            ]
        }
    }

    /// The caller may decide about keys, and signed with a key that speaks for them.
    private static func check(_ decision: KeyDecision, _ policy: TenantPolicy) throws(Rejection) {
        guard KeyAuthority.permits(policy.keyAuthorization, decision.caller),
            decision.caller.speaks(with: decision.statement.key)
        else { throw .notPermitted }
    }
}
