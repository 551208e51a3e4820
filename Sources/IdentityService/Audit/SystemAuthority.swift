import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Reads from the system ledger which key is the operator's, which secrets apps have, and when checkpoints were signed.
struct SystemAuthority: Sendable {
    /// A secret of an app, with the places of its events in the system ledger.
    struct Secret: Sendable {
        let app: AppID
        let roles: RoleSet
        /// The public half of the authority key.
        let key: PublicKeyBytes
        /// The leaf hash of the event that issued it.
        let leaf: [UInt8]
        let issued: Int64
        /// The position of the event that retired or revoked it.
        fileprivate(set) var ended: Int64?
    }

    /// A record of checkpoints.
    struct Seal: Sendable {
        let position: Int64
        let time: Timestamp
    }

    /// The longest time that one round of signing may take: an event that it misses is in the next one.
    static let sealingTime: Duration = .seconds(60)

    /// Whether all events of the system ledger were read; a bundle may have only some of them.
    var isWhole = true
    private(set) var secrets: [SecretID: Secret] = [:]
    /// The apps that the pages for browsers act as, or did.
    private(set) var pagesApps: Set<AppID> = []
    private var endedApps: Set<UUID> = []
    /// The rules for passkeys, with the time since which they are in force.
    private var passkeyRules: [(since: Timestamp, rules: PasskeyRules)] = []
    private(set) var seals: [Seal] = []
    /// The clocks of the records, after ``settle()``.
    private(set) var clocks = CheckpointClocks()
    /// The times of this ledger's events.
    var times = LedgerTimes()
    /// The events with a time of their own, whose time only a later record shows to be wrong.
    private var movers: [(position: Int64, time: Timestamp)] = []
    /// The times of ledgers that the operator accepted.
    private(set) var acceptedTimes: [LedgerID: [AcceptedTime]] = [:]
    private var statements = UsedStatements()
    /// The sizes of the newest records of all ledgers.
    private var recorded: [UUID: Int64] = [:]
    /// The public half of the operator key; `nil` before the founding event.
    private(set) var operatorKey: PublicKeyBytes?
    /// The leaf hash of the event that founded the log.
    private(set) var operatorLeaf: [UInt8]?
    /// The roots that the system ledger had; the operator's statements name one.
    private var roots = RootHistory()

    static let ended = "the app had ended"

    /// The event types that are judged.
    static let types: Set = [
        SystemFounded.type, AppRegistered.type, AppSecretIssued.type, AppSecretRetired.type, AppSecretRevoked.type,
        AppResourceAdded.type, AppResourceRemoved.type, AppClientChanged.type, PagesEnabled.type,
        AppEnded.type, LedgerTimeAccepted.type, EntryDisowned.type, OriginsChanged.type,
    ]

    /// The notes that are no violations.
    var notes: [VerifyNote] { (isWhole ? clocks.notes : []) + acceptances }

    /// One note for each time that the operator accepted.
    private var acceptances: [VerifyNote] {
        acceptedTimes.sorted { $0.key < $1.key }.flatMap { ledger, times in
            times.map { time in
                let proves = ledger == .system ? " Its checkpoints prove no times until then." : ""
                return VerifyNote(
                    ledger: .system, position: time.accepted, lastPosition: time.accepted,
                    detail:
                        "the operator accepted that ledger \(ledger) is ahead, at \(time.time) by position \(time.position);"
                        + " its events have that time until the clock has passed it.\(proves)")
            }
        }
    }

    /// Takes an event of the system ledger, and returns what is wrong with it or `nil`.
    mutating func follow(_ event: RecordedEvent) -> String? {
        let use = statements.use(event)
        guard let payload = try? EventCodec.payload(of: event) else {
            return Self.types.contains(event.type) ? "the event cannot be read" : nil
        }
        // What follows is judged without it.
        if use == .again { return UsedStatements.words }
        let words = use == .elsewhere ? UsedStatements.words : judge(event, payload)
        if words == nil, let accepted = payload as? LedgerTimeAccepted { accept(accepted, at: event.position) }
        learn(event, payload)
        return words
    }

    /// Takes the leaf hash of an event, after ``follow(_:)`` if that is called: it belongs to the tree that the
    /// operator saw.
    mutating func pass(_ leaf: [UInt8], at position: Int64) { roots.append(leaf, at: position) }

    /// Takes the time of the next event, and returns what is wrong with it or `nil`.
    mutating func take(_ time: Timestamp, at position: Int64, _ request: String?) -> String? {
        if times.present.map({ $0 < time }) ?? true { movers.append((position, time)) }
        return times.take(time, at: position, request: request)
    }

