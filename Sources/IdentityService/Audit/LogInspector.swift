import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Judges the events of one ledger, and remembers what the verification of other ledgers needs.
struct LogInspector: EventInspector {
    /// Whether signatures inside events are verified.
    let checksSignatures: Bool
    /// In the system ledger: its records of all ledgers.
    private(set) var records: [LedgerID: [ExpectedRoot]] = [:]
    /// In the system ledger: the operator key, the secrets of apps and the checkpoint records.
    private(set) var authority = SystemAuthority()
    private(set) var trail: AuthorityTrail
    /// The user keys of validations: collected in a tenant's ledger, removed in a directory.
    private(set) var validated: ValidatedKeys
    private var credentials = CredentialTrail()
    /// In a directory: holds the times of its events against the checkpoints.
    private var times: LedgerTimes
    private let system: SystemAuthority?

    /// - Parameters:
    ///   - system: The authority of apps and the operator from the system ledger; `nil` if it is unknown. Their
    ///     signatures are then verified, but not whether the keys were theirs.
    ///   - ledger: The ledger.
    ///   - now: The database's clock before the ledger is read; `nil` if it is unknown.
    ///   - sealed: The sizes of this ledger that the system ledger records, each with the position of the record.
    ///   - validated: For a directory, the user keys whose records should be there.
    init(
        checksSignatures: Bool, system: SystemAuthority? = SystemAuthority(), of ledger: LedgerID = .system,
        at now: Timestamp? = nil, sealed: [ExpectedRoot] = [], validated: ValidatedKeys = ValidatedKeys()
    ) {
        self.checksSignatures = checksSignatures
        self.system = system
        let sizes = sealed.compactMap(Self.record)
        times = system?.times(of: ledger, sizes, at: now) ?? LedgerTimes(keepsTimes: !ledger.isDirectory)
        trail = AuthorityTrail(system: system, sealed: sizes, times: ledger.isDirectory ? LedgerTimes() : times)
        self.validated = validated
    }

    func concerns(_ type: String) -> Bool {
        type == CheckpointSealed.type || SystemAuthority.types.contains(type)
            || (checksSignatures && !EventSignatures.unsigned.contains(type))
    }

    func inspect(_ event: RecordedEvent) -> String? {
        checksSignatures ? EventSignatures.violation(event) : nil
    }

    mutating func follow(_ event: RecordedEvent) -> String? {
        let wrongTime = take(event.time, at: event.position, of: event.ledger, event.requestId)
        if event.ledger == .system {
            // A copy of a record says nothing about the present.
            let copied = event.type == CheckpointSealed.type ? remember(event) : nil
            let words = copied == nil ? authority.follow(event) : nil
            if checksSignatures { authority.pass(event.leaf, at: event.position) }
            return copied ?? (checksSignatures ? words : nil) ?? wrongTime
        }
        guard checksSignatures else { return wrongTime }
        if event.ledger.isDirectory {
            let words = validated.match(event, at: times.earliest)
            return credentials.follow(event, at: times.earliest) ?? words ?? erased(event) ?? wrongTime
        }
        validated.follow(event)
        let words = trail.follow(event)
        validated.passkeys.follow(event, trail.tenant, trail.employees)
        let uncaused = validated.causes.follow(event, leader: trail.statements.leader, trail.employees)
        return words ?? uncaused ?? wrongTime
    }

    mutating func pass(_ leaf: [UInt8], at position: Int64, _ time: Timestamp?, of ledger: LedgerID) -> String? {
        let wrongTime = time.flatMap { take($0, at: position, of: ledger, nil) }
        guard checksSignatures, !ledger.isDirectory else { return wrongTime }
        if ledger == .system {
            authority.pass(leaf, at: position)
        } else {
            trail.pass(leaf, at: position)
        }
        return wrongTime
    }

    /// Takes the time of an event, and returns what is wrong with it or `nil`.
    private mutating func take(
        _ time: Timestamp, at position: Int64, of ledger: LedgerID, _ request: String?
    ) -> String? {
        if ledger == .system { return authority.take(time, at: position, request) }
        return ledger.isDirectory
            ? times.take(time, at: position, request: request) : trail.times.take(time, at: position, request: request)
    }

    /// Returns what only the whole system ledger reveals, after it was read to its end.
    ///
    /// - Parameter now: The database's clock after that; `nil` if it is unknown, as in a bundle.
    mutating func settleSystem(at now: Timestamp? = nil) -> [Violation] {
        authority.settle(at: now).map { Violation(.signature, ledger: .system, position: $0.position, $0.words) }
    }

    /// Returns the events that no checkpoint covers yet and that are later than the database's clock.
    func ahead(of now: Timestamp, in ledger: LedgerID) -> [Violation] {
        let now = system?.clocks.latest(now) ?? now
        return (ledger.isDirectory ? times : trail.times).ahead(of: now).map {
            Violation(.signature, ledger: ledger, position: $0, LedgerTimes.future)
        }
    }

    /// Returns the violations that only later events revealed, after the ledger was read to its end.
    func later(of ledger: LedgerID) -> [Violation] {
        var trail = trail
        trail.finish()
        let unmet = (ledger.isDirectory ? times : trail.times).unmet.map {
            Violation(.signature, ledger: .system, position: $0, LedgerTimes.lacking)
        }
        return unmet + trail.later.map { Violation(.signature, ledger: ledger, position: $0.position, $0.words) }
    }

    /// Checks that the operator decided the erasure of a user.
    private func erased(_ event: RecordedEvent) -> String? {
        guard event.type == UserErased.type, let system,
            let payload = try? EventCodec.payload(of: event) as? UserErased
        else { return nil }
        return system.decided(event, .erase, about: .newcomer, payload.by, at: times.earliest)
    }

