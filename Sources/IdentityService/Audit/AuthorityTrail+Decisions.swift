import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Judges whether the deciders would have made an event from the state of its ledger.
extension AuthorityTrail {
    /// Returns what is wrong with an event, or `nil`.
    func judge(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        if let session = payload as? SessionOpened { return opened(event, session) }
        if let words = place(event, payload) ?? passkey(event, payload) { return words }
        switch payload {
        case let payload as EmployeeRegistered: return registered(event, payload)
        case let payload as EmployeeKeyAuthorized:
            return returns.isBroughtBack(event, payload) ? nil : authorized(event, payload)
        case let payload as EmployeeKeyRefused:
            return ended(event, .refuse, payload.employeeID, payload.key, payload.reason, payload.by)
        case let payload as EmployeeKeyRevoked:
            if returns.isUndone(event, payload) { return nil }
            return ended(event, .revoke, payload.employeeID, payload.key, payload.reason, payload.by)
        case is SessionClosed, is BrowserSessionOpened, is GrantOpened, is GrantClosed, is ConsentGiven,
            is ConsentWithdrawn:
            return openID.violation(event, payload, in: tenant, employees)
        case let payload as DeviceNamed: return named(event, payload)
        case let payload as DisplayNameSet: return named(event, payload)
        case let payload as WaitEnded: return waitEnded(event, payload)
        case let payload as DeviceMailConfirmed: return mailConfirmed(event, payload)
        case is ReturnRequested, is ReturnOpened, is ReturnCompleted, is ReturnCancelled:
            return returned(event, payload)
        case is RecoveryOpened, is RecoveryConfirmed, is RecoveryCancelled: return recovery(event, payload)
        default: break
        }
        return status(event, payload) ?? company(event, payload) ?? invitation(event, payload) ?? mpin(event, payload)
    }

    /// The tolerance by which an event's time in a tenant's ledger may be later than its decision, for rules that count
    /// minutes.
    static let appendTime = Duration.seconds(60)

    /// The earliest time at which an event was decided.
    func decidedAt(_ event: RecordedEvent) -> Timestamp {
        (times.earliest ?? event.time).adding(.zero - Self.appendTime)
    }

    /// Checks that an event is in the stream that it changes: the service folds streams, whatever the members say.
    private func place(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        let stream: StreamID
        let tenant = TenantID(event.ledger.uuid)
        if let payload = payload as? PasskeyValidated {
            stream = .passkey(payload, in: tenant)
        } else if EmployeeEvent(payload) != nil {
            guard let employee = event.data["employeeId"]?.uuid else { return "the event names no employee" }
            stream = .employee(EmployeeID(employee), in: tenant)
        } else if TenantEvent(payload) != nil {
            stream = .tenant(tenant)
        } else if InvitationEvent(payload) != nil {
            guard let invitation = event.data["invitationId"]?.uuid else { return "the event names no invitation" }
            stream = .invitation(InvitationID(invitation), in: tenant)
        } else if MPinTrail.types.contains(event.type) {
            return MPinTrail.isPlaced(event, payload) ? nil : "the event is not in its subject's stream"
        } else if let payload = payload as? WaitEnded {
            stream = .wait(payload.flow.uuid, in: tenant)
        } else if let payload = payload as? DeviceMailConfirmed {
            stream = .wait(payload.flow.uuid, in: tenant)
        } else {
            return nil
        }
        return event.stream == stream ? nil : "the event is not in its subject's stream"
    }

    /// The account as the table of authority knows one.
    func subject(_ employee: EmployeeID) -> AuthoritySubject? {
        employees[employee]?.account.map { AuthoritySubject(employee, of: $0.user, role: tenant.role(of: employee)) }
    }

