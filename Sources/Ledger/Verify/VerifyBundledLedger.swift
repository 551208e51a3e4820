/// Verifies one ledger of a bundle, by the rules that hold for the database.
///
/// Of a ledger that is there whole, everything is verified; the versions of its streams are remembered, so its memory
/// grows with their number. Of a part, each entry is proved and judged by itself.
public struct VerifyBundledLedger: Sendable {
    private let bundle: BundleReader

    /// Verifies a bundle that was opened.
    public init(_ bundle: BundleReader) { self.bundle = bundle }

    /// Verifies one part of the bundle.
    ///
    /// - Parameters:
    ///   - roots: What is known of the ledger's tree otherwise.
    ///   - inspector: Judges what events say.
    ///   - progress: Told how many events were verified since the last call.
    /// - Throws: ``ProofError`` when the bundle cannot be read; never for what is in it.
    public func run<Inspector: EventInspector>(
        _ part: BundleManifest.Part, expecting roots: [ExpectedRoot], inspector: inout Inspector,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> VerifyLedger.Report {
        let isWhole = part.content == .whole
        // Of a part only the root that its entries are proved against can be compared.
        let known = isWhole ? roots.filter { $0.size <= part.size } : []
        var verifier = LedgerVerifier(ledger: part.ledger, expecting: known)
        var versions: [StreamID: Int] = [:]
        var events: Int64 = 0
        for root in roots where root.size == part.size && root.root != bundle.checkpoint(part.ledger)?.checkpoint.root {
            verifier.report(
                .checkpoint, at: nil, "the checkpoint has another root than \(root.source) at size \(root.size)")
        }
        do {
            try await bundle.read(part) { event in
                events += 1
                if let words = inspector.inspect(event) { verifier.report(.signature, at: event.position, words) }
                if isWhole {
                    verifier.take(
                        CheckedEvent(
                            position: event.position, leaf: event.leaf, time: event.time, event: event,
                            violation: nil))
                    _ = verifier.takeTiles()
                    if versions[event.stream, default: 0] + 1 != event.streamVersion {
                        verifier.report(.stream, at: event.position, "the versions of a stream are not 1, 2, 3 …")
                    }
                    versions[event.stream] = event.streamVersion
                }
                if isWhole || event.ledger == .system, let words = inspector.follow(event) {
                    verifier.report(.signature, at: event.position, words)
                }
                if events % 1_024 == 0 { progress(1_024) }
            }
        } catch let error as ProofError {
            guard error.code != .fileFailed else { throw error }
            verifier.report(error.code == .rootMismatch ? .root : .entry, at: error.position, error.reason)
        } catch let error as LedgerError {
            verifier.report(.entry, at: nil, error.reason)
        }
        progress(Int(events % 1_024))
        return VerifyLedger.Report(events: events, violations: verifier.violations)
    }
}
