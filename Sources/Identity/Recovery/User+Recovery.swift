package import Canonical

extension User {
    /// The time in which new credentials may be set once a recovery is available.
    package static let recoveryLifetime: Duration = .seconds(72 * 3_600)

    /// The window before a recovery is opened: a device key that was in force within it may cancel the recovery.
    package static let recoveryObjectionWindow: Duration = .seconds(30 * 86_400)

    /// A recovery that was opened and has not ended.
    package struct Recovery: Sendable, Equatable {
        package let id: RecoveryID
        /// The user whose credentials are to be replaced.
        package let user: UserID
        /// The tenant that decides.
        package let tenant: TenantID
        /// The user's account in that tenant.
        package let employee: EmployeeID
        /// The fingerprint of the only device key with which new credentials may be set.
        package let fingerprint: KeyFingerprint
        package let credential: CredentialID
        /// The user behind the employee who opened it.
        package let opener: UserID
        package let openedBy: Authority
        package let openedAt: Timestamp
        /// When new credentials may be set from.
        package let availableAt: Timestamp
        /// When the recovery expires.
        package let expiresAt: Timestamp
        /// Whether one decision suffices, because the tenant had a single admin.
        package let soleAdmin: Bool
        package let opened: EventPlace
        /// The confirmation in force.
        package internal(set) var confirmation: Confirmation?
        /// The number of events of its stream in the tenant's ledger.
        package internal(set) var version = 1

        package init(_ event: RecoveryOpened, at place: EventPlace, _ time: Timestamp) {
            id = event.recoveryID
            user = event.userID
            tenant = event.tenant
            employee = event.employeeID
            fingerprint = event.fingerprint
            credential = event.credentialID
            opener = event.openerID
            openedBy = event.by
            openedAt = time
            availableAt = event.availableAt
            expiresAt = event.expiresAt
            soleAdmin = event.soleAdmin
            opened = place
        }
    }

    /// A confirmation of a recovery.
    package struct Confirmation: Sendable, Equatable {
        /// The event that records it.
        package let place: EventPlace
        /// When it was given.
        package let time: Timestamp
        package let by: Authority
    }
}

extension User.State {
    package func openRecovery(at time: Timestamp) -> User.Recovery? {
        guard let recovery, time < recovery.expiresAt, recovery.credential == credentials?.id else { return nil }
        return recovery
    }
}

extension User.Recovery {
    /// Whether the recovery is about this account and device key.
    package func isAbout(_ target: User.RecoveryTarget) -> Bool {
        tenant == target.tenant && employee == target.employee && fingerprint == target.fingerprint
    }

    /// Whether all decisions that it needs were made. The waiting time is checked separately.
    package var isApproved: Bool { confirmation != nil || soleAdmin }

    /// The positions of the decisions that permit new credentials; empty until all were made.
    package var approvals: [Int64] {
        isApproved ? [opened.position] + (confirmation.map { [$0.place.position] } ?? []) : []
    }

    /// Whether new credentials may be set: after the waiting time, or at once if a known key of the account confirmed.
    ///
    /// - Parameter account: The account that the recovery is about.
    package func isAvailable(at time: Timestamp, _ account: Employee.State) -> Bool {
        availableAt <= time || isConfirmedByKnownKey(of: account)
    }

    package func isConfirmedByKnownKey(of account: Employee.State) -> Bool {
        guard case .employee(let confirmer, let signed?)? = confirmation?.by, confirmer == employee,
            account.account?.id == employee, let key = account.keys[signed.key]
        else { return false }
        return isKnown(key)
    }

    /// Whether a key is known: it was in force for the whole delay before the recovery was opened.
    package func isKnown(_ key: Employee.Key) -> Bool {
        let start = openedAt.adding(.microseconds(openedAt.microseconds - availableAt.microseconds))
        return key.fingerprint != fingerprint && key.wasInForce(from: start, through: openedAt)
    }

    /// Whether a key of the user may cancel, even after others ended it. It was in force within the 30 days before the
    /// recovery was opened, and its owner did not end it.
    package func mayObject(_ key: Employee.Key, of account: Employee.Account) -> Bool {
        account.user == user && key.wasInForce(within: User.recoveryObjectionWindow, before: openedAt)
            && !key.wasEndedByOwner(account.id)
    }

    /// The latest time at which a cancellation is certain to be in time. From then on new credentials may be set.
    package func cancelBefore(_ account: Employee.State) -> Timestamp? {
        isConfirmedByKnownKey(of: account) ? confirmation?.time : availableAt
    }
}

