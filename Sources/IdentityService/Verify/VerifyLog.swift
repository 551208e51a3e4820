import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
public import Postgres

/// Verifies the log in the database, every ledger from its entries.
///
/// First the system ledger, against the anchor: it records the roots that all ledgers had. Then each ledger against
/// those records and against its own signed checkpoint. Nothing that the database stores beside the entries is believed.
public struct VerifyLog: Sendable {
    private let pool: PostgresPool
    private let request: VerifyRequest
    /// How many ledgers are read at once.
    private static let width = 3

    /// Verifies over a pool of the reader role with at least six connections.
    public init(pool: PostgresPool, request: VerifyRequest) {
        self.pool = pool
        self.request = request
    }

    /// Verifies.
    ///
    /// - Parameter progress: Told how many events were verified, of about how many.
    /// - Throws: ``LedgerError`` and errors of the database; never for what is found.
    public func run(_ progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }) async throws
        -> VerifyReport
    {
        let stored = try await StoredLedgers(pool: pool).all()
        let wanted = request.ledger.map { ledger in stored.filter { $0.key == ledger || $0.key == .system } } ?? stored
        let counter = VerifiedCount(total: wanted.values.reduce(0, +), progress)
        var report = VerifyReport()
        report.isAnchored = request.anchor != nil
        var system = LogInspector(checksSignatures: request.checksSignatures)
        report.add(try await verify(.system, records: [], &system, counter))
        let ledgers = Set(wanted.keys).union(request.ledger.map { [$0] } ?? Set(system.records.keys))
        let rest = ledgers.subtracting([.system])
        let known = (records: system.records, apps: system.apps)
        // Companies first: the records that their validations need are in directories that are read later.
        let validated = try await verify(rest.filter { !$0.isDirectory }, known, [:], &report, counter)
        // Of one company alone only its people's streams are read: directories hold everybody's.
        if request.ledger != nil { report.violations += try await UserRecords(pool: pool).violations(of: validated) }
        let keys = request.ledger == nil ? validated.byDirectory(rest.filter(\.isDirectory)) : [:]
        let directories = Set(keys.keys)
        _ = try await verify(rest.filter(\.isDirectory).union(directories), known, keys, &report, counter)
        report.violations = report.violations.enumerated().sorted {
            ($0.element.ledger, $0.offset) < ($1.element.ledger, $1.offset)
        }.map(\.element)
        return report
    }

    /// What the system ledger says of the others.
    private typealias Known = (records: [LedgerID: [ExpectedRoot]], apps: AppAuthorities)

    /// Verifies ledgers, a few at once; gives back the user keys that validations in them were signed with.
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
        let (records, apps, validated) = (known.records[ledger] ?? [], known.apps, keys[ledger] ?? ValidatedKeys())
        group.addTask {
            var inspector = LogInspector(
                checksSignatures: request.checksSignatures, apps: apps, validated: validated)
            var findings = try await verify(ledger, records: records, &inspector, counter)
            findings.take(inspector, of: ledger, request)
            return findings
        }
    }

    private func verify(
        _ ledger: LedgerID, records: [ExpectedRoot], _ inspector: inout LogInspector, _ counter: VerifiedCount
    ) async throws -> LedgerFindings {
        // Read before the head, which then has at least its size, and after the system ledger.
        let checkpoint = try await StoredCheckpoint.find(ledger, pool)
        var roots = records
        if let root = checkpoint?.expectedRoot { roots.append(root) }
        if ledger == .system, let anchor = request.anchor?.checkpoint.checkpoint {
            roots.append(ExpectedRoot(size: anchor.size, root: anchor.root, source: .anchor))
        }
        let report = try await VerifyLedger(pool: pool).run(ledger, expecting: roots, inspector: &inspector) { count in
            counter.add(count)
        }
        let signed = StoredCheckpoint.violations(checkpoint, of: ledger, key: request.key, records: records)
        return LedgerFindings(
            events: report.events, sealed: min(report.events, roots.map(\.size).max() ?? 0),
            violations: report.violations + signed)
    }
}

/// Counts over several tasks.
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
