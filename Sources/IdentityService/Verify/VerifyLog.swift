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
        var system = LogInspector(checksSignatures: request.checksSignatures)
        report.add(try await verify(.system, records: [], &system, counter))
        let ledgers = Set(wanted.keys).union(request.ledger.map { [$0] } ?? Set(system.records.keys))
        let rest = ledgers.subtracting([.system]).sorted()
        let (records, apps) = (system.records, system.apps)
        try await withThrowingTaskGroup(of: LedgerFindings.self) { group in
            var left = rest[...]
            for _ in 0..<Self.width { add(&left, to: &group, records, apps, counter) }
            while let findings = try await group.next() {
                report.add(findings)
                add(&left, to: &group, records, apps, counter)
            }
        }
        report.violations = report.violations.enumerated().sorted {
            ($0.element.ledger, $0.offset) < ($1.element.ledger, $1.offset)
        }.map(\.element)
        return report
    }

    private func add(
        _ left: inout ArraySlice<LedgerID>, to group: inout ThrowingTaskGroup<LedgerFindings, any Error>,
        _ records: [LedgerID: [ExpectedRoot]], _ apps: AppAuthorities, _ counter: VerifiedCount
    ) {
        guard let ledger = left.popFirst() else { return }
        group.addTask {
            var inspector = LogInspector(checksSignatures: request.checksSignatures, apps: apps)
            var findings = try await verify(ledger, records: records[ledger] ?? [], &inspector, counter)
            findings.violations += wrongFounder(ledger, inspector)
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

    private func wrongFounder(_ ledger: LedgerID, _ inspector: LogInspector) -> [Violation] {
        guard let pinned = request.founderFingerprint, ledger == request.ledger else { return [] }
        let root = inspector.trail.root.flatMap { try? EmployeePublicKey(bytes: $0.bytes).fingerprint }
        return root == pinned
            ? [] : [Violation(.signature, ledger: ledger, "the founder's first key is not the pinned one")]
    }
}

/// What was found in one ledger.
struct LedgerFindings: Sendable {
    let events: Int64
    let sealed: Int64
    var violations: [Violation]
}

extension VerifyReport {
    mutating func add(_ findings: LedgerFindings) {
        ledgers += 1
        events += findings.events
        sealedEvents += findings.sealed
        violations += findings.violations
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