    /// Asks a decider whether it would have made a signed decision.
    func decided<Event>(
        _ action: AuthorityTable.Action, about subject: AuthoritySubject, _ by: Authority, _ event: RecordedEvent,
        _ decide: (AuthorityDecision) throws -> [Event]
    ) -> String? {
        switch decision(action, about: subject, by, event) {
        case .not(let finding): return finding
        case .by(let decision):
            do {
                guard try decide(decision).isEmpty else { return nil }
                return "the event repeats an earlier decision"
            } catch {
                let isRefused =
                    error as? Employee.Rejection == .notPermitted || error as? Tenant.Rejection == .notPermitted
                    || error as? Invitation.Rejection == .notPermitted
                    || error as? MPinIdentity.Rejection == .notPermitted
                    || error as? MPinActivation.Rejection == .notPermitted
                guard !isRefused,
                    AuthorityTable.permits(
                        action, about: subject, by: decision, under: policy(action), at: decidedAt(event))
                else {
                    return AuthorityWords.notPermitted(action, subject)
                }
                let reason = (error as? any CodedRejection).map { ": \($0)" } ?? ""
                return "the decision is refused in this state (\(action.rawValue))\(reason)"
            }
        }
    }

    /// The policy that selects among the capacities of an action.
    private func policy(_ action: AuthorityTable.Action) -> KeyAuthorization {
        action == .authorizeKey ? tenant.policy.keyAuthorization : .application
    }

    /// Returns what is wrong with a signed decision, or with its statement. For the operator the signature binds the
    /// whole event.
    func signed(_ finding: String?, _ by: Authority, _ words: @autoclosure () -> String?) -> String? {
        if case .operator = by { return finding }
        return by.statement == nil ? finding : finding ?? words()
    }

    // MARK: Accounts and keys

    /// A registration approves only if the policy does, and founds only at the first position.
    private func registered(_ event: RecordedEvent, _ payload: EmployeeRegistered) -> String? {
        guard employees[payload.employeeID]?.account == nil else {
            return "an account is registered a second time"
        }
        let isFounding = event.position == 1
        guard payload.approved == (isFounding || tenant.policy.approval == .automatic) else {
            return "the account is not approved as the policy says"
        }
        return nil
    }

    private func authorized(_ event: RecordedEvent, _ payload: EmployeeKeyAuthorized) -> String? {
        if case .founding = payload.by {
            guard root == nil, payload.employeeID == tenant.founder else {
                return "a key that is not the founder's first has no signature"
            }
            return nil
        }
        guard payload.by.statement != nil else { return AuthorityWords.unsigned(.authorizeKey) }
        guard let subject = subject(payload.employeeID), let state = employees[payload.employeeID] else {
            return "there is no such account"
        }
        let finding = decided(.authorizeKey, about: subject, payload.by, event) { decision in
            try Employee.decide(
                state,
                .authorizeKey(
                    Employee.AuthorizeKey(key: payload.key, decision: decision, tenant: tenant, time: event.time)))
        }
        return signed(
            finding, payload.by, aboutKey(event, .authorize, payload.key, payload.employeeID, payload.by))
    }

    private func ended(
        _ event: RecordedEvent, _ action: KeyStatement.Action, _ employee: EmployeeID, _ key: PublicKeyBytes,
        _ reason: ReasonCode, _ by: Authority
    ) -> String? {
        guard let subject = subject(employee), let state = employees[employee] else {
            return "there is no such account"
        }
        let finding = decided(.endKey, about: subject, by, event) { decision in
            let end = Employee.EndKey(key: key, reason: reason, decision: decision, tenant: tenant, time: event.time)
            return try Employee.decide(state, action == .refuse ? .refuseKey(end) : .revokeKey(end))
        }
        return signed(finding, by, aboutKey(event, action, key, employee, by))
    }

    /// Only the owner names a device, and the text is encrypted under the owner's key, which an erasure destroys.
    private func named(_ event: RecordedEvent, _ payload: DeviceNamed) -> String? {
        guard let state = employees[payload.employeeID], let key = state.key(payload.fingerprint),
            state.account?.isCancelled == false, key.status == .pending || key.status == .authorized
        else { return "a device is named that the account does not have" }
        guard event.actor == payload.employeeID.uuid, payload.name.owner == payload.employeeID.uuid else {
            return "a device is named by somebody else than its owner"
        }
        guard state.namings[payload.fingerprint, default: 0] < Employee.namingLimit else {
            return "a device is named too often"
        }
        return nil
    }

