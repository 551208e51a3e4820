/// Reads a bundle; hands out nothing that is not proved.
///
/// ```swift
/// let bundle = try BundleReader(directory: "export")
/// try bundle.verifyCheckpoints(key)          // a key known otherwise; `bundle.manifest.key` is what the bundle says
/// for part in bundle.manifest.parts {
///     try await bundle.read(part) { event in … }   // `RecordedEvent`s in the order of positions
/// }
/// ```
///
/// What a bundle proves is that these entries are those of the checkpoint, at these positions. That nothing is left out
/// is proved of a ledger that is there whole. Memory does not grow with the number of entries, but by 32 bytes for 256
/// entries of a whole ledger.
public struct BundleReader: Sendable {
    /// What the bundle says that it holds.
    public let manifest: BundleManifest
    let files: BundleFiles
    private let checkpoints: [LedgerID: SignedCheckpoint]

    /// Opens a bundle and reads its manifest and checkpoints.
    ///
    /// - Throws: ``ProofError/Code/bundleInvalid``, ``ProofError/Code/malformed`` or ``ProofError/Code/fileFailed``.
    public init(directory: String) throws(ProofError) {
        files = BundleFiles(directory: directory)
        let found = try files.names()
        guard found.contains(BundleManifest.fileName) else {
            throw ProofError(.bundleInvalid, "the directory has no manifest of a bundle")
        }
        manifest = try BundleManifest(
            parsing: try files.read(BundleManifest.fileName, limit: BundleManifest.maximumLength))
        guard found == Set(manifest.parts.map(\.ledger.description) + [BundleManifest.fileName]) else {
            throw ProofError(.bundleInvalid, "the directory has other files than the manifest says")
        }
        var checkpoints: [LedgerID: SignedCheckpoint] = [:]
        for part in manifest.parts {
            let note = try files.read("\(part.ledger)/checkpoint", limit: SignedNote.maximumLength)
            let checkpoint = try SignedCheckpoint(parsing: String(decoding: note, as: UTF8.self))
            guard checkpoint.ledger == part.ledger, checkpoint.checkpoint.size == part.size else {
                throw ProofError(.bundleInvalid, "ledger \(part.ledger): the checkpoint is another one's")
            }
            checkpoints[part.ledger] = checkpoint
        }
        self.checkpoints = checkpoints
    }

    /// The checkpoint of a ledger, or nil when the bundle has none of it.
    public func checkpoint(_ ledger: LedgerID) -> SignedCheckpoint? { checkpoints[ledger] }

    /// Verifies that the key signed the checkpoint of every ledger.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid``.
    public func verifyCheckpoints(_ key: LogKey) throws(ProofError) {
        for part in manifest.parts {
            do { try checkpoints[part.ledger]?.verify(key) } catch {
                throw ProofError(error.code, "ledger \(part.ledger): \(error.reason)")
            }
        }
    }

    /// Reads the events of a ledger in the order of positions, each after it was proved against the checkpoint.
    ///
    /// - Throws: ``ProofError`` with ledger and position of the first entry that is not what was signed, and whatever
    ///   `body` throws.
    public func read(_ part: BundleManifest.Part, _ body: (RecordedEvent) async throws -> Void) async throws {
        guard let checkpoint = checkpoints[part.ledger]?.checkpoint else {
            throw ProofError(.bundleInvalid, "the bundle has no ledger \(part.ledger)")
        }
        switch part.content {
        case .whole: try await readWhole(part, checkpoint, body)
        case .part: try await readPart(part, checkpoint, body)
        }
    }

    /// Reads an entry that was proved.
    func event(_ entry: [UInt8], _ part: BundleManifest.Part, at position: Int64) throws -> RecordedEvent {
        let event = try Entry.decode(entry, at: position)
        guard event.ledger == part.ledger else { throw refusal(part, position, "the entry is one of another ledger") }
        return event
    }

    func refusal(_ part: BundleManifest.Part, _ position: Int64, _ reason: String) -> ProofError {
        ProofError(.bundleInvalid, "ledger \(part.ledger), position \(position): \(reason)", position: position)
    }

    func mismatch(_ part: BundleManifest.Part, _ position: Int64) -> ProofError {
        ProofError(
            .rootMismatch,
            "ledger \(part.ledger), position \(position): the entry is not the one that was signed", position: position)
    }
}
