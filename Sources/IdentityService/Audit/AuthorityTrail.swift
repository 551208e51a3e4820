import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Verifies the authority behind every decision in one tenant's ledger, traced to the founder's first key.
///
/// It folds the tenant and its employees as the service does, and asks the same table of authority and deciders about
/// every decision. A key in force must have signed the decision. The statement must name the event that gives the
/// signer authority and a real earlier state of the ledger, and must match the event. The trail's memory grows with the
/// tenant's keys and by some 40 bytes per event.
struct AuthorityTrail: Sendable {
    /// One key of one employee. Two accounts of one person may share a key.
    struct Holder: Hashable, Sendable {
        let employee: UUID
        let key: PublicKeyBytes
    }

    /// The types of the events that the trail judges.
    static let types = Set(
        (TenantEvent.payloads + EmployeeEvent.payloads + InvitationEvent.payloads + MPinTrail.payloads).map { $0.type }
            + [
                RecoveryOpened.type, RecoveryConfirmed.type, RecoveryCancelled.type, SessionOpened.type,
                SessionClosed.type, WaitEnded.type, DeviceMailConfirmed.type,
            ]
    ).union(OpenIDTrail.types)

    /// The authority of apps and of the operator from the system ledger; `nil` if that ledger is not available.
    let system: SystemAuthority?
    /// The sizes of this ledger that the system ledger records, each with the position of the record.
    let sealed: [(size: Int64, position: Int64)]
    /// Holds the times of this ledger's events against the checkpoints.
    var times: LedgerTimes
    /// The statements that decided something.
    private(set) var statements = UsedStatements()
    /// The position of the last event about the tenant: so far, and before the append that is being read.
    private(set) var tenantDecided: (last: Int64, before: Int64) = (0, 0)
    /// The position of the last decision about each account's status.
    private(set) var statusDecided: [EmployeeID: Int64] = [:]
    var tenant = Tenant.initial
    var employees: [EmployeeID: Employee.State] = [:]
    /// The invitations, without their texts.
    private(set) var invitations: [InvitationID: Invitation.State] = [:]
    private(set) var mpin = MPinTrail()
    private(set) var openID = OpenIDTrail()
    /// Employees who registered without the invitation that the policy requires, with the position. Its use follows in
    /// the same append.
    private var uninvited: [EmployeeID: Int64] = [:]
    /// When each employee last logged in, by device key.
    private(set) var logins: [EmployeeID: [KeyFingerprint: Timestamp]] = [:]
    /// When each employee last logged in with a secret, by device key.
    private var provedLogins: [EmployeeID: [KeyFingerprint: Timestamp]] = [:]
    /// The last event that opens a session because somebody proved a secret. The session is of the same append.
    var secretProof: UUID?
    /// The flows in which the owner of a passkey proved a secret.
    var provedFlows: Set<UUID> = []
    /// The recoveries that were opened.
    var recoveries: [UUID: User.Recovery] = [:]
    /// The recoveries that a key confirmed which was in force for the whole delay before.
    var confirmedByKnownKey: Set<UUID> = []
    /// Whether an app was ever linked: the founding links the first one.
    private(set) var wasLinked = false
    /// The device keys that were presented, with the facts of passkeys.
    var presentedKeys: [PublicKeyBytes: PasskeyFacts?] = [:]
    /// Whose the credential ids and the handles of passkeys are.
    var passkeyOwners: [[UInt8]: EmployeeID] = [:]
    /// The last proof by a key that nobody had presented.
    var unpresented: (time: Timestamp, key: PublicKeyBytes, signature: SignatureBytes)?
    /// What log-ins by passkeys have to note in their append.
    var awaitedNotes: [(position: Int64, time: Timestamp, note: EmployeeEvent)] = []
    /// What a return permits the next events.
    var returns = ReturnTrail()
    var roots = RootHistory()
    /// The recorded origin of each key's authorization.
    var chains = AuthorityChains()
    /// The founder's first key, which all authority is traced to.
    private(set) var root: PublicKeyBytes?
    /// Violations that only a later event revealed, with the position.
    private(set) var later: [(position: Int64, words: String)] = []
    /// A cancellation by the operator, which only an erasure may follow.
    private var cancelled: (employee: EmployeeID, position: Int64)?
    /// The number of decisions by apps and the operator that could not be proved without the system ledger.
    private(set) var unproved = 0