    /// Decides which records of checkpoints count, and returns the events whose time was too late by them.
    ///
    /// - Parameter now: The database's clock, for events after the last record; `nil` if it is unknown.
    mutating func settle(at now: Timestamp?) -> [(position: Int64, words: String)] {
        clocks.settle()
        let accepted = acceptedTimes[.system] ?? []
        let late = movers.compactMap { position, time -> (position: Int64, words: String)? in
            let record = clocks.clock(from: position + 1)
            guard let clock = record ?? (clocks.last == nil ? nil : now.map(clocks.latest)),
                clock.adding(LedgerTimes.lead) < time,
                !accepted.contains(where: {
                    $0.excuses(time, at: position) && !clocks.hasPassed(time, in: position...$0.position)
                })
            else { return nil }
            return (position, record == nil ? LedgerTimes.future : LedgerTimes.late)
        }
        movers = []
        return late
    }

    /// Holds the times of a ledger against the records, given those that have its size.
    ///
    /// - Parameter now: The database's clock before the ledger is read; `nil` if it is unknown.
    func times(
        of ledger: LedgerID, _ sizes: [(size: Int64, position: Int64)], at now: Timestamp?
    ) -> LedgerTimes {
        // A part of the system ledger lacks records.
        guard isWhole else { return LedgerTimes(keepsTimes: !ledger.isDirectory) }
        return LedgerTimes(
            covers: clocks.covers(sizes), last: clocks.last, now: now.map(clocks.latest),
            accepted: acceptedTimes[ledger] ?? [],
            keepsTimes: !ledger.isDirectory)
    }

    private mutating func learn(_ event: RecordedEvent, _ payload: any EventPayload) {
        switch payload {
        case let payload as SystemFounded where operatorKey == nil:
            operatorKey = payload.operatorKey
            operatorLeaf = event.leaf
        case let payload as AppSecretIssued where secrets[payload.secretID] == nil:
            secrets[payload.secretID] = Secret(
                app: payload.appID, roles: payload.roles, key: payload.authorityKey, leaf: event.leaf,
                issued: event.position)
        case let payload as PagesEnabled: pagesApps.insert(payload.appID)
        case is AppEnded: endedApps.insert(event.stream.id)
        case let payload as OriginsChanged:
            if let rules = PasskeyRules(payload) { passkeyRules.append((event.time, rules)) }
        case let payload as AppSecretRetired: end(payload.secretID, event.position)
        case let payload as AppSecretRevoked: end(payload.secretID, event.position)
        case let payload as CheckpointSealed:
            seals.append(Seal(position: event.position, time: event.time))
            clocks.take(payload, at: event.position, time: times.ownTime)
            for one in payload.checkpoints { recorded[one.ledger] = max(recorded[one.ledger] ?? 0, one.size) }
            if let asOf = payload.asOf { times.note(asOf: asOf) }
        default: break
        }
    }

    private mutating func accept(_ event: LedgerTimeAccepted, at position: Int64) {
        acceptedTimes[LedgerID(event.ledger), default: []].append(
            AcceptedTime(position: event.position, time: event.time, accepted: position))
        guard case .operator(let signed?) = event.by,
            let context = try? OperatorStatement(parsing: signed.statement, expecting: .operatorDecision).context
        else { return }
        clocks.accept(context.expires.adding(.zero - StatementExpiry.lifetime), size: context.ledgerSize)
    }

    private mutating func end(_ secret: SecretID, _ position: Int64) {
        if secrets[secret]?.ended == nil { secrets[secret]?.ended = position }
    }

    private func judge(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        switch payload {
        case is SystemFounded: operatorKey == nil ? nil : "the log is founded a second time"
        case is AppRegistered, is AppSecretIssued, is AppSecretRetired, is AppSecretRevoked, is AppResourceAdded,
            is AppResourceRemoved, is AppClientChanged, is PagesEnabled, is AppEnded:
            endedApps.contains(event.stream.id)
                ? Self.ended : (payload as? any DecidedEvent).flatMap { administered(event, $0.by) }
        case let payload as LedgerTimeAccepted: accepted(event, payload)
        case let payload as EntryDisowned: disowned(event, payload)
        case let payload as OriginsChanged: originsChanged(event, payload)
        default: nil
        }
    }

    private func originsChanged(_ event: RecordedEvent, _ payload: OriginsChanged) -> String? {
        guard event.stream == .origins else { return "the event is not in its subject's stream" }
        guard PasskeyRules(payload) != nil else {
            return "the origins of passkeys are not those of their name, in order"
        }
        return administered(event, payload.by)
    }

