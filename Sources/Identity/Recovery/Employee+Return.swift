package import Canonical

extension Employee {
    /// The shortest wait between the opening and the completion of a return.
    package static let returnMinimumWait: Duration = .seconds(48 * 3_600)
    /// The time in which a return may be completed once it is available.
    package static let returnLifetime: Duration = .seconds(72 * 3_600)
    /// The time for which the link that opens a return is valid.
    package static let returnRequestLifetime: Duration = .seconds(86_400)
    /// The window of a return. A device key that was in force within it before the opening cancels, and undoes within
    /// it after the completion. An address or recovered credentials that are younger open no return.
    package static let returnWindow: Duration = .seconds(30 * 86_400)

    /// The time after the founding in which a founder's confirmed address counts for a return at once.
    package static let foundersDay: Duration = .seconds(86_400)

    /// The wait of a return in a tenant with this recovery delay.
    package static func returnWait(_ delay: Duration) -> Duration { max(delay * 2, returnMinimumWait) }

    /// A request for a return whose mail was not confirmed yet.
    package struct ReturnRequest: Sendable, Equatable {
        package let id: ReturnID
        /// The new device key.
        package let key: PublicKeyBytes
        /// The flow, whose validation has the signatures.
        package let flow: FlowID
        /// When the link of the mail expires.
        package let expiresAt: Timestamp
    }

    /// A return that was opened.
    package struct Return: Sendable, Equatable {
        package let id: ReturnID
        /// The device key that comes back.
        package let key: PublicKeyBytes
        /// The challenge of the opening. The completion needs another one.
        package let challenge: [UInt8]
        package let openedAt: Timestamp
        /// When it may be completed from.
        package let availableAt: Timestamp
        package let expiresAt: Timestamp
        package let opened: EventPlace
        /// The event that completed it; `nil` before.
        package internal(set) var completed: EventPlace?
        /// When it was completed; `nil` before.
        package internal(set) var completedAt: Timestamp?

        /// SHA-256 of the key's bytes.
        package var fingerprint: KeyFingerprint { KeyFingerprint(of: key) }
        /// The event that a statement about the return names: a statement about the opening undoes nothing.
        package var latest: EventPlace { completed ?? opened }
        /// When the return can no longer be undone; `nil` before its completion.
        package var undoableUntil: Timestamp? { completedAt?.adding(Employee.returnWindow) }

        init(_ event: ReturnOpened, at place: EventPlace, _ time: Timestamp) {
            id = event.returnID
            key = event.proof.key
            challenge = event.proof.challenge
            openedAt = time
            availableAt = event.availableAt
            expiresAt = event.expiresAt
            opened = place
        }

        /// Whether a device key of the account cancels or undoes: it was in force within the 30 days before the
        /// opening, and its owner had not ended it. What the key that came back has ended since counts as in force.
        package func mayObject(_ key: Key, of owner: EmployeeID) -> Bool {
            guard key.key != self.key, key.wasInForce(within: Employee.returnWindow, before: openedAt) else {
                return false
            }
            guard key.wasEndedByOwner(owner), let endedAt = key.endedAt else { return true }
            return completedAt.map { $0 <= endedAt } ?? false
        }
    }
}

extension Employee.State {
    /// Returns the return that is open at a time: neither completed nor cancelled nor expired. A later succession ends
    /// it.
    package func openReturn(in tenant: Tenant.State, at time: Timestamp) -> Employee.Return? {
        guard let account, tenant.securityAdmin == account.id, let open = openedReturn, time < open.expiresAt,
            let since = tenant.securityAdminSince, since.position < open.opened.position
        else { return nil }
        return open
    }

    /// Returns the return that can still be undone at a time. A later succession ends that.
    package func undoableReturn(in tenant: Tenant.State, at time: Timestamp) -> Employee.Return? {
        guard let last = completedReturn(in: tenant), let end = last.undoableUntil, time < end else { return nil }
        return last
    }

