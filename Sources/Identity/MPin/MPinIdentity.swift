import Canonical

/// The M-Pin identity of one user id on one device: its registration, its counts of wrong proofs and its end.
///
/// A decision appends to the stream that it was made on, at the version that was folded. So the counts are exact: of two
/// proofs that race, the second is decided again on the state after the first.
public enum MPinIdentity: Decider {
    /// The events of an identity.
    public typealias Event = MPinIdentityEvent

    /// The state before the registration starts.
    public static let initial = State()

    /// The time in which a started registration must be verified.
    public static let registrationWindow: Duration = .seconds(3_600)
    /// The time, from the verification, in which a registration must be completed.
    public static let issuingWindow: Duration = .seconds(3_600)
    /// The number of wrong proofs that blocks an identity however far apart they are. It keeps the stream short.
    public static let lifetimeLimit = 50

    /// Decides a command: returns its events, or none if the state already is as requested. Throws ``Rejection``.
    public static func decide(_ state: State, _ command: Command) throws(Rejection) -> [MPinIdentityEvent] {
        switch command {
        case .start(let start): try decide(state, start)
        case .restart(let policy, let time): try restart(state, policy, time)
        case .verify(let proof, let time): try verify(state, proof, time)
        case .link(let link): try decide(state, link)
        case .issueKey(let issue): try decide(state, issue)
        case .prove(let proof): try decide(state, proof)
        case .revoke(let revoke): try decide(state, revoke)
        case .supersede: state.isUnverified ? [.revoked(MPinRevoked(reason: .superseded, by: .policy))] : []
        case .endWithDevice: state.endsWithDevice ? [.revoked(MPinRevoked(reason: .superseded, by: .policy))] : []
        case .expire(let time):
            state.status(at: time) == .expired ? [.revoked(MPinRevoked(reason: .expired, by: .policy))] : []
        case .erase(let decision): try erase(state, decision)
        }
    }

    // MARK: Registration

    private static func decide(_ state: State, _ start: Start) throws(Rejection) -> [MPinIdentityEvent] {
        guard state.registration == nil else { throw .wrongState }
        guard start.policy.enabled else { throw .disabled }
        func personal(_ text: String) -> Personal { Personal(owner: start.id.uuid, text: text) }
        let started = MPinIdentityEvent.started(
            MPinRegistrationStarted(
                identityID: start.id, mpinIDHash: start.mpinIDHash, userID: personal(start.userID.entered),
                deviceName: start.deviceName.map { personal($0.text) }, verification: start.policy.verification,
                expiresAt: start.time.adding(registrationWindow)))
        switch start.verifiedBy {
        case nil: return [started]
        // A policy that asks for a mail is not met by an app that merely starts.
        case .application where start.policy.verification != .application, .email: throw .notPermitted
        case .application(let decision):
            try checkVerifier(decision)
            return [started, verified(.application, decision.authority, start.time)]
        case .code: return [started, verified(.code, .policy, start.time)]
        }
    }

    /// A restart keeps the link and the counts of wrong proofs, so that nobody gets rid of them by expiry.
    private static func restart(
        _ state: State, _ policy: MPinPolicy, _ time: Timestamp
    ) throws(Rejection) -> [MPinIdentityEvent] {
        switch try live(state, at: time) {
        case .started, .expired: break
        case .activated, .issued, .registered: throw .wrongState
        }
        guard policy.enabled else { throw .disabled }
        return [.restarted(MPinRegistrationRestarted(expiresAt: time.adding(registrationWindow)))]
    }

    private static func verify(
        _ state: State, _ proof: VerificationProof, _ time: Timestamp
    ) throws(Rejection) -> [MPinIdentityEvent] {
        let stage = try live(state, at: time)
        if case .application(let decision) = proof { try checkVerifier(decision) }
        switch stage {
        case .expired: throw .expired
        case .activated, .issued, .registered: return []
        case .started: break
        }
        // What proves a mailbox must not bring a client key of somebody's account.
        guard state.link == nil else { throw .wrongState }
        switch proof {
        case .email:
            guard state.registration?.verification == .email else { throw .wrongState }
            return [verified(.email, .policy, time)]
        case .code: return [verified(.code, .policy, time)]
        case .application(let decision): return [verified(.application, decision.authority, time)]
        }
    }

    private static func decide(_ state: State, _ link: Link) throws(Rejection) -> [MPinIdentityEvent] {
        let stage = try live(state, at: link.time)
        guard link.policy.enabled else { throw .disabled }
        guard AuthorityTable.permits(.linkMPin, about: link.subject, by: link.decision),
            let employee = link.subject.employee
        else { throw .notPermitted }
        let fingerprint = KeyFingerprint(of: link.decision.signer), by = link.decision.authority
        guard stage != .expired else { throw .expired }
        var events: [MPinIdentityEvent] = []
        if let linked = state.link {
            guard linked.employee == employee, linked.fingerprint == fingerprint else { throw .wrongState }
        } else {
            // Whoever has a client key already need not be the device that signs.
            guard state.key == nil, stage == .started || stage == .activated else { throw .wrongState }
            guard let text = state.registration?.userID.text, let userID = try? MPinUserID(text),
                userID.names(link.email, link.companyEmployeeID)
            else { throw .otherUserID }
            events.append(.linked(MPinLinked(employeeID: employee, fingerprint: fingerprint, by: by)))
        }
        if stage == .started { events.append(verified(.device, by, link.time)) }
        return events
    }