    /// The rules for passkeys that a service may have followed at a time between two: those in force then, and those
    /// that came or went within the time by which two ledgers differ. Empty if none are known.
    func passkeyRules(from earliest: Timestamp, to latest: Timestamp) -> [PasskeyRules] {
        let ends = passkeyRules.dropFirst().map(\.since) + [latest]
        return zip(passkeyRules, ends).compactMap { entry, end in
            entry.since <= latest.adding(Self.sealingTime) && earliest <= end.adding(Self.sealingTime)
                ? entry.rules : nil
        }
    }

    /// The service disowns a row only as long as no checkpoint covers it.
    private func disowned(_ event: RecordedEvent, _ payload: EntryDisowned) -> String? {
        if let by = payload.by { return administered(event, by) }
        return (recorded[payload.ledger] ?? 0) >= payload.position
            ? "an entry that a checkpoint covers is disowned without the operator" : nil
    }

    /// An acceptance is in the stream of its ledger, so that a later one follows it.
    private func accepted(_ event: RecordedEvent, _ payload: LedgerTimeAccepted) -> String? {
        guard event.stream.id == payload.ledger else { return "the event is not in its subject's stream" }
        return administered(event, payload.by)
    }

    private func administered(_ event: RecordedEvent, _ by: Authority) -> String? {
        decided(event, .administerApps, about: .installation, by)
    }

    /// Returns what is wrong with a decision that only the operator may take, or `nil`.
    ///
    /// - Parameter earliest: The earliest time at which an event of another ledger may have been appended.
    func decided(
        _ event: RecordedEvent, _ action: AuthorityTable.Action, about subject: AuthoritySubject, _ by: Authority,
        at earliest: Timestamp? = nil
    ) -> String? {
        guard case .operator(let signed) = by else { return AuthorityWords.notPermitted(action, subject) }
        guard let signed else { return AuthorityWords.unsigned(action) }
        if let words = operatorViolation(event, signed, at: event.ledger == .system ? times.earliest : earliest) {
            return words
        }
        let decision = AuthorityDecision(caller: .operator(signed.key), statement: signed)
        return AuthorityTable.permits(action, about: subject, by: decision)
            ? nil : AuthorityWords.notPermitted(action, subject)
    }

    /// Returns what is wrong with the operator's signature, or `nil`.
    ///
    /// - Parameter earliest: The earliest time at which the event may have been appended; `nil` if it is unknown.
    func operatorViolation(_ event: RecordedEvent, _ signed: SignedStatement, at earliest: Timestamp?) -> String? {
        guard operatorKey != nil || !isWhole else { return "the log names no operator key" }
        return OperatorSignatures.violation(
            event, signed, key: operatorKey, authority: operatorLeaf, seen: { times.time(at: $0) }, earliest: earliest
        ) { size in roots.root(size: size) }
    }
}

/// The words of findings about authority.
enum AuthorityWords {
    /// A decision that needs a signature has none.
    static func unsigned(_ action: AuthorityTable.Action) -> String {
        "the decision to \(action.rawValue) has no signature"
    }

    /// The table lists none of the decider's capacities.
    static func notPermitted(_ action: AuthorityTable.Action, _ subject: AuthoritySubject) -> String {
        "the caller may not \(action.rawValue); the decision is about \(subject.standing.rawValue)"
    }
}

/// The roots that a ledger had at each of its sizes.
///
/// It keeps every leaf hash, and the right edge of the tree at every 64th size, so that computing a root takes at most
/// 64 steps.
struct RootHistory: Sendable {
    private static let stride: Int64 = 64
    private var leaves: [UInt8] = []
    private var edges = [MerkleFrontier()]
    private var edge = MerkleFrontier()
    /// Whether positions came without a gap. After a gap nothing is known; the gap is a violation of its own.
    private var isWhole = true

    init() {}

    /// Takes the leaf hash of the event at a position.
    mutating func append(_ leaf: [UInt8], at position: Int64) {
        guard isWhole, position == edge.size + 1, leaf.count == 32 else {
            isWhole = false
            return
        }
        leaves += leaf
        edge.append(leaf)
        if edge.size % Self.stride == 0 { edges.append(edge) }
    }

    /// The leaf hash of the event at a position; `nil` if it is unknown.
    func leaf(at position: Int64) -> [UInt8]? {
        guard isWhole, (1...max(edge.size, 1)).contains(position), edge.size > 0 else { return nil }
        return Array(leaves[Int(position - 1) * 32..<Int(position) * 32])
    }

    /// The root of the first `size` events; `nil` if they are unknown.
    func root(size: Int64) -> [UInt8]? {
        guard isWhole, (0...edge.size).contains(size) else { return nil }
        var edge = edges[Int(size / Self.stride)]
        for index in Int(edge.size)..<Int(size) { edge.append(Array(leaves[index * 32..<index * 32 + 32])) }
        return edge.root
    }
}
