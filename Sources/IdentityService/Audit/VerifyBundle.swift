import EventCoding
import FoundationEssentials
package import Ledger

/// Verifies a bundle without a database: the signatures of checkpoints, the entries against them, and the entries'
/// content.
///
/// If the bundle contains the system ledger, its records and the anchor bind the other ledgers' checkpoints. Otherwise
/// only the key does.
package struct VerifyBundle: Sendable {
    private let bundle: BundleReader
    private let request: VerifyRequest

    /// Verifies a bundle that was opened for reading.
    package init(_ bundle: BundleReader, request: VerifyRequest) {
        self.bundle = bundle
        self.request = request
    }

    /// Verifies the bundle and returns the report.
    ///
    /// - Parameter progress: Called with the number of verified events and the total.
    /// - Throws: `ProofError` if the bundle cannot be read; never for what is found.
    package func run(_ progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }) async throws
        -> VerifyReport
    {
        let counter = VerifiedCount(total: bundle.manifest.parts.reduce(0) { $0 + $1.entries }, progress)
        var report = VerifyReport()
        var system = LogInspector(checksSignatures: request.checksSignatures)
        let disowned = await bundle.disowned()
        var isSystemWhole = false
        var authority: SystemAuthority?
        var validated = ValidatedKeys()
        report.anchor = request.anchor.map {
            AnchorComparison($0.checkpoint.checkpoint, logSize: 0, .notCompared)
        }
        for part in bundle.manifest.parts.sorted(by: { Self.order($0.ledger) < Self.order($1.ledger) }) {
            if part.ledger == .system {
                isSystemWhole = part.content == .whole
                var findings = try await verify(part, disowned, records: [], &system, counter)
                report.anchor = request.anchor.map { compare($0, part, findings.violations) }
                if isSystemWhole { findings.violations += system.settleSystem() }
                authority = system.authority
                authority?.isWhole = isSystemWhole
                findings.notes = authority?.notes ?? []
                report.add(findings)
                // A partial system ledger may lack the first event.
                if isSystemWhole || system.authority.operatorKey != nil {
                    report.violations += OperatorSignatures.violations(
                        system.authority.operatorKey, pinned: request.operatorKey)
                }
                continue
            }
            let records = system.records[part.ledger] ?? []
            let isWhole = part.content == .whole
            var inspector = LogInspector(
                checksSignatures: request.checksSignatures, system: authority, of: part.ledger, sealed: records,
                validated: part.ledger.isDirectory
                    ? validated.byDirectory([part.ledger])[part.ledger] ?? .init() : .init())
            var findings = try await verify(part, disowned, records: records, &inspector, counter)
            if isWhole { findings.take(inspector, of: part.ledger, request) }
            validated.merge(findings.validated)
            report.add(findings)
        }
        return report
    }

    /// Compares a partial system ledger with an anchor. Only its checkpoint can be compared, with an anchor of its size
    /// or later.
    private func compare(
        _ anchor: Anchor, _ part: BundleManifest.Part, _ violations: [Violation]
    ) -> AnchorComparison {
        let kept = anchor.checkpoint.checkpoint
        guard part.content == .whole || kept.size >= part.size else {
            return AnchorComparison(kept, logSize: part.size, .notCompared)
        }
        let signed = bundle.checkpoint(.system)?.checkpoint
        if kept.size == part.size, let signed, signed.root != kept.root {
            return AnchorComparison(kept, logSize: part.size, .different)
        }
        return AnchorComparison(kept, logSize: part.size, violations: violations)
    }

    /// The order of verification: the system ledger, then tenants, then the directories with the records of their
    /// validations.
    private static func order(_ ledger: LedgerID) -> Int { ledger == .system ? 0 : ledger.isDirectory ? 2 : 1 }

    private func verify(
        _ part: BundleManifest.Part, _ disowned: DisownedEntries, records: [ExpectedRoot],
        _ inspector: inout LogInspector, _ counter: VerifiedCount
    ) async throws -> LedgerFindings {
        var roots = records
        var violations: [Violation] = []
        if let signed = bundle.checkpoint(part.ledger), (try? signed.verify(request.key)) == nil {
            violations.append(
                Violation(.checkpoint, ledger: part.ledger, "the checkpoint is not signed by the key of this log"))
        }
        if part.ledger == .system, let anchor = request.anchor?.checkpoint.checkpoint {
            roots.append(ExpectedRoot(size: anchor.size, root: anchor.root, source: .anchor))
            if anchor.size > part.size {
                violations.append(
                    Violation(.checkpoint, ledger: part.ledger, "the checkpoint is older than the anchor"))
            }
        }
        let report = try await CheckBundledLedger(bundle, disowned: disowned).run(
            part, expecting: roots, inspector: &inspector
        ) { count in counter.add(count) }
        return LedgerFindings(
            events: report.events, sealed: report.events, violations: report.violations + violations)
    }
}

/// The relation of a log to the anchor that an auditor kept.
package struct AnchorComparison: Sendable, Equatable {
    /// The result of the comparison.
    package enum Outcome: String, Sendable {
        /// The system ledger is what the anchor signed, and has not grown since.
        case same
        /// The system ledger contains what the anchor signed, and has grown since.
        case ahead
        /// The system ledger has fewer entries than the anchor signed.
        case behind
        /// The system ledger has other entries than the anchor signed.
        case different
        /// The bundle lacks part of the system ledger. The anchor only provided its key.
        case notCompared = "not-compared"
    }

    /// The number of the system ledger's entries that the anchor signed.
    package let size: Int64
    /// The root over them, 32 bytes.
    package let root: [UInt8]
    /// The number of the system ledger's entries that were verified.
    package let logSize: Int64
    /// The result of the comparison.
    package let outcome: Outcome

    /// Compares an anchor with the findings on the system ledger.
    ///
    /// - Parameters:
    ///   - anchor: The checkpoint that the auditor kept.
    ///   - logSize: The number of the system ledger's entries.
    ///   - violations: The violations of the system ledger. Entries that differ from the anchor's appear as a root that
    ///     differs, at a position up to the anchor's size.
    init(_ anchor: Checkpoint, logSize: Int64, violations: [Violation]) {
        let isOther = violations.contains {
            $0.ledger == .system && $0.kind == .root && ($0.position ?? 0) <= anchor.size
        }
        self.init(
            anchor, logSize: logSize,
            logSize < anchor.size ? .behind : isOther ? .different : logSize == anchor.size ? .same : .ahead)
    }

    init(_ anchor: Checkpoint, logSize: Int64, _ outcome: Outcome) {
        size = anchor.size
        root = anchor.root
        self.logSize = logSize
        self.outcome = outcome
    }
}