extension Employee.Key {
    /// Whether the key was in force from one time to another, without a break.
    package func wasInForce(from start: Timestamp, through end: Timestamp) -> Bool {
        guard let authorizedAt, authorizedAt <= start else { return false }
        return endedAt.map { end < $0 } ?? true
    }

    /// Whether the key was in force at some moment of the window before a time.
    package func wasInForce(within window: Duration, before end: Timestamp) -> Bool {
        guard let authorizedAt, authorizedAt <= end else { return false }
        return endedAt.map { end.adding(.zero - window) <= $0 } ?? true
    }

    /// Whether the account that has the key ended it.
    func wasEndedByOwner(_ owner: EmployeeID) -> Bool {
        guard case .employee(let id, _)? = endedBy else { return false }
        return id == owner
    }
}

/// A recovery takes two people and time: one opens it, another confirms it, both by the table of authority. During the
/// tenant's delay the user is notified and can cancel.
extension User {
    /// Opens a recovery; does nothing if this recovery is open.
    ///
    /// It is refused if it could never be completed: the user has accounts in other tenants, this tenant does not own
    /// the address, and no device key of the account was in force for the whole delay.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ open: OpenRecovery) throws(Rejection) -> [UserEvent] {
        let decision = open.decision, account = open.account, target = account.target
        guard let user = state.id, let credentials = state.credentials, case .employee(let opener) = decision.caller,
            opener.user != user, KeyFingerprint(of: decision.signer) != target.fingerprint,
            AuthorityTable.permits(.openRecovery, about: account.subject(of: user), by: decision)
        else { throw .notPermitted }
        if let other = state.openRecovery(at: open.time) {
            guard other.isAbout(target) else { throw .recoveryInProgress }
            return []
        }
        let opened = RecoveryOpened(
            recoveryID: open.id, userID: user, tenant: target.tenant, employeeID: target.employee,
            fingerprint: target.fingerprint, credentialID: credentials.id,
            expiresAt: open.time.adding(open.wait).adding(recoveryLifetime), openerID: opener.user,
            availableAt: open.time.adding(open.wait), soleAdmin: open.soleAdmin, by: decision.authority)
        let recovery = Recovery(opened, at: credentials.place, open.time)
        guard account.reach.suffices || account.state.keys.values.contains(where: recovery.isKnown) else {
            throw .otherCompanies
        }
        return [.recoveryOpened(opened)]
    }

    /// Confirms a recovery by another admin, or by a device key of the account. Does nothing if it is confirmed.
    ///
    /// There is one exception: a known key, which makes the recovery available at once, may confirm after an admin.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ confirm: ConfirmRecovery) throws(Rejection) -> [UserEvent] {
        let decision = confirm.decision, account = confirm.account
        guard let recovery = state.openRecovery(at: confirm.time), recovery.isAbout(account.target) else {
            throw .recoveryUnknown
        }
        // No key confirms itself, and two accounts of one user are one person.
        guard case .employee(let confirmer) = decision.caller, confirmer.user != recovery.opener,
            KeyFingerprint(of: decision.signer) != account.target.fingerprint,
            AuthorityTable.permits(.confirmRecovery, about: account.subject(of: recovery.user), by: decision)
        else { throw .notPermitted }
        let isByKnownKey =
            confirmer.employee == recovery.employee
            && account.state.keys[decision.signer].map(recovery.isKnown) == true
        guard account.reach.suffices || isByKnownKey else { throw .otherCompanies }
        if recovery.confirmation != nil {
            guard isByKnownKey, !recovery.isConfirmedByKnownKey(of: account.state) else { return [] }
        }
        return [
            .recoveryConfirmed(
                RecoveryConfirmed(
                    recoveryID: recovery.id, userID: recovery.user, tenant: recovery.tenant,
                    employeeID: recovery.employee, opened: confirm.opened, confirmerID: confirmer.user,
                    by: decision.authority))
        ]
    }

    /// Cancels a recovery by any admin, by a device key of the account, or by a key that others ended meanwhile.
    ///
    /// Revoking a victim's devices therefore does not silence the victim.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ cancel: CancelRecovery) throws(Rejection) -> [UserEvent] {
        let decision = cancel.decision, account = cancel.account
        guard let recovery = state.openRecovery(at: cancel.time), recovery.isAbout(account.target) else {
            throw .recoveryUnknown
        }
        guard
            AuthorityTable.permits(.cancelRecovery, about: account.subject(of: recovery.user), by: decision)
                || mayObject(to: recovery, account.state, decision)
        else { throw .notPermitted }
        return [cancelled(recovery, cancel.reason, by: decision.authority)]
    }

    private static func mayObject(
        to recovery: Recovery, _ account: Employee.State, _ decision: AuthorityDecision
    ) -> Bool {
        guard case .employee(let caller) = decision.caller, caller.employee == recovery.employee,
            decision.statement.map({ $0.key == decision.signer }) ?? true,
            let holder = account.account, holder.id == recovery.employee, let key = account.keys[decision.signer]
        else { return false }
        return recovery.mayObject(key, of: holder)
    }

    /// Ends an open recovery after a log-in on a device key that may cancel: its owner has working credentials.
    ///
    /// The event names the account that the recovery is about. It does not reveal the tenant in which the user logged
    /// in.
    static func endRecovery(_ state: State, _ end: EndRecovery) -> [UserEvent] {
        guard let recovery = state.openRecovery(at: end.time), let reason = ReasonCode("login"),
            let holder = end.account.account, holder.user == recovery.user
        else { return [] }
        let mayEnd = end.account.keys[end.key].map { recovery.mayObject($0, of: holder) } ?? false
        guard mayEnd || end.replacesCredentials else { return [] }
        return [cancelled(recovery, reason, by: .employee(recovery.employee, nil))]
    }

    /// Sets new credentials once, with the recorded device key and decisions, after the waiting time.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ recover: RecoverCredentials) throws(Rejection) -> [UserEvent] {
        let event = recover.event, account = recover.account
        guard state.credentials?.id == event.previousCredentialID, state.id == event.userID,
            !state.everyCredential.contains(event.credentialID)
        else { throw .credentialsReplaced }
        guard let recovery = state.openRecovery(at: recover.time), recovery.isAbout(account.target),
            recovery.isApproved, recover.approvals == recovery.approvals
        else { throw .recoveryEnded }
        // The security admin's account is recovered only by succession, even if it got the role after the recovery was
        // opened.
        guard account.role != .securityAdmin else { throw .notPermitted }
        guard recover.signers.stand(about: account.role, of: recovery) else { throw .recoveryEnded }
        guard account.reach.suffices || recovery.isConfirmedByKnownKey(of: account.state) else { throw .otherCompanies }
        guard recovery.isAvailable(at: recover.time, account.state) else { throw .recoveryNotAvailable }
        return [.credentialsChanged(event)]
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