    /// Returns the last completed return, if the employee got the role by no later event.
    package func completedReturn(in tenant: Tenant.State) -> Employee.Return? {
        guard let account, tenant.securityAdmin == account.id, let last = completedReturns.last,
            let completed = last.completed, let since = tenant.securityAdminSince, since.position < completed.position
        else { return nil }
        return last
    }

    /// The keys that an undone return ends: the one that came back, and those that it and its like put in force. A key
    /// that was in force before stays.
    package func keys(of back: Employee.Return) -> Set<PublicKeyBytes> {
        guard let completed = back.completed, let completedAt = back.completedAt else { return [] }
        var ended: Set<PublicKeyBytes> = [back.key]
        while true {
            let more = keys.values.filter { key in
                guard !ended.contains(key.key), let place = key.authorized, completed.position < place.position,
                    let first = key.authorizedAt, completedAt <= first,
                    case .employee(_, let signed?)? = key.authorizedBy
                else { return false }
                return ended.contains(signed.key)
            }
            guard !more.isEmpty else { return ended }
            ended.formUnion(more.map(\.key))
        }
    }
}

extension Tenant.State {
    /// Whether an employee founded the tenant and was the only one who ever had a role in it.
    package func isFounderAlone(_ employee: EmployeeID) -> Bool {
        founder == employee && securityAdmin == employee && !hasAppointed
    }
}

extension Employee {
    /// The facts that a return is decided on, beside the account's own state.
    package struct ReturnScene: Sendable, Equatable {
        package var tenant: Tenant.State
        /// The accounts of the appointed admins. A missing one counts as an admin with a key in force.
        package var admins: [EmployeeID: State]
        /// Now.
        package var time: Timestamp

        package init(tenant: Tenant.State, admins: [EmployeeID: State], time: Timestamp) {
            self.tenant = tenant
            self.admins = admins
            self.time = time
        }

        /// Whether no appointed admin has a device key in force.
        package var isAlone: Bool {
            tenant.admins.keys.allSatisfy { admins[$0].map { $0.authorizedKeys.isEmpty } ?? false }
        }
    }

    /// The command that asks for a return.
    package struct RequestReturn: Sendable, Equatable {
        /// The new return.
        package var id: ReturnID
        /// The new device key, which is pending.
        package var key: PublicKeyBytes
        package var flow: FlowID
        /// The user with the address and the credentials.
        package var user: User.State
        /// The facts.
        package var scene: ReturnScene

        package init(id: ReturnID, key: PublicKeyBytes, flow: FlowID, user: User.State, scene: ReturnScene) {
            self.id = id
            self.key = key
            self.flow = flow
            self.user = user
            self.scene = scene
        }
    }

    /// The command that opens a return by the link of the mail.
    package struct OpenReturn: Sendable, Equatable {
        /// The return of the link.
        package var id: ReturnID
        /// The proof of the request. Its signatures were verified before.
        package var proof: ReturnProof
        /// The user with the address and the credentials.
        package var user: User.State
        /// The facts.
        package var scene: ReturnScene

        package init(id: ReturnID, proof: ReturnProof, user: User.State, scene: ReturnScene) {
            self.id = id
            self.proof = proof
            self.user = user
            self.scene = scene
        }
    }

    /// The command that completes a return. The signatures of the proof were verified before.
    package struct CompleteReturn: Sendable, Equatable {
        /// A new proof.
        package var proof: ReturnProof
        /// The user with the credentials.
        package var user: User.State
        /// The facts.
        package var scene: ReturnScene

        package init(proof: ReturnProof, user: User.State, scene: ReturnScene) {
            self.proof = proof
            self.user = user
            self.scene = scene
        }
    }

    /// The command that cancels an open return, or undoes a completed one, by a signed statement.
    package struct CancelReturn: Sendable, Equatable {
        package var reason: ReasonCode
        /// The decision. Its key may have ended meanwhile.
        package var decision: AuthorityDecision
        package var tenant: Tenant.State
        package var time: Timestamp

        package init(reason: ReasonCode, decision: AuthorityDecision, tenant: Tenant.State, time: Timestamp) {
            self.reason = reason
            self.decision = decision
            self.tenant = tenant
            self.time = time
        }
    }

