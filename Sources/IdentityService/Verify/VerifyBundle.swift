import FoundationEssentials
public import Ledger

/// Verifies a bundle without any database: signatures of checkpoints, entries against them, and what entries say.
///
/// When the system ledger is in the bundle, its records and the anchor bind the checkpoints of the others; when not,
/// the key alone does.
public struct VerifyBundle: Sendable {
    private let bundle: BundleReader
    private let request: VerifyRequest

    /// Verifies a bundle that was opened.
    public init(_ bundle: BundleReader, request: VerifyRequest) {
        self.bundle = bundle
        self.request = request
    }

    /// Verifies.
    ///
    /// - Parameter progress: Told how many events were verified, of how many.
    /// - Throws: `ProofError` when the bundle cannot be read; never for what is found.
    public func run(_ progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }) async throws
        -> VerifyReport
    {
        let counter = VerifiedCount(total: bundle.manifest.parts.reduce(0) { $0 + $1.entries }, progress)
        var report = VerifyReport()
        var system = LogInspector(checksSignatures: request.checksSignatures)
        var isSystemWhole = false
        var validated = ValidatedKeys()
        for part in bundle.manifest.parts.sorted(by: { Self.order($0.ledger) < Self.order($1.ledger) }) {
            if part.ledger == .system {
                isSystemWhole = part.content == .whole
                let size = request.anchor?.checkpoint.checkpoint.size
                report.isAnchored = size.map { isSystemWhole || $0 >= part.size } ?? false
                report.add(try await verify(part, records: [], &system, counter))
                continue
            }
            let records = system.records[part.ledger] ?? []
            let isWhole = part.content == .whole
            var inspector = LogInspector(
                checksSignatures: request.checksSignatures, apps: isSystemWhole ? system.apps : nil,
                validated: part.ledger.isDirectory
                    ? validated.byDirectory([part.ledger])[part.ledger] ?? .init() : .init())
            var findings = try await verify(part, records: records, &inspector, counter)
            if isWhole { findings.take(inspector, of: part.ledger, request) }
            validated.merge(findings.validated)
            report.add(findings)
        }
        return report
    }

    /// The system ledger first, then companies, then the directories that have what their validations need.
    private static func order(_ ledger: LedgerID) -> Int { ledger == .system ? 0 : ledger.isDirectory ? 2 : 1 }

    private func verify(
        _ part: BundleManifest.Part, records: [ExpectedRoot], _ inspector: inout LogInspector, _ counter: VerifiedCount
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
        let report = try await VerifyBundledLedger(bundle).run(part, expecting: roots, inspector: &inspector) { count in
            counter.add(count)
        }
        return LedgerFindings(
            events: report.events, sealed: report.events, violations: report.violations + violations)
    }
}