    private static func record(_ root: ExpectedRoot) -> (size: Int64, position: Int64)? {
        guard case .record(let position) = root.source else { return nil }
        return (root.size, position)
    }

    private mutating func remember(_ event: RecordedEvent) -> String? {
        guard let sealed = try? EventCodec.payload(of: event) as? CheckpointSealed else {
            return "the event records no checkpoints"
        }
        var isCopy = false
        for checkpoint in sealed.checkpoints {
            isCopy = isCopy || records[LedgerID(checkpoint.ledger)]?.last.map { checkpoint.size <= $0.size } == true
            let root = ExpectedRoot(
                size: checkpoint.size, root: checkpoint.root.bytes, source: .record(event.position))
            records[LedgerID(checkpoint.ledger), default: []].append(root)
        }
        return isCopy ? "the record of checkpoints repeats an earlier one" : nil
    }
}

/// The findings of one ledger.
struct LedgerFindings: Sendable {
    let events: Int64
    let sealed: Int64
    var violations: [Violation]
    /// The user keys that signed validations in a tenant's ledger.
    var validated = ValidatedKeys()
    /// Notes that are no violations.
    var notes: [VerifyNote] = []
    /// The requested chain, if this ledger has it.
    var chain: [AuthorityLink] = []

    /// Takes the results of an inspector that has read a whole ledger.
    mutating func take(_ inspector: LogInspector, of ledger: LedgerID, _ request: VerifyRequest) {
        violations += inspector.later(of: ledger)
        if ledger.isDirectory {
            violations += inspector.validated.violations
            validated.causes.releases.given = inspector.validated.causes.releases.given
            return
        }
        notes = inspector.trail.notes(of: ledger)
        validated = inspector.validated
        validated.recoveries.complete(
            ledger, confirmedByKnownKey: inspector.trail.confirmedByKnownKey)
        validated.causes.complete(ledger)
        validated.passkeys.complete(ledger)
        violations += validated.causes.unresolved
        if let wanted = request.chainFingerprint { chain = inspector.trail.chains.chain(of: wanted) }
        guard let pinned = request.founderFingerprint, ledger == request.ledger else { return }
        let root = inspector.trail.root.flatMap { try? EmployeePublicKey(bytes: $0.bytes).fingerprint }
        if root != pinned {
            violations.append(
                Violation(.signature, ledger: ledger, "the founder's first key is not the pinned one"))
        }
    }
}

extension VerifyReport {
    mutating func add(_ findings: LedgerFindings) {
        ledgers += 1
        events += findings.events
        sealedEvents += findings.sealed
        violations += findings.violations
        notes += findings.notes
        if chain.isEmpty { chain = findings.chain }
    }
}

/// The stored row of a ledger's newest checkpoint. Nothing in it is trusted.
struct StoredCheckpoint: Sendable, Hashable {
    let size: Int64
    let root: [UInt8]
    /// The bytes of the note, which need not be UTF-8.
    let note: [UInt8]
    var text: String { String(decoding: note, as: UTF8.self) }

    /// The note of a row `c` as it is stored: a note that does not convert fails no statement.
    static let noteBytes: SQL = "convert_to(c.note, 'SQL_ASCII')"

    /// Reads the row of a ledger; `nil` if no checkpoint was signed.
    static func find(_ ledger: LedgerID, _ pool: PostgresPool) async throws -> StoredCheckpoint? {
        let rows = try await pool.query(
            "SELECT size, root, \(noteBytes) FROM tenure.checkpoint AS c WHERE ledger_id = \(ledger.uuid)",
            in: [LedgerID]())
        return try rows.first.map { row in
            let (size, root, note) = try row.decode(Int64.self, [UInt8].self, [UInt8].self)
            return StoredCheckpoint(size: size, root: root, note: note)
        }
    }

    /// The tree that the note names, whoever signed it. A wrong signature is reported separately.
    var expectedRoot: ExpectedRoot? {
        guard let body = try? SignedCheckpoint(parsing: text).checkpoint else { return nil }
        return ExpectedRoot(size: body.size, root: body.root, source: .checkpoint)
    }

    /// Returns what is wrong with the row itself.
    ///
    /// - Parameter records: The system ledger's records of the ledger, read before the row.
    static func violations(
        _ row: StoredCheckpoint?, of ledger: LedgerID, key: LogKey, records: [ExpectedRoot]
    ) -> [Violation] {
        func violation(_ words: String) -> [Violation] { [Violation(.checkpoint, ledger: ledger, words)] }
        let newest = records.map(\.size).max() ?? 0
        guard let row else { return newest > 0 ? violation("the checkpoint is missing") : [] }
        guard let signed = try? SignedCheckpoint(parsing: row.text) else {
            return violation("the checkpoint is malformed")
        }
        guard signed.ledger == ledger, (try? signed.verify(key)) != nil else {
            return violation("the checkpoint is not signed by the key of this log")
        }
        guard signed.checkpoint.size == row.size, signed.checkpoint.root == row.root else {
            return violation("the checkpoint's columns are not those of its note")
        }
        return row.size >= newest ? [] : violation("the checkpoint is older than the newest one that is recorded")
    }
}

/// The ledgers that occur in any table of the database.
struct StoredLedgers: Sendable {
    let pool: PostgresPool

    /// Returns their ids, with the numbers of events in their heads.
    func all() async throws -> [LedgerID: Int64] {
        let rows = try await pool.query("SELECT ledger_id, size FROM tenure.stored_ledgers()", in: [LedgerID]())
        let ledgers = try rows.map { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return (LedgerID(ledger), size)
        }
        return Dictionary(ledgers, uniquingKeysWith: { first, _ in first })
    }
}
