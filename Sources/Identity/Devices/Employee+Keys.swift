package import Canonical

extension Employee {
    /// The command that presents a device key.
    package struct PresentKey: Sendable, Equatable {
        package var key: PublicKeyBytes
        /// The flow in which the device proved possession of the key.
        package var flow: FlowID
        /// The time of the presentation.
        package var time: Timestamp
        /// What is fixed of the passkey that the key is, or `nil` if it is none.
        package var passkey: PasskeyFacts?

        package init(key: PublicKeyBytes, flow: FlowID, time: Timestamp, passkey: PasskeyFacts? = nil) {
            self.key = key
            self.flow = flow
            self.time = time
            self.passkey = passkey
        }
    }

    /// The command that authorizes a device key.
    package struct AuthorizeKey: Sendable, Equatable {
        package var key: PublicKeyBytes
        package var decision: AuthorityDecision
        /// The tenant, for the employee's role and the policy.
        package var tenant: Tenant.State
        package var time: Timestamp

        package init(key: PublicKeyBytes, decision: AuthorityDecision, tenant: Tenant.State, time: Timestamp) {
            self.key = key
            self.decision = decision
            self.tenant = tenant
            self.time = time
        }
    }

    /// The command that gives a device a name.
    package struct NameDevice: Sendable, Equatable {
        package var fingerprint: KeyFingerprint
        package var name: DeviceName

        package init(fingerprint: KeyFingerprint, name: DeviceName) {
            self.fingerprint = fingerprint
            self.name = name
        }
    }

    /// The command that refuses a pending device key, or revokes an authorized one.
    package struct EndKey: Sendable, Equatable {
        package var key: PublicKeyBytes
        package var reason: ReasonCode
        /// The reason, in free text.
        package var note: FreeText?
        package var decision: AuthorityDecision
        /// The tenant, for the employee's role.
        package var tenant: Tenant.State
        package var time: Timestamp

        package init(
            key: PublicKeyBytes, reason: ReasonCode, note: FreeText? = nil, decision: AuthorityDecision,
            tenant: Tenant.State, time: Timestamp
        ) {
            self.key = key
            self.reason = reason
            self.note = note
            self.decision = decision
            self.tenant = tenant
            self.time = time
        }
    }
}