    init(
        system: SystemAuthority?, sealed: [(size: Int64, position: Int64)] = [], times: LedgerTimes = LedgerTimes()
    ) {
        self.system = system
        self.sealed = sealed
        self.times = times
    }

    /// Takes the next event, and returns what is wrong with it or `nil`.
    mutating func follow(_ event: RecordedEvent) -> String? {
        defer { roots.append(event.leaf, at: event.position) }
        settle(event)
        settleNotes(before: event.time)
        let use = statements.use(event)
        if statements.runStart == event.position { tenantDecided.before = tenantDecided.last }
        guard Self.types.contains(event.type) else { return proved(event) }
        guard let payload = try? EventCodec.payload(of: event) else { return "the event cannot be read" }
        // What follows is judged without it.
        if use == .again { return UsedStatements.words }
        let words = use == .elsewhere ? UsedStatements.words : judge(event, payload)
        countUnproved(payload)
        learn(event, payload)
        return words
    }

    /// Returns the notes on the ledger that are no violations.
    func notes(of ledger: LedgerID) -> [VerifyNote] {
        var notes: [VerifyNote] = []
        if unproved > 0 {
            notes.append(
                VerifyNote(
                    ledger: ledger, position: nil, lastPosition: nil,
                    detail:
                        "\(unproved) decisions by apps are not proved, because this check lacks the system ledger"
                )
            )
        }
        let repeats = employees.values.flatMap(\.keys.values).reduce(0) { $0 + ($1.passkey?.counterRepeats ?? 0) }
        if repeats > 0 {
            notes.append(
                VerifyNote(
                    ledger: ledger, position: nil, lastPosition: nil,
                    detail: "\(repeats) log-ins by passkeys counted no further: there may be copies of them"))
        }
        let passkeys = employees.values.flatMap(\.keys.values).count { $0.passkey != nil }
        if passkeys > 0, system?.isWhole != true {
            notes.append(
                VerifyNote(
                    ledger: ledger, position: nil, lastPosition: nil,
                    detail:
                        "the origins of \(passkeys) passkeys are not proved, because this check lacks the whole system ledger"
                ))
        }
        if system?.isWhole != true {
            notes.append(
                VerifyNote(
                    ledger: ledger, position: nil, lastPosition: nil,
                    detail: "the times of events are not held against checkpoints, whose records are not held"))
        }
        return notes
    }

    /// Takes an event that does not concern authority; its leaf belongs to the tree that statements name.
    mutating func pass(_ leaf: [UInt8], at position: Int64) {
        settle(nil)
        roots.append(leaf, at: position)
    }

    /// Reports what is still unresolved at the end of the ledger.
    mutating func finish() {
        settle(nil)
        settleNotes(before: nil)
        let words = "an employee registered without the invitation that the policy requires"
        later += (uninvited.values.map { ($0, words) } + mpin.unresolved).sorted { $0.position < $1.position }
        uninvited = [:]
    }

    /// Checks that the operator cancelled an account only to erase it in the same append.
    private mutating func settle(_ next: RecordedEvent?) {
        guard let (employee, position) = cancelled else { return }
        cancelled = nil
        guard next?.type != EmployeeErased.type || next?.stream.id != employee.uuid else { return }
        guard let subject = subject(employee) else { return }
        later.append((position, AuthorityWords.notPermitted(.cancel, subject)))
    }

    /// Reports log-ins by passkeys that lack a note in their append.
    private mutating func settleNotes(before next: Timestamp?) {
        guard !awaitedNotes.isEmpty else { return }
        later += awaitedNotes.filter { $0.time != next }.map { ($0.position, Self.unnoted) }
        awaitedNotes.removeAll { $0.time != next }
    }

    /// The leaf hash of the event at a place; `nil` if an entry before it is missing.
    func leaf(_ place: EventPlace?) -> [UInt8]? { place.flatMap { roots.leaf(at: $0.position) } }

    private mutating func countUnproved(_ payload: any EventPayload) {
        guard case .app(let app, let secret, .some)? = (payload as? any DecidedEvent)?.by else { return }
        if system?.secrets[secret].map({ $0.app == app }) == nil, system?.isWhole != true { unproved += 1 }
    }

