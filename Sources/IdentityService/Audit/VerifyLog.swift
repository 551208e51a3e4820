package import Canonical
package import Credentials
import FoundationEssentials
import Identity
package import Ledger
package import Postgres

/// Verifies every ledger of the database from its entries.
///
/// The system ledger comes first, compared with the anchor; it records the roots of all ledgers. Then each ledger is
/// compared with those records and with its own signed checkpoint. Nothing that the database stores beside the entries
/// is trusted.
package struct VerifyLog: Sendable {
    private let pool: PostgresPool
    private let request: VerifyRequest
    /// The number of ledgers read at once.
    private static let width = 3

    /// Verifies over a pool of the reader role with at least six connections.
    package init(pool: PostgresPool, request: VerifyRequest) {
        self.pool = pool
        self.request = request
    }

    /// Verifies the log and returns the report.
    ///
    /// - Parameter progress: Called with the number of verified events and an estimate of the total.
    /// - Throws: ``LedgerError`` and errors of the database; never for what is found.
    package func run(_ progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }) async throws
        -> VerifyReport
    {
        let began = try await clock()
        let stored = try await StoredLedgers(pool: pool).all()
        let wanted = request.ledger.map { ledger in stored.filter { $0.key == ledger || $0.key == .system } } ?? stored
        let disowned = try await DisownEntries.sealed(in: pool)
        let counter = VerifiedCount(total: wanted.values.reduce(0, +), progress)
        var report = VerifyReport()
        var system = LogInspector(checksSignatures: request.checksSignatures)
        var ofSystem = try await verify(.system, records: [], disowned, &system, counter)
        ofSystem.violations += system.settleSystem(at: try await clock())
        ofSystem.notes = system.authority.notes
        report.anchor = request.anchor.map {
            AnchorComparison($0.checkpoint.checkpoint, logSize: ofSystem.events, violations: ofSystem.violations)
        }
        report.add(ofSystem)
        report.violations += OperatorSignatures.violations(system.authority.operatorKey, pinned: request.operatorKey)
        let ledgers = Set(wanted.keys).union(request.ledger.map { [$0] } ?? Set(system.records.keys))
        let rest = ledgers.subtracting([.system])
        let known = (records: system.records, system: system.authority, disowned: disowned)
        // Tenants come first: the records that their validations need are in directories, which are read later.
        var validated = try await verify(rest.filter { !$0.isDirectory }, known, [:], &report, counter)
        validated.causes.releases.isComplete = request.ledger == nil
        validated.causes.releases.readSince = began.adding(.zero - LedgerTimes.lead)
        // For a single tenant only its users' streams are read: directories hold those of all tenants.
        if request.ledger != nil {
            report.violations += try await UserRecords(pool: pool, disowned: disowned).violations(of: validated)
        }
        let keys = request.ledger == nil ? validated.byDirectory(rest.filter(\.isDirectory)) : [:]
        let directories = Set(keys.keys)
        let read = try await verify(rest.filter(\.isDirectory).union(directories), known, keys, &report, counter)
        if request.ledger == nil {
            let given = read.causes.releases.given
            report.violations += try await UserRecords(pool: pool, disowned: disowned).violations(of: given)
            report.violations += try await RowComparison(pool: pool, disowned: disowned).violations()
        }
        report.violations = report.violations.enumerated().sorted {
            ($0.element.ledger, $0.offset) < ($1.element.ledger, $1.offset)
        }.map(\.element)
        return report
    }

    /// The system ledger's statements about the other ledgers.
    private typealias Known = (
        records: [LedgerID: [ExpectedRoot]], system: SystemAuthority, disowned: DisownedEntries
    )

    /// Verifies ledgers, a few at once, and returns the user keys that signed validations in them.
    private func verify(
        _ ledgers: Set<LedgerID>, _ known: Known, _ keys: [LedgerID: ValidatedKeys], _ report: inout VerifyReport,
        _ counter: VerifiedCount
    ) async throws -> ValidatedKeys {
        var left = ledgers.sorted()[...]
        var validated = ValidatedKeys()
        try await withThrowingTaskGroup(of: LedgerFindings.self) { group in
            for _ in 0..<Self.width { add(&left, to: &group, known, keys, counter) }
            while let findings = try await group.next() {
                report.add(findings)
                validated.merge(findings.validated)
                add(&left, to: &group, known, keys, counter)
            }
        }
        return validated
    }

    private func add(
        _ left: inout ArraySlice<LedgerID>, to group: inout ThrowingTaskGroup<LedgerFindings, any Error>,
        _ known: Known, _ keys: [LedgerID: ValidatedKeys], _ counter: VerifiedCount
    ) {
        guard let ledger = left.popFirst() else { return }
        let disowned = known.disowned
        let (records, system, validated) = (known.records[ledger] ?? [], known.system, keys[ledger] ?? ValidatedKeys())
        group.addTask {
            var inspector = LogInspector(
                checksSignatures: request.checksSignatures, system: system, of: ledger, at: try await clock(),
                sealed: records, validated: validated)
            var findings = try await verify(ledger, records: records, disowned, &inspector, counter)
            findings.violations += inspector.ahead(of: try await clock(), in: ledger)
            findings.take(inspector, of: ledger, request)
            return findings
        }
    }

    /// The database's clock.
    private func clock() async throws -> Timestamp {
        if let now = request.now { return now() }
        return try await FindGrownLedgers(pool: pool).clock()
    }

    private func verify(
        _ ledger: LedgerID, records: [ExpectedRoot], _ disowned: DisownedEntries, _ inspector: inout LogInspector,
        _ counter: VerifiedCount
    ) async throws -> LedgerFindings {
        // Read before the head, which then has at least this size, and after the system ledger.
        let checkpoint = try await StoredCheckpoint.find(ledger, pool)
        var roots = records
        if let root = checkpoint?.expectedRoot { roots.append(root) }
        if ledger == .system, let anchor = request.anchor?.checkpoint.checkpoint {
            roots.append(ExpectedRoot(size: anchor.size, root: anchor.root, source: .anchor))
        }
        let check = CheckStoredLedger(pool: pool, disowned: disowned)
        let report = try await check.run(ledger, expecting: roots, inspector: &inspector) { count in
            counter.add(count)
        }
        let signed = StoredCheckpoint.violations(checkpoint, of: ledger, key: request.key, records: records)
        return LedgerFindings(
            events: report.events, sealed: min(report.events, roots.map(\.size).max() ?? 0),
            violations: report.violations + signed)
    }
}