    private static func decide(_ state: State, _ issue: IssueKey) throws(Rejection) -> [MPinIdentityEvent] {
        let stage = try live(state, at: issue.time)
        try checkUse(state, issue.policy, issue.linkedStatus)
        switch stage {
        case .started, .expired: throw .unauthorized
        case .registered: throw .alreadyRegistered
        case .issued: return []
        case .activated:
            let push = issue.pushIdentifier.flatMap { text in
                state.registration.map { Personal(owner: $0.id.uuid, text: text.text) }
            }
            return [
                .keyIssued(MPinClientKeyIssued(suite: issue.suite, epoch: issue.epoch, pushIdentifier: push))
            ]
        }
    }

    // MARK: Authentication

    private static func decide(_ state: State, _ proof: Proof) throws(Rejection) -> [MPinIdentityEvent] {
        guard state.registration != nil else { throw .unauthorized }
        let stage = try live(state, at: proof.time)
        try checkUse(state, proof.policy, proof.linkedStatus)
        switch stage {
        case .started, .activated, .expired: throw .unauthorized
        case .issued, .registered: break
        }
        guard proof.isRight else { return failed(state, proof.policy) }
        var events: [MPinIdentityEvent] = []
        if stage == .issued { events.append(.registered(MPinRegistered())) }
        if state.failures > 0 { events.append(.failuresCleared(MPinFailuresCleared())) }
        return events
    }

    /// Counts a wrong proof, and blocks at the limit in force now or at the limit of a lifetime.
    private static func failed(_ state: State, _ policy: MPinPolicy) -> [MPinIdentityEvent] {
        let range = MPinPolicy.failureRange
        let limit = min(max(policy.maximumFailures, range.lowerBound), range.upperBound)
        let failures = state.failures + 1, lifetime = state.lifetimeFailures + 1
        let event = MPinIdentityEvent.authenticationFailed(
            MPinAuthenticationFailed(failures: failures, limit: limit, lifetime: lifetime))
        if failures >= limit { return [event, .blocked(MPinBlocked(reason: .failures))] }
        if lifetime >= lifetimeLimit { return [event, .blocked(MPinBlocked(reason: .lifetime))] }
        return [event]
    }

    // MARK: End

    private static func decide(_ state: State, _ revoke: Revoke) throws(Rejection) -> [MPinIdentityEvent] {
        guard state.registration != nil else { throw .unknown }
        guard state.link?.employee == revoke.account?.employee else { throw .notPermitted }
        let action: AuthorityTable.Action = revoke.isReclaim ? .reclaimEmail : .revokeMPin
        guard AuthorityTable.permits(action, about: revoke.account ?? .newcomer, by: revoke.decision) else {
            throw .notPermitted
        }
        switch state.end {
        case .revoked: return []
        case .blocked: throw .blocked
        case nil: break
        }
        guard !state.isErased else { return [] }
        let reason: MPinRevocationReason = revoke.isReclaim ? .reclaimed : .revoked
        return [.revoked(MPinRevoked(reason: reason, by: revoke.decision.authority))]
    }

    private static func erase(_ state: State, _ decision: AuthorityDecision) throws(Rejection) -> [MPinIdentityEvent] {
        guard state.registration != nil else { throw .unknown }
        // The table has the same row for every account.
        guard AuthorityTable.permits(.erase, about: .newcomer, by: decision) else { throw .notPermitted }
        return state.isErased ? [] : [.erased(MPinErased(by: decision.authority))]
    }

    // MARK: Shared checks

    /// The stage of an identity that has not ended.
    private static func live(_ state: State, at time: Timestamp) throws(Rejection) -> Stage {
        switch state.status(at: time) {
        case .unknown: throw .unknown
        case .blocked: throw .blocked
        case .revoked: throw .revoked
        case .started: return .started
        case .activated: return .activated
        case .issued: return .issued
        case .registered: return .registered
        case .expired: return .expired
        }
    }

    private enum Stage { case started, activated, issued, registered, expired }

    private static func checkVerifier(_ decision: AuthorityDecision) throws(Rejection) {
        guard AuthorityTable.permits(.verifyMPin, about: .newcomer, by: decision) else { throw .notPermitted }
    }

    /// Refuses keys and proofs where M-Pin is off, and those of an employee who is not active.
    private static func checkUse(
        _ state: State, _ policy: MPinPolicy, _ status: EmployeeStatus?
    ) throws(Rejection) {
        guard policy.enabled else { throw .disabled }
        guard state.link == nil || status == .active else { throw .inactive }
    }

    private static func verified(
        _ method: MPinVerificationMethod, _ by: Authority, _ time: Timestamp
    ) -> MPinIdentityEvent {
        .verified(MPinIdentityVerified(method: method, issueUntil: time.adding(issuingWindow), by: by))
    }
}