    /// Applies an event, right or wrong: later events were decided on it.
    private mutating func learn(_ event: RecordedEvent, _ payload: any EventPayload) {
        // A log is full of sessions, and each further type that is asked for takes time.
        if let session = payload as? SessionOpened {
            logins[session.employeeID, default: [:]][session.fingerprint] = event.time
            if let secretProof, event.causes.contains(secretProof) {
                provedLogins[session.employeeID, default: [:]][session.fingerprint] = event.time
            }
            openID.learn(event, session)
            return
        }
        expectNotes(event, payload)
        returns.learn(event, payload, tenant, employees)
        if let own = TenantEvent(payload) {
            Tenant.evolve(&tenant, recorded(own, event))
            if event.position == 1 || event.stream == .tenant(TenantID(event.ledger.uuid)) {
                tenantDecided.last = event.position
            }
        }
        if let own = EmployeeEvent(payload) {
            // A log-in by a passkey stands in the stream of its flow.
            let employee = (payload as? PasskeyValidated)?.employeeID ?? EmployeeID(event.stream.id)
            Employee.evolve(&employees[employee, default: Employee.initial], recorded(own, event))
        }
        if let own = InvitationEvent(payload) {
            let invitation = InvitationID(event.stream.id)
            Invitation.evolve(&invitations[invitation, default: Invitation.initial], recorded(own, event))
        }
        mpin.learn(event, payload)
        openID.learn(event, payload)
        if payload is EmployeeApproved || payload is EmployeeCancelled || payload is EmployeeReinstated
            || payload is EmployeeSessionsEnded
        {
            statusDecided[EmployeeID(event.stream.id)] = event.position
        }
        switch payload {
        case let payload as EmployeeRegistered:
            if tenant.policy.registrationMode == .invited { uninvited[payload.employeeID] = event.position }
        case let payload as InvitationUsed: uninvited[payload.employeeID] = nil
        case let payload as EmployeeCancelled:
            if case .operator = payload.by { cancelled = (payload.employeeID, event.position) }
            endChains(event, payload)
        case let payload as RecoveryOpened:
            recoveries[payload.recoveryID.uuid] = User.Recovery(
                payload, at: EventPlace(id: event.id, position: event.position), event.time)
        case let payload as RecoveryConfirmed: learn(payload)
        case let payload as WaitEnded: if provedFlows.contains(payload.flow.uuid) { secretProof = event.id }
        case let payload as EmployeeKeyAuthorized:
            let flow = employees[payload.employeeID]?.keys[payload.key]?.flow.uuid
            if let flow, provedFlows.contains(flow) { secretProof = event.id }
            let holder = Holder(employee: payload.employeeID.uuid, key: payload.key)
            if case .founding = payload.by, root == nil { root = payload.key }
            chains.authorize(holder, event)
        case let payload as ReturnCompleted:
            secretProof = event.id
            chains.comeBack(Holder(employee: payload.employeeID.uuid, key: payload.proof.key), event)
        case let payload as EmployeeKeyRefused:
            chains.end(Holder(employee: payload.employeeID.uuid, key: payload.key))
        case let payload as EmployeeKeyRevoked:
            chains.end(Holder(employee: payload.employeeID.uuid, key: payload.key))
        case is AppLinked, is AppUnlinked:
            wasLinked = true
            chains.link(event)
        default: endChains(event, payload)
        }
    }

    /// A cancellation ends every key of the account.
    private mutating func endChains(_ event: RecordedEvent, _ payload: any EventPayload) {
        guard payload is EmployeeCancelled || payload is EmailReclaimed || payload is EmployeeErased,
            let account = employees[EmployeeID(event.stream.id)]
        else { return }
        for key in account.keys.values where key.status == .revoked {
            chains.end(Holder(employee: event.stream.id, key: key.key))
        }
    }

    private func recorded<Event: AggregateEvent>(_ own: Event, _ event: RecordedEvent) -> Recorded<Event> {
        Recorded(own, id: event.id, time: event.time, position: event.position, version: event.streamVersion)
    }
}

/// Reconstructs who decided, as the deciders know a caller.
extension AuthorityTrail {
    /// A signed decision, or the reason why there is none.
    enum Decided {
        case by(AuthorityDecision)
        case not(String)
    }