    /// Only the owner sets the name that colleagues see, sealed in the same way.
    private func named(_ event: RecordedEvent, _ payload: DisplayNameSet) -> String? {
        guard let state = employees[payload.employeeID], state.account?.isCancelled == false else {
            return "a person is named whose account does not exist or is closed"
        }
        let owner = payload.employeeID.uuid
        guard event.actor == owner, payload.name?.owner ?? owner == owner else {
            return "a person is named by somebody else"
        }
        return state.displayNamings < Employee.namingLimit ? nil : "a person is named too often"
    }

    static let passkeyNeeded = "a session is opened on a device key that is no passkey, and the company asks for one"

    /// A session needs a link of the app through which it was opened, and a key that nothing stopped.
    private func opened(_ event: RecordedEvent, _ payload: SessionOpened) -> String? {
        if isStopped(payload, at: event.time) { return Self.stopped }
        guard tenant.links[payload.appID] != nil else { return "a session is opened by an app that is not linked" }
        // A log is full of sessions.
        guard tenant.policy.logIn == .passkey, let state = employees[payload.employeeID] else { return nil }
        return state.mayOpenSession(on: payload.fingerprint, in: tenant, at: decidedAt(event))
            ? nil : Self.passkeyNeeded
    }

    // MARK: Status

    private func status(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        switch payload {
        case let payload as EmployeeApproved:
            return decidedAbout(event, .approve, .approve, payload.employeeID, payload.by) { state, by in
                try Employee.decide(state, .approve(Employee.Approve(by: by)))
            } ?? verified(payload)
        case let payload as EmployeeCancelled: return cancelled(event, payload)
        case let payload as EmployeeReinstated:
            return decidedAbout(event, .reinstate, .reinstate, payload.employeeID, payload.by) { state, by in
                try Employee.decide(state, .reinstate(Employee.Reinstate(by: by)))
            }
        case let payload as EmployeeSessionsEnded:
            return decidedAbout(event, .endSessions, .endSessions, payload.employeeID, payload.by) { state, by in
                try Employee.decide(state, .endSessions(Employee.EndSessions(reason: payload.reason, by: by)))
            }
        case let payload as EmailReclaimed:
            return reclaimed(event, payload.by, subject(payload.employeeID) ?? .newcomer, payload.userID)
        case let payload as AddressReclaimed: return reclaimed(event, payload.by, .newcomer, payload.userID)
        case let payload as EmployeeEmailChanged: return emailChanged(event, payload)
        case let payload as EmployeeErased: return erased(event, payload.employeeID, payload.by)
        case let payload as EmployeeIdReleased: return released(event, payload)
        default: return nil
        }
    }

    private func decidedAbout(
        _ event: RecordedEvent, _ action: AuthorityTable.Action, _ statement: EmployeeStatement.Action,
        _ employee: EmployeeID, _ by: Authority,
        _ decide: (Employee.State, Employee.StatusDecision) throws -> [EmployeeEvent]
    ) -> String? {
        guard let subject = subject(employee), let state = employees[employee] else {
            return "there is no such account"
        }
        let finding = decided(action, about: subject, by, event) { decision in
            try decide(state, Employee.StatusDecision(role: tenant.role(of: employee), decision: decision))
        }
        return signed(finding, by, aboutEmployee(event, statement, employee, by))
    }

