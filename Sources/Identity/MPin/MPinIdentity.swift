package import Canonical
package import ErrorCodes

/// The M-Pin identity of one user id on one device: its registration, its counts of wrong proofs and its end.
///
/// A decision appends to the stream that it was made on, at the version that was folded. So the counts are exact: of two
/// proofs that race, the second is decided again on the state after the first.
package enum MPinIdentity: Decider {
    package typealias Event = MPinIdentityEvent

    /// The state before the registration starts.
    package static let initial = State()

    /// The time in which a started registration must be verified.
    package static let registrationWindow: Duration = .seconds(3_600)
    /// The time, from the verification, in which a registration must be completed.
    package static let issuingWindow: Duration = .seconds(3_600)
    /// The number of wrong proofs that blocks an identity however far apart they are. It keeps the stream short.
    package static let lifetimeLimit = 50

    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [MPinIdentityEvent] {
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
        case .giveWay(let user):
            state.link != nil && state.end == nil && !state.isErased
                ? [.revoked(MPinRevoked(reason: .gaveWay, by: .policy, userID: user))] : []
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

extension MPinIdentity {
    /// The state of an identity, folded from its events.
    package struct State: Sendable, Equatable {
        /// The registration as it started; `nil` before.
        package internal(set) var registration: Registration?
        /// How far the registration has come; `nil` before it starts.
        package internal(set) var progress: Progress?
        /// When the registration first started. A restart does not change it.
        package internal(set) var firstStartedAt: Timestamp?
        /// When the registration last started: at first, or by a restart.
        package internal(set) var startedAt: Timestamp?
        /// When the registration that last started expires, or would have expired unverified. Its mailed link does too.
        package internal(set) var startedUntil: Timestamp?
        /// How the identity was verified last; `nil` while it is not.
        package internal(set) var verifiedBy: MPinVerificationMethod?
        /// The employee's device that the identity is linked to; `nil` for an identity without an account.
        package internal(set) var link: DeviceLink?
        /// The client key whose share was issued last.
        package internal(set) var key: IssuedKey?
        /// The number of consecutive wrong proofs.
        package internal(set) var failures = 0
        /// The number of wrong proofs in all.
        package internal(set) var lifetimeFailures = 0
        /// How the identity ended; `nil` if it has not. Expiry ends it without an event.
        package internal(set) var end: End?
        /// Whether the personal data was erased, which ends the identity too.
        package internal(set) var isErased = false

        package func status(at time: Timestamp) -> Status {
            guard registration != nil, let progress else { return .unknown }
            switch end {
            case .blocked: return .blocked
            case .revoked: return .revoked
            case nil: break
            }
            if isErased { return .revoked }
            switch progress {
            case .started(let until): return time < until ? .started : .expired
            case .activated(let until): return time < until ? .activated : .expired
            case .issued(let until): return time < until ? .issued : .expired
            case .registered: return .registered
            }
        }

        /// The end of the step that the registration is in; `nil` for a registered identity.
        package var deadline: Timestamp? {
            switch progress {
            case .started(let until), .activated(let until), .issued(let until): until
            case .registered, nil: nil
            }
        }

        /// Whether nobody has verified the identity, linked it or ended it. It then gives way to one that is verified.
        package var isUnverified: Bool {
            guard registration != nil, end == nil, !isErased, link == nil, case .started = progress else {
                return false
            }
            return true
        }

        /// Whether the identity is linked and has not ended. It then gives way once its device key has ended for good.
        var endsWithDevice: Bool { registration != nil && end == nil && !isErased && link != nil }
    }

    /// The status of an identity at a time.
    package enum Status: String, Sendable, Hashable, CaseIterable {
        /// No registration started.
        case unknown
        /// The registration waits for verification.
        case started
        /// The identity is verified and may fetch its client key.
        case activated
        /// The client key was issued and the first right proof is outstanding.
        case issued
        /// The identity authenticates.
        case registered
        /// The registration was not completed in time. It can start again.
        case expired
        /// Wrong proofs ended the identity.
        case blocked
        /// A decision, a rule or an erasure ended the identity.
        case revoked
    }

    /// How far a registration has come, with the time at which it expires.
    package enum Progress: Sendable, Equatable {
        /// It waits for verification.
        case started(until: Timestamp)
        /// It is verified.
        case activated(until: Timestamp)
        /// The client key was issued.
        case issued(until: Timestamp)
        /// It is complete and expires no more.
        case registered
    }

    /// How an identity ended.
    package enum End: Sendable, Equatable {
        /// Wrong proofs reached a limit.
        case blocked(MPinBlockReason)
        case revoked(MPinRevocationReason)
    }

    /// A registration as it started.
    package struct Registration: Sendable, Equatable {
        package let id: MPinIdentityID
        /// The SHA-256 of the M-Pin ID.
        package let mpinIDHash: Bytes32
        /// The user id as entered.
        package let userID: Personal
        package let deviceName: Personal?
        /// How the identity is to be verified.
        package let verification: MPinVerificationMode
        package let place: EventPlace

        init(_ event: MPinRegistrationStarted, at place: EventPlace) {
            id = event.identityID
            mpinIDHash = event.mpinIDHash
            userID = event.userID
            deviceName = event.deviceName
            verification = event.verification
            self.place = place
        }
    }

    /// The link of an identity to an employee's device.
    package struct DeviceLink: Sendable, Equatable {
        package let employee: EmployeeID
        /// The device key that signed the link.
        package let fingerprint: KeyFingerprint
        package let place: EventPlace
    }

    /// A client key whose share was issued.
    package struct IssuedKey: Sendable, Equatable {
        package let suite: MPinKeySuite
        /// The epoch of the master secrets. A repeated issue uses this epoch, so that it returns the same share.
        package let epoch: Int
        package let pushIdentifier: Personal?
    }

    /// Applies an event to the state. An identity starts once, and nothing but an erasure follows its end.
    package static func evolve(_ state: inout State, _ recorded: Recorded<MPinIdentityEvent>) {
        if case .erased = recorded.event { state.isErased = true }
        guard state.end == nil, !state.isErased else { return }
        switch recorded.event {
        case .started(let event):
            guard state.registration == nil else { return }
            state.registration = Registration(event, at: recorded.place)
            state.progress = .started(until: event.expiresAt)
            state.firstStartedAt = recorded.time
            state.startedAt = recorded.time
            state.startedUntil = event.expiresAt
        case .restarted(let event):
            state.progress = .started(until: event.expiresAt)
            state.startedAt = recorded.time
            state.startedUntil = event.expiresAt
            state.verifiedBy = nil
        case .linked(let event):
            guard state.link == nil else { return }
            state.link = DeviceLink(
                employee: event.employeeID, fingerprint: event.fingerprint, place: recorded.place)
        case .verified(let event):
            state.progress = .activated(until: event.issueUntil)
            state.verifiedBy = event.method
        case .keyIssued(let event):
            state.key = IssuedKey(suite: event.suite, epoch: event.epoch, pushIdentifier: event.pushIdentifier)
            if case .activated(let until) = state.progress { state.progress = .issued(until: until) }
        case .registered: state.progress = .registered
        case .authenticationFailed:
            state.failures += 1
            state.lifetimeFailures += 1
        case .failuresCleared: state.failures = 0
        case .blocked(let event): state.end = .blocked(event.reason)
        case .revoked(let event): state.end = .revoked(event.reason)
        case .erased: break
        }
    }
}

extension MPinIdentity {
    package enum Command: Sendable, Equatable {
        case start(Start)
        /// Start the registration again, unverified, before it is verified or after it expired.
        case restart(MPinPolicy, at: Timestamp)
        /// Verify the identity. The proof was checked before.
        case verify(VerificationProof, at: Timestamp)
        /// Link the identity to an employee's account, which verifies it too.
        case link(Link)
        /// Issue the service's share of the client key.
        case issueKey(IssueKey)
        /// Take the verdict about a proof.
        case prove(Proof)
        case revoke(Revoke)
        /// End the identity if it is unverified, because another one of the user id is verified or linked.
        case supersede
        /// End the identity if it is linked, because its device key has ended for good and another identity of the
        /// user id needs the place. The caller has checked the key.
        case endWithDevice
        /// End the identity if it is linked, because the address that is its user id gave way. The caller has checked
        /// that the linked account is the user's.
        case giveWay(UserID)
        /// End the identity if its registration has expired.
        case expire(at: Timestamp)
        /// Erase the personal data.
        case erase(AuthorityDecision)
    }

    /// What verifies an identity, apart from the device that links it.
    package enum VerificationProof: Sendable, Equatable {
        /// The link in a mail to the user id.
        case email
        /// A right activation code, whose use the same append records.
        case code
        /// The decision of an app or an admin.
        case application(AuthorityDecision)
    }

    /// The command that starts a registration.
    package struct Start: Sendable, Equatable {
        /// The new identity's random id.
        package var id: MPinIdentityID
        /// The SHA-256 of the M-Pin ID.
        package var mpinIDHash: Bytes32
        package var userID: MPinUserID
        /// The name of the device, if it gives one.
        package var deviceName: MPinDeviceText?
        package var policy: MPinPolicy
        /// What verifies the identity at once, if anything does. A mail never does.
        package var verifiedBy: VerificationProof?
        package var time: Timestamp

        package init(
            id: MPinIdentityID, mpinIDHash: Bytes32, userID: MPinUserID, deviceName: MPinDeviceText? = nil,
            policy: MPinPolicy, verifiedBy: VerificationProof? = nil, time: Timestamp
        ) {
            self.id = id
            self.mpinIDHash = mpinIDHash
            self.userID = userID
            self.deviceName = deviceName
            self.policy = policy
            self.verifiedBy = verifiedBy
            self.time = time
        }
    }

    /// The command that links an identity to the account of the device that signs.
    ///
    /// The user id must be the account's address or employee id, so the state needs the text of the user id. Without it
    /// the link is refused.
    package struct Link: Sendable, Equatable {
        /// The account.
        package var subject: AuthoritySubject
        /// The account's address, if it has one.
        package var email: EmailAddress?
        /// The account's employee id.
        package var companyEmployeeID: CompanyEmployeeID?
        /// The decision by a device key of the account.
        package var decision: AuthorityDecision
        package var policy: MPinPolicy
        package var time: Timestamp

        package init(
            subject: AuthoritySubject, email: EmailAddress?, companyEmployeeID: CompanyEmployeeID?,
            decision: AuthorityDecision, policy: MPinPolicy, time: Timestamp
        ) {
            self.subject = subject
            self.email = email
            self.companyEmployeeID = companyEmployeeID
            self.decision = decision
            self.policy = policy
            self.time = time
        }
    }

    /// The command that issues the service's share of a client key.
    package struct IssueKey: Sendable, Equatable {
        package var suite: MPinKeySuite
        /// The epoch of the master secrets.
        package var epoch: Int
        /// The push identifier of the device, if it gives one.
        package var pushIdentifier: MPinDeviceText?
        package var policy: MPinPolicy
        /// The status of the linked employee. A linked identity without an active employee is refused.
        package var linkedStatus: EmployeeStatus?
        /// The time of the request.
        package var time: Timestamp

        package init(
            suite: MPinKeySuite, epoch: Int, pushIdentifier: MPinDeviceText? = nil, policy: MPinPolicy,
            linkedStatus: EmployeeStatus? = nil, time: Timestamp
        ) {
            self.suite = suite
            self.epoch = epoch
            self.pushIdentifier = pushIdentifier
            self.policy = policy
            self.linkedStatus = linkedStatus
            self.time = time
        }
    }

    /// The verdict about a proof.
    ///
    /// A right proof of a registered identity has no event in the identity's stream. The flow's ``MPinAuthenticated``
    /// must then be appended on condition that the stream has not changed.
    package struct Proof: Sendable, Equatable {
        package var isRight: Bool
        package var policy: MPinPolicy
        /// The status of the linked employee. A linked identity without an active employee is refused.
        package var linkedStatus: EmployeeStatus?
        /// The time of the verdict.
        package var time: Timestamp

        package init(isRight: Bool, policy: MPinPolicy, linkedStatus: EmployeeStatus? = nil, time: Timestamp) {
            self.isRight = isRight
            self.policy = policy
            self.linkedStatus = linkedStatus
            self.time = time
        }
    }

    /// The command that revokes an identity.
    package struct Revoke: Sendable, Equatable {
        /// The account that the identity is linked to; `nil` if it is not linked.
        package var account: AuthoritySubject?
        /// Whether the tenant reclaims the address that is the user id. The decision is then one to reclaim it.
        package var isReclaim: Bool
        package var decision: AuthorityDecision

        package init(account: AuthoritySubject?, isReclaim: Bool = false, decision: AuthorityDecision) {
            self.account = account
            self.isReclaim = isReclaim
            self.decision = decision
        }
    }

    /// The reasons to reject a command. A rejection appends nothing.
    package enum Rejection: CodedRejection, CaseIterable {
        /// There is no such identity.
        case unknown
        /// The identity is not verified, or has no client key, or its registration expired; or the identity that a
        /// proof names does not exist.
        case unauthorized
        /// The state of the identity does not permit the command.
        case wrongState
        /// The registration expired. It can start again.
        case expired
        /// Wrong proofs blocked the identity.
        case blocked
        /// The identity was revoked or erased.
        case revoked
        /// The registration is complete, so no client key is issued.
        case alreadyRegistered
        /// The user id is neither the address nor the employee id of the account.
        case otherUserID
        case notPermitted
        /// The tenant's policy does not permit M-Pin.
        case disabled
        /// The linked employee is not active.
        case inactive

        package var code: ErrorCode {
            switch self {
            case .unknown: .mpinUnknown
            case .unauthorized: .mpinUnauthorized
            case .wrongState, .expired: .mpinWrongState
            case .revoked: .mpinEnded
            case .blocked: .mpinBlocked
            case .alreadyRegistered, .otherUserID: .requestInvalid
            case .notPermitted: .authorizationNotPermitted
            case .disabled: .mpinDisabled
            case .inactive: .employeeInactive
            }
        }
    }
}