    /// Returns the decision that an event records, with the caller as the ledger had it then.
    func decision(
        _ action: AuthorityTable.Action, about subject: AuthoritySubject, _ by: Authority, _ event: RecordedEvent
    ) -> Decided {
        guard let signed = by.statement else {
            switch by {
            case .founding, .policy: return .not(AuthorityWords.notPermitted(action, subject))
            case .app, .employee, .operator: return .not(AuthorityWords.unsigned(action))
            }
        }
        switch by {
        case .founding, .policy: return .not(AuthorityWords.notPermitted(action, subject))
        case .employee(let id, _):
            guard let state = employees[id],
                let caller = DecidingEmployee(state, in: tenant, secretProved: hasProved(id, signed.key, event)),
                caller.authorizedKeys.contains(signed.key)
            else { return .not("the signer's key was not authorized then") }
            return .by(AuthorityDecision(caller: .employee(caller), statement: signed))
        case .app(let app, let secret, _):
            switch appCaller(app, secret, signed, event) {
            case .caller(let caller): return .by(AuthorityDecision(caller: .app(caller), statement: signed))
            case .not(let words): return .not(words)
            }
        case .operator:
            if let words = system?.operatorViolation(event, signed, at: times.earliest) { return .not(words) }
            return .by(AuthorityDecision(caller: .operator(signed.key), statement: signed))
        }
    }

    /// Whether a device key opened a session with a secret within the longest session of an admin. The
    /// statement names no session, so any such session counts.
    private func hasProved(_ employee: EmployeeID, _ key: PublicKeyBytes, _ event: RecordedEvent) -> Bool {
        guard let proved = provedLogins[employee]?[KeyFingerprint(of: key)] else { return false }
        return event.time <= proved.adding(Self.longestProof)
    }

    private static let longestProof: Duration = .seconds(TenantPolicy.adminSessionRange.upperBound * 3_600 + 60)

    private enum App {
        case caller(DecidingApp)
        case not(String)
    }

    /// The app that vouched, with the roles of its secret and of its link.
    ///
    /// If the available part of the system ledger lacks the secret, only the link is known.
    private func appCaller(
        _ app: AppID, _ secret: SecretID, _ signed: SignedStatement, _ event: RecordedEvent
    ) -> App {
        func caller(_ roles: RoleSet) -> App {
            .caller(
                DecidingApp(
                    app: app, secret: secret, roles: roles, authorityKey: signed.key, linkRoles: tenant.links[app]))
        }
        let all = RoleSet(.access, .creation, .authorization, .administration)
        guard let system else { return caller(all) }
        guard let known = system.secrets[secret] else {
            return system.isWhole ? .not("the app has no secret with that key") : caller(all)
        }
        guard known.app == app, known.key == signed.key else { return .not("the app has no secret with that key") }
        if let words = lateVouching(known, system, event) { return .not(words) }
        return caller(known.roles)
    }

    /// Checks that an app did not vouch after its secret ended, by comparing checkpoints.
    ///
    /// Ledgers have no common order. A checkpoint covers everything committed before it began. An event whose
    /// checkpoint is much later than the first one after the secret's end was therefore appended after that end.
    private func lateVouching(
        _ secret: SystemAuthority.Secret, _ system: SystemAuthority, _ event: RecordedEvent
    ) -> String? {
        guard let ended = secret.ended, let end = system.seals.first(where: { $0.position > ended }) else { return nil }
        let record = sealed.first { $0.size >= event.position }?.position
        let seal = record.flatMap { record in system.seals.first { $0.position == record } } ?? system.seals.last
        guard let seal, seal.time > end.time.adding(SystemAuthority.sealingTime) else { return nil }
        return "the app's secret had ended before the event was sealed"
    }

    /// Returns what is wrong with the size of the system ledger that an app's statement names, or `nil`.
    func systemView(_ size: Int64?, _ by: Authority) -> String? {
        guard case .app(_, let secret, _) = by else {
            return size == nil ? nil : "the statement names a size of the system ledger, and no app signed it"
        }
        guard let size else { return "the app's statement does not name the size of the system ledger" }
        guard let known = system?.secrets[secret] else { return nil }
        guard known.issued <= size else { return "the app's statement refers to a system ledger that lacks its secret" }
        if let ended = known.ended, ended <= size {
            return "the app's secret had ended in the system ledger that the statement refers to"
        }
        return nil
    }
}