/// Counts verified events over several tasks.
final class VerifiedCount: Sendable {
    private let total: Int64
    private let progress: @Sendable (Int64, Int64) -> Void
    private let done = Lock(Int64(0))

    init(total: Int64, _ progress: @escaping @Sendable (Int64, Int64) -> Void) {
        self.total = total
        self.progress = progress
    }

    func add(_ count: Int) {
        let done = done.withLock { done in
            done += Int64(count)
            return done
        }
        progress(done, total)
    }
}

/// The result of a verification.
package struct VerifyReport: Sendable {
    /// The number of verified ledgers.
    package internal(set) var ledgers = 0
    /// The number of verified events.
    package internal(set) var events: Int64 = 0
    /// The number of events that a signed checkpoint covers; nothing vouches for later ones yet.
    package internal(set) var sealedEvents: Int64 = 0
    /// The relation of the system ledger to the given anchor; `nil` without an anchor.
    package internal(set) var anchor: AnchorComparison?
    /// Whether an anchor was compared with the system ledger. A bundle with a part of that ledger does not allow it.
    package var isAnchored: Bool { anchor.map { $0.outcome != .notCompared } ?? false }
    /// The violations, ledger by ledger; empty if the log is what was signed.
    package internal(set) var violations: [Violation] = []
    /// Notes that are no violations, such as decisions that could not be proved.
    package internal(set) var notes: [VerifyNote] = []
    /// The requested chain, from its key to the root; empty if no such key was ever authorized.
    package internal(set) var chain: [AuthorityLink] = []
}

/// A note on a ledger that is no violation.
package struct VerifyNote: Sendable, Equatable, CustomStringConvertible {
    package let ledger: LedgerID
    /// The first position concerned; `nil` if the note is about the ledger as a whole.
    package let position: Int64?
    /// The last position concerned.
    package let lastPosition: Int64?
    /// The note, in words without content.
    package let detail: String

    /// Ledger, positions and note.
    package var description: String {
        guard let position, let lastPosition else { return "ledger \(ledger): \(detail)" }
        return "ledger \(ledger), positions \(position) to \(lastPosition): \(detail)"
    }
}

/// The options of a verification.
package struct VerifyRequest: Sendable {
    /// The key that signed the checkpoints.
    package var key: LogKey
    /// The anchor that an auditor kept.
    package var anchor: Anchor?
    /// The only ledger to verify, besides the system ledger, which vouches for it; `nil` for all.
    package var ledger: LedgerID?
    /// Whether signatures inside events are verified.
    package var checksSignatures: Bool
    /// The expected fingerprint of the founder's first key, in hexadecimal; used with ``ledger``.
    package var founderFingerprint: String?
    /// The fingerprint of the key whose chain of authority is requested, in hexadecimal; used with ``ledger``.
    package var chainFingerprint: String?
    /// The expected public half of the operator key.
    package var operatorKey: OperatorPublicKey?
    /// A clock in place of the database's, for tests with a clock of their own.
    package var now: (@Sendable () -> Timestamp)?

    /// The defaults verify everything.
    package init(
        key: LogKey, anchor: Anchor? = nil, ledger: LedgerID? = nil, checksSignatures: Bool = true,
        founderFingerprint: String? = nil, chainFingerprint: String? = nil, operatorKey: OperatorPublicKey? = nil
    ) {
        self.key = key
        self.anchor = anchor
        self.ledger = ledger
        self.checksSignatures = checksSignatures
        self.founderFingerprint = founderFingerprint
        self.chainFingerprint = chainFingerprint
        self.operatorKey = operatorKey
    }
}