extension User {
    /// The account and device key that a decision about a recovery concerns.
    package struct RecoveryTarget: Sendable, Equatable {
        /// The tenant that decides.
        package var tenant: TenantID
        /// The user's account in that tenant.
        package var employee: EmployeeID
        /// The fingerprint of the new device key.
        package var fingerprint: KeyFingerprint

        package init(tenant: TenantID, employee: EmployeeID, fingerprint: KeyFingerprint) {
            self.tenant = tenant
            self.employee = employee
            self.fingerprint = fingerprint
        }
    }

    /// Whether the tenant's decisions suffice for a user, whose credentials are valid in all tenants.
    package struct RecoveryReach: Sendable, Equatable {
        /// Whether the user has accounts in other tenants.
        package var hasAccountsElsewhere: Bool
        /// Whether the user's address is in a confirmed domain of the tenant.
        package var ownsAddress: Bool

        package init(hasAccountsElsewhere: Bool, ownsAddress: Bool) {
            self.hasAccountsElsewhere = hasAccountsElsewhere
            self.ownsAddress = ownsAddress
        }

        /// Whether decisions of the tenant's admins suffice. Otherwise a device key of the account has to confirm.
        package var suffices: Bool { !hasAccountsElsewhere || ownsAddress }
    }

    /// The account that a recovery is about, as its tenant has it.
    package struct RecoveryAccount: Sendable, Equatable {
        /// The account and device key.
        package var target: RecoveryTarget
        /// The account with its device keys.
        package var state: Employee.State
        /// The role that the tenant gives it.
        package var role: EmployeeRole
        /// Whether the tenant's decisions suffice.
        package var reach: RecoveryReach

        package init(target: RecoveryTarget, state: Employee.State, role: EmployeeRole, reach: RecoveryReach) {
            self.target = target
            self.state = state
            self.role = role
            self.reach = reach
        }

        func subject(of user: UserID) -> AuthoritySubject { AuthoritySubject(target.employee, of: user, role: role) }
    }