    /// The owner signs a change of the address in one account. The cause of others is an event of the directory.
    private func emailChanged(_ event: RecordedEvent, _ payload: EmployeeEmailChanged) -> String? {
        guard let state = employees[payload.employeeID], let account = state.account, account.user == payload.userID
        else { return "there is no such account" }
        guard payload.email.owner == payload.employeeID.uuid else { return "the address is not the account's" }
        if case .policy = payload.by { return nil }
        guard let subject = payload.subject, let salt = payload.subjectSalt, salt.owner == payload.employeeID.uuid
        else {
            return "a signed change of an address has no commitment"
        }
        let finding = decided(.changeEmail, about: self.subject(account.id) ?? .newcomer, payload.by, event) {
            decision in
            let by = Employee.StatusDecision(role: tenant.role(of: account.id), decision: decision)
            guard account.status == .active,
                AuthorityTable.permits(
                    .changeEmail, about: AuthoritySubject(account.id, of: account.user, role: by.role), by: decision)
            else { throw Employee.Rejection.notPermitted }
            return [account.id]
        }
        return signed(
            finding, payload.by,
            compare(event, payload.by, .emailChange, isOwn: true) { (signed: EmailChangeStatement, facts) in
                facts.emailChange(of: account.id, to: subject.bytes, reason: signed.reason)
            })
    }

    /// Only an admin's approval verifies an address, in a tenant with a confirmed domain.
    private func verified(_ payload: EmployeeApproved) -> String? {
        guard payload.emailVerified else { return nil }
        if case .employee = payload.by, !tenant.confirmedDomains.isEmpty { return nil }
        return "the approval verifies an address without a confirmed domain or an admin"
    }

    /// A cancellation is a separate decision, or goes with a reclaimed address or an erasure.
    private func cancelled(_ event: RecordedEvent, _ payload: EmployeeCancelled) -> String? {
        // An erasure must follow; otherwise the trail reports it with the next event.
        if case .operator = payload.by { return erased(event, payload.employeeID, payload.by) }
        guard let account = employees[payload.employeeID]?.account else { return "there is no such account" }
        let isReclaim = payload.by.statement.map { $0.statement.starts(with: SignatureTag.emailReclaim.line) } ?? false
        guard isReclaim || payload.reason == .reclaimed else {
            return decidedAbout(event, .cancel, .cancel, payload.employeeID, payload.by) { state, by in
                try Employee.decide(state, .cancel(Employee.Cancel(by: by)))
            }
        }
        guard payload.reason == .cancelled || account.isReclaimed else {
            return "an account is cancelled for an address that was not reclaimed"
        }
        let subject = AuthoritySubject(account.id, of: account.user, role: tenant.role(of: account.id))
        return reclaimed(event, payload.by, subject, account.user)
    }

    private func reclaimed(
        _ event: RecordedEvent, _ by: Authority, _ subject: AuthoritySubject, _ user: UserID
    ) -> String? {
        let finding = decided(.reclaimEmail, about: subject, by, event) { decision in
            guard AuthorityTable.permits(.reclaimEmail, about: subject, by: decision) else {
                throw Tenant.Rejection.notPermitted
            }
            guard !tenant.confirmedDomains.isEmpty else { throw Employee.Rejection.emailNotReclaimable }
            return [user]
        }
        return signed(finding, by, aboutAddress(event, user, by))
    }

    private func erased(_ event: RecordedEvent, _ employee: EmployeeID, _ by: Authority) -> String? {
        guard let subject = subject(employee), let state = employees[employee] else {
            return "there is no such account"
        }
        return decided(.erase, about: subject, by, event) { decision in
            try Employee.decide(
                state,
                .erase(
                    Employee.Erase(
                        role: tenant.role(of: employee), includesSecurityAdmin: true, decision: decision)))
        }
    }

    /// An id is released with a cancellation, or by policy after its time or when somebody with an invitation
    /// registers.
    private func released(_ event: RecordedEvent, _ payload: EmployeeIdReleased) -> String? {
        guard let state = employees[payload.employeeID], let account = state.account else {
            return "there is no such account"
        }
        guard state.isProvisional else { return "the released employee id is no longer provisional" }
        switch (payload.reason, payload.by) {
        case (.cancelled, let by) where account.isCancelled && by == account.cancelledBy: return nil
        case (.expired, .policy):
            let end = account.registeredAt.adding(Employee.provisionalLifetime)
            return end <= event.time ? nil : "the employee id is released before its time is over"
        // The use of the invitation is the cause that it names.
        case (.invited, .policy): return nil
        default: return "the employee id is released without authority"
        }
    }
}