extension Employee {
    /// Presents a key. An expired key may be presented again, a refused or revoked one never.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ present: PresentKey) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        guard !account.isCancelled else { throw .inactive }
        try check(present.passkey, of: present.key, in: state)
        let presented = EmployeeEvent.keyPresented(
            EmployeeKeyPresented(
                employeeID: account.id, key: present.key, kind: present.passkey == nil ? .software : .passkey,
                flow: present.flow, first: state.keys.isEmpty, passkey: present.passkey))
        switch state.standing(of: present.key, at: present.time) {
        case .authorized: return []
        case .pending:
            let last = state.keys[present.key]?.presentedAt ?? present.time
            return last.adding(pendingRenewal) <= present.time ? [presented] : []
        case .revoked, .refused: throw .keyRevoked
        case .unknown, .expired:
            guard state.waitingKeys(at: present.time) < pendingLimit else { throw .tooManyWaitingKeys }
            return [presented]
        }
    }

    /// Authorizes a pending key; does nothing if it is authorized.
    ///
    /// A key in force that does not carry its owner's role is authorized once more, by an authority that may give it
    /// the role; a passkey whose counter did not grow, by an admin.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ authorize: AuthorizeKey) throws(Rejection) -> [EmployeeEvent] {
        let decision = authorize.decision, tenant = authorize.tenant
        let standing = state.standing(of: authorize.key, at: authorize.time)
        // The time of grace is for a passkey that the policy asks for.
        let isBrought = standing == .pending && state.keys[authorize.key]?.passkey != nil
        let account = try account(
            state, .authorizeKey, decision, tenant, policy: tenant.policy.keyAuthorization,
            at: isBrought ? authorize.time : nil)
        guard decision.signer != authorize.key else { throw .selfAuthorization }
        guard !account.isCancelled else { throw .inactive }
        let event = EmployeeEvent.keyAuthorized(
            EmployeeKeyAuthorized(employeeID: account.id, key: authorize.key, by: decision.authority))
        switch standing {
        case .authorized:
            let hasRole = tenant.role(of: account.id).isAdministrative
            if state.keys[authorize.key]?.passkey?.copiedSince != nil {
                return decision.isOfAdmin(besides: account.id, in: tenant) ? [event] : []
            }
            return hasRole && !state.roleKeys(in: tenant).contains(authorize.key) ? [event] : []
        case .unknown, .expired, .refused, .revoked: throw .unknownKey
        case .pending: return [event]
        }
    }

    /// Refuses a pending key; does nothing if it is refused.
    ///
    /// - Throws: ``Rejection``.
    static func refuse(_ state: State, _ refuse: EndKey) throws(Rejection) -> [EmployeeEvent] {
        let account = try account(state, .endKey, refuse.decision, refuse.tenant)
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

    /// Revokes an authorized key, even of a cancelled employee, and even the signing one. Does nothing if it is
    /// revoked.
    ///
    /// The security admin's last key that carries the role stays until a succession: otherwise nobody could speak for
    /// the tenant.
    ///
    /// - Throws: ``Rejection``.
    static func revoke(_ state: State, _ revoke: EndKey) throws(Rejection) -> [EmployeeEvent] {
        let account: Account
        if isGivenUp(state, revoke), let own = state.account {
            account = own
        } else {
            account = try Employee.account(state, .endKey, revoke.decision, revoke.tenant)
        }
        switch state.standing(of: revoke.key, at: revoke.time) {
        case .revoked: return []
        case .unknown, .pending, .expired, .refused: throw .unknownKey
        case .authorized:
            if revoke.tenant.role(of: account.id) == .securityAdmin,
                state.roleKeys(in: revoke.tenant, secretProved: true).subtracting([revoke.key]).isEmpty
            {
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

    /// Whether a key revokes itself: giving up one's own access needs no other authority.
    static func isGivenUp(_ state: State, _ revoke: EndKey) -> Bool {
        guard case .employee(let caller) = revoke.decision.caller else { return false }
        return caller.employee == state.account?.id && revoke.decision.signer == revoke.key
            && revoke.decision.caller.speaks(with: revoke.key)
    }

    /// Names a device whose key is pending or in force. Nobody else than the owner may ask for it, which the use case
    /// sees to.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ name: NameDevice) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        guard !account.isCancelled else { throw .inactive }
        guard let key = state.key(name.fingerprint), !key.hasEnded else { throw .unknownKey }
        guard state.namings[name.fingerprint, default: 0] < namingLimit else { throw .tooManyNames }
        return [
            .deviceNamed(
                DeviceNamed(
                    employeeID: account.id, fingerprint: name.fingerprint,
                    name: Personal(account.id, name.name.text)))
        ]
    }

    private static func account(
        _ state: State, _ action: AuthorityTable.Action, _ decision: AuthorityDecision, _ tenant: Tenant.State,
        policy: KeyAuthorization = .application, at time: Timestamp? = nil
    ) throws(Rejection) -> Account {
        guard let account = state.account else { throw .unknownEmployee }
        let subject = AuthoritySubject(account.id, of: account.user, role: tenant.role(of: account.id))
        guard AuthorityTable.permits(action, about: subject, by: decision, under: policy, at: time) else {
            throw .notPermitted
        }
        return account
    }
}

extension AuthorityDecision {
    /// Whether somebody else than the owner of an account decides as a person, or an admin about their own account.
    fileprivate func isOfAdmin(besides owner: EmployeeID, in tenant: Tenant.State) -> Bool {
        guard case .employee(let id, _) = authority else { return false }
        return id != owner || tenant.role(of: id).isAdministrative
    }
}