    /// The command that cancels an open return, or a request for one, without a statement.
    package struct EndReturn: Sendable, Equatable {
        /// What shows that the owner is there.
        package enum Cause: Sendable, Equatable {
            /// A right log-in on a device with this key.
            case login(PublicKeyBytes)
            /// The link of a mail about this return.
            case mail(ReturnID)
            /// Two wrong choices of the words that the new device shows, which end the request for this return.
            case words(ReturnID)
        }
        /// What shows that the owner is there.
        package var cause: Cause
        package var tenant: Tenant.State
        /// Now.
        package var time: Timestamp

        package init(_ cause: Cause, tenant: Tenant.State, time: Timestamp) {
            self.cause = cause
            self.tenant = tenant
            self.time = time
        }
    }
}

/// A return takes a mailbox, a credential and time: it brings a security admin back who is alone and has lost the
/// device. Every device key that the account had in the last 30 days can cancel it.
extension Employee {
    /// Records a request for a return. A later request replaces an earlier one.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ request: RequestReturn) throws(Rejection) -> [EmployeeEvent] {
        let account = try requireAlone(state, request.scene), time = request.scene.time
        try requireNoReturn(state, request.scene)
        _ = try settled(account, request.user, request.scene)
        guard state.standing(of: request.key, at: time) == .pending else { throw .unknownKey }
        return [
            .returnRequested(
                ReturnRequested(
                    returnID: request.id, employeeID: account.id, key: request.key, flow: request.flow,
                    expiresAt: time.adding(returnRequestLifetime)))
        ]
    }

    /// Opens a return; does nothing if this return is open.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ open: OpenReturn) throws(Rejection) -> [EmployeeEvent] {
        let time = open.scene.time
        if state.openReturn(in: open.scene.tenant, at: time)?.id == open.id { return [] }
        guard let request = state.returnRequest, request.id == open.id, request.key == open.proof.key,
            time < request.expiresAt
        else { throw .returnUnknown }
        let account = try requireAlone(state, open.scene)
        try requireNoReturn(state, open.scene)
        let ground = try settled(account, open.user, open.scene)
        try requireCredentials(account, open.user, open.proof)
        guard state.keys[request.key]?.status == .pending else { throw .unknownKey }
        let delay = Duration.seconds(open.scene.tenant.recoveryDelayHours(at: time) * 3_600)
        let availableAt = time.adding(returnWait(delay))
        return [
            .returnOpened(
                ReturnOpened(
                    returnID: open.id, employeeID: account.id, proof: open.proof, availableAt: availableAt,
                    expiresAt: availableAt.adding(returnLifetime), ground: ground))
        ]
    }

    /// Completes the open return with the device key that it names, after the wait.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ complete: CompleteReturn) throws(Rejection) -> [EmployeeEvent] {
        let time = complete.scene.time
        guard let open = state.openReturn(in: complete.scene.tenant, at: time), open.key == complete.proof.key else {
            throw .returnUnknown
        }
        let account = try requireAlone(state, complete.scene)
        try requireCredentials(account, complete.user, complete.proof)
        guard open.challenge != complete.proof.challenge else { throw .returnUnknown }
        guard state.keys[open.key]?.status == .pending else { throw .unknownKey }
        guard open.availableAt <= time else { throw .returnNotAvailable }
        return [
            .returnCompleted(
                ReturnCompleted(returnID: open.id, employeeID: account.id, proof: complete.proof))
        ]
    }

    /// Whether somebody may ask for a return now: what a page offers to whom it describes.
    package static func mayRequestReturn(_ state: State, _ user: User.State, _ scene: ReturnScene) -> Bool {
        guard let account = try? requireAlone(state, scene) else { return false }
        return (try? requireNoReturn(state, scene)) != nil && (try? settled(account, user, scene)) != nil
    }

    /// Cancels the open return, or undoes the completed one within 30 days.
    ///
    /// An undone return ends the keys that it brought, which one event each says too.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ cancel: CancelReturn) throws(Rejection) -> [EmployeeEvent] {
        let decision = cancel.decision
        guard let account = state.account,
            let back = state.openReturn(in: cancel.tenant, at: cancel.time)
                ?? state.undoableReturn(in: cancel.tenant, at: cancel.time)
        else { throw .returnUnknown }
        guard case .employee(let caller) = decision.caller, caller.employee == account.id,
            decision.statement.map({ $0.key == decision.signer }) ?? true, let key = state.keys[decision.signer],
            back.mayObject(key, of: account.id)
        else { throw .notPermitted }
        let cancelled = EmployeeEvent.returnCancelled(
            ReturnCancelled(
                returnID: back.id, employeeID: account.id, reason: cancel.reason,
                fingerprint: KeyFingerprint(of: decision.signer), by: decision.authority))
        let ended = state.keys(of: back).filter { state.keys[$0]?.status == .authorized }
            .sorted { KeyFingerprint(of: $0).description < KeyFingerprint(of: $1).description }
        return [cancelled]
            + ended.map {
                .keyRevoked(
                    EmployeeKeyRevoked(
                        employeeID: account.id, key: $0, reason: cancel.reason, by: decision.authority))
            }
    }

    /// Cancels the open return, if there is one, because its owner showed up, or the request for one after wrong words.
    /// It undoes nothing: that needs a signature.
    static func decide(_ state: State, _ end: EndReturn) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { return [] }
        let open = state.openReturn(in: end.tenant, at: end.time)
        let id: ReturnID?, reason: ReasonCode?, fingerprint: KeyFingerprint?
        switch end.cause {
        case .login(let key):
            guard let open, let known = state.keys[key], open.mayObject(known, of: account.id) else { return [] }
            (id, reason, fingerprint) = (open.id, ReasonCode("login"), known.fingerprint)
        case .mail(let named): (id, reason, fingerprint) = (open?.id == named ? named : nil, ReasonCode("mail"), nil)
        case .words(let named):
            (id, reason, fingerprint) = (state.returnRequest?.id == named ? named : nil, ReasonCode("words"), nil)
        }
        guard let id, let reason else { return [] }
        return [
            .returnCancelled(
                ReturnCancelled(
                    returnID: id, employeeID: account.id, reason: reason, fingerprint: fingerprint,
                    by: .employee(account.id, nil)))
        ]
    }

    /// The account of a security admin who is alone.
    private static func requireAlone(_ state: State, _ scene: ReturnScene) throws(Rejection) -> Account {
        guard let account = state.account else { throw .unknownEmployee }
        guard account.status == .active else { throw .inactive }
        let standing = AuthorityTable.Standing(scene.tenant.role(of: account.id))
        guard AuthorityTable.capacities(for: .returnToRole, about: standing).contains(.mailAndTime), scene.isAlone
        else { throw .returnNotPermitted }
        return account
    }

    /// Refuses a second return while one is open, or can be undone: it would end the right of the former device keys to
    /// undo the first one.
    private static func requireNoReturn(_ state: State, _ scene: ReturnScene) throws(Rejection) {
        guard state.openReturn(in: scene.tenant, at: scene.time) == nil,
            state.undoableReturn(in: scene.tenant, at: scene.time) == nil
        else { throw .returnInProgress }
    }

    /// Refuses an address that is not verified, and an address or recovered credentials younger than 30 days. Returns
    /// why a younger address counts.
    private static func settled(
        _ account: Account, _ user: User.State, _ scene: ReturnScene
    ) throws(Rejection) -> ReturnGround? {
        let times = [user.address?.verifiedAt, account.emailVerifiedAt].compactMap { $0 }, time = scene.time
        guard user.id == account.user, user.holdsEmail, let verifiedAt = times.min() else { throw .returnNotPermitted }
        let isOld = verifiedAt.adding(returnWindow) <= time
        guard isOld || isFoundersAddress(account, user, scene.tenant) else { throw .returnNotPermitted }
        if let recoveredAt = user.credentials?.recoveredAt, time < recoveredAt.adding(returnWindow) {
            throw .returnNotPermitted
        }
        return isOld ? nil : .founding
    }

    /// Whether the founder confirmed the address of the registration in time, and was never anything but alone.
    ///
    /// A stranger who reads the founder's mails later has confirmed nothing on that day in that browser.
    private static func isFoundersAddress(_ account: Account, _ user: User.State, _ tenant: Tenant.State) -> Bool {
        guard tenant.isFounderAlone(account.id), let address = user.address, let verifiedAt = address.verifiedAt else {
            return false
        }
        return address.verifiedInBrowserOf == account.id && account.registeredAt <= verifiedAt
            && verifiedAt <= account.registeredAt.adding(foundersDay)
    }

    private static func requireCredentials(
        _ account: Account, _ user: User.State, _ proof: ReturnProof
    ) throws(Rejection) {
        guard user.id == account.user, proof.userID == account.user, user.credentials?.id == proof.credentialID else {
            throw .returnStale
        }
    }
}