    /// The command that opens a recovery.
    package struct OpenRecovery: Sendable, Equatable {
        package var id: RecoveryID
        package var account: RecoveryAccount
        package var decision: AuthorityDecision
        /// The tenant's delay.
        package var delay: Duration
        /// Whether the tenant has a single admin. One decision then suffices, after twice the delay.
        package var soleAdmin: Bool
        package var time: Timestamp

        package init(
            id: RecoveryID, account: RecoveryAccount, decision: AuthorityDecision, delay: Duration, soleAdmin: Bool,
            time: Timestamp
        ) {
            self.id = id
            self.account = account
            self.decision = decision
            self.delay = delay
            self.soleAdmin = soleAdmin
            self.time = time
        }

        /// The time in which no new credentials can be set.
        var wait: Duration { Self.wait(delay, soleAdmin: soleAdmin) }

        /// Returns the time in which no new credentials can be set after a recovery was opened.
        package static func wait(_ delay: Duration, soleAdmin: Bool) -> Duration { soleAdmin ? delay * 2 : delay }
    }

    /// The command that confirms a recovery.
    package struct ConfirmRecovery: Sendable, Equatable {
        package var account: RecoveryAccount
        /// The hash of the event that opened the recovery.
        package var opened: Bytes32
        package var decision: AuthorityDecision
        package var time: Timestamp

        package init(account: RecoveryAccount, opened: Bytes32, decision: AuthorityDecision, time: Timestamp) {
            self.account = account
            self.opened = opened
            self.decision = decision
            self.time = time
        }
    }

    /// The command that cancels a recovery before credentials are set.
    package struct CancelRecovery: Sendable, Equatable {
        package var account: RecoveryAccount
        package var reason: ReasonCode
        /// The decision. Its key may have ended meanwhile.
        package var decision: AuthorityDecision
        package var time: Timestamp

        package init(account: RecoveryAccount, reason: ReasonCode, decision: AuthorityDecision, time: Timestamp) {
            self.account = account
            self.reason = reason
            self.decision = decision
            self.time = time
        }
    }

    /// The command that ends a recovery because the user proved the credentials on a device.
    package struct EndRecovery: Sendable, Equatable {
        /// The account that logged in, in whichever tenant.
        package var account: Employee.State
        /// The device key of the log-in.
        package var key: PublicKeyBytes
        /// Whether the credentials are replaced at the same time, which leaves nothing to recover.
        package var replacesCredentials: Bool
        /// The time of the log-in.
        package var time: Timestamp

        /// A successful log-in, or a change of credentials, on a device.
        package init(
            account: Employee.State, key: PublicKeyBytes, replacesCredentials: Bool = false, time: Timestamp
        ) {
            self.account = account
            self.key = key
            self.replacesCredentials = replacesCredentials
            self.time = time
        }
    }

    /// The command that sets new credentials by a recovery.
    package struct RecoverCredentials: Sendable, Equatable {
        /// The new credentials. Their record was verified before.
        package var event: CredentialsChanged
        /// The account, with the device key of the flow.
        package var account: RecoveryAccount
        /// The positions of the events that the record names.
        package var approvals: [Int64]
        /// What the persons who opened and confirmed it are now.
        package var signers: RecoverySigners
        /// Now.
        package var time: Timestamp

        /// A completion of a recovery.
        package init(
            event: CredentialsChanged, account: RecoveryAccount, approvals: [Int64], signers: RecoverySigners,
            time: Timestamp
        ) {
            self.event = event
            self.account = account
            self.approvals = approvals
            self.signers = signers
            self.time = time
        }
    }

    /// The roles that the persons who opened and confirmed a recovery have at its completion; a cancelled one has none.
    package struct RecoverySigners: Sendable, Equatable {
        /// The role of the person who opened it.
        package var opener: EmployeeRole
        /// The role of the person who confirmed it; `nil` without a confirmation.
        package var confirmer: EmployeeRole?

        /// Two persons by their roles.
        package init(opener: EmployeeRole, confirmer: EmployeeRole?) {
            self.opener = opener
            self.confirmer = confirmer
        }

        /// The persons behind a recovery, as a tenant sees them now.
        package init(of recovery: Recovery?, in tenant: Tenant.State) {
            func role(_ authority: Authority?) -> EmployeeRole? {
                guard case .employee(let id, _)? = authority else { return nil }
                return tenant.role(of: id)
            }
            self.init(opener: role(recovery?.openedBy) ?? .employee, confirmer: role(recovery?.confirmation?.by))
        }

        /// Whether the decisions stand: both persons still have the authority that their decisions needed about somebody of
        /// this role. The owner of the account confirms with a key and needs no role.
        func stand(about role: EmployeeRole, of recovery: Recovery) -> Bool {
            guard opener == .securityAdmin || (opener == .admin && role == .employee) else { return false }
            guard case .employee(let id, _)? = recovery.confirmation?.by, id != recovery.employee else { return true }
            return confirmer?.isAdministrative == true
        }
    }
}