extension Employee {
    /// Applies an event about a return to the state. An event about another return changes nothing.
    static func evolveReturn(_ state: inout State, _ recorded: Recorded<EmployeeEvent>) {
        switch recorded.event {
        case .returnRequested(let event):
            state.returnRequest = ReturnRequest(
                id: event.returnID, key: event.key, flow: event.flow, expiresAt: event.expiresAt)
        case .returnOpened(let event):
            state.openedReturn = Return(event, at: recorded.place, recorded.time)
            state.returnRequest = nil
        case .returnCompleted(let event):
            guard var back = state.openedReturn, back.id == event.returnID else { return }
            back.completed = recorded.place
            back.completedAt = recorded.time
            state.openedReturn = nil
            state.completedReturns.append(back)
            state.sessionsEndedAt = recorded.position
            authorize(&state, back.key, recorded)
        case .returnCancelled(let event):
            if state.openedReturn?.id == event.returnID { state.openedReturn = nil }
            if state.returnRequest?.id == event.returnID { state.returnRequest = nil }
            guard let last = state.completedReturns.last, last.id == event.returnID else { return }
            // Before the return is forgotten: it tells which keys it brought.
            for key in state.keys(of: last) { end(&state, key, .revoked, recorded.time, event.by) }
            state.completedReturns.removeLast()
        default: break
        }
    }

    /// Authorizes the key that came back. It is vouched: the credentials and the wait stand for a person with the role.
    private static func authorize(_ state: inout State, _ key: PublicKeyBytes, _ recorded: Recorded<EmployeeEvent>) {
        guard var back = state.keys[key], let account = state.account else { return }
        if back.status != .authorized { back.authorizedAt = recorded.time }
        back.status = .authorized
        back.authorized = recorded.place
        back.authorizedBy = .employee(account.id, nil)
        back.isVouched = true
        state.keys[key] = back
        state.belongsToSomebody = true
    }
}

/// The operator's way back for a security admin.
extension Employee {
    /// The command that puts the pending device keys in force which a succession of the operator names.
    package struct BringBack: Sendable, Equatable {
        /// The device keys that the succession lists.
        package var fingerprints: Set<KeyFingerprint>
        /// The operator's decision: that of the succession.
        package var decision: AuthorityDecision
        package var time: Timestamp

        package init(fingerprints: Set<KeyFingerprint>, decision: AuthorityDecision, time: Timestamp) {
            self.fingerprints = fingerprints
            self.decision = decision
            self.time = time
        }
    }

    /// Authorizes the listed keys that are pending.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ back: BringBack) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        guard case .operator = back.decision.caller,
            AuthorityTable.permits(.returnToRole, about: .securityAdmin, by: back.decision)
        else { throw .notPermitted }
        guard account.status == .active else { throw .inactive }
        let listed = state.keys.values.filter { back.fingerprints.contains($0.fingerprint) }
            .sorted { $0.fingerprint.description < $1.fingerprint.description }
        var events: [EmployeeEvent] = []
        for key in listed {
            switch state.standing(of: key.key, at: back.time) {
            case .authorized: break
            case .pending:
                events.append(
                    .keyAuthorized(
                        EmployeeKeyAuthorized(employeeID: account.id, key: key.key, by: back.decision.authority)))
            case .unknown, .expired, .refused, .revoked: throw .unknownKey
            }
        }
        return events
    }
}
