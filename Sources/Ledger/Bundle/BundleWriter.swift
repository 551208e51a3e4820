public import Canonical

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a bundle: a directory of entries that anybody can verify without a database.
///
/// ```swift
/// let writer = try BundleWriter(directory: "export", key: key, filter: ["company": "acme.example"])
/// do {
///     // Ledgers in the order of their ids (`LedgerID` is Comparable), each at its newest signed checkpoint.
///     try await writer.begin(checkpoint, .part, hashes: LedgerHashes(reader: reader, ledger: ledger))
///     try await writer.append(event.entry, at: event.position)   // ascending positions, at most the checkpoint's size
///     try await writer.finish()
/// } catch {
///     await writer.discard()
///     throw error
/// }
/// ```
///
/// `.whole` takes every entry from position 1 to the checkpoint's size; `.part` takes any of them and stores the
/// inclusion proof of each. Both are held against the checkpoint's root while they are written, so a log that is not
/// what was signed cannot be exported. Memory does not grow with the number of entries. The bundle appears under its
/// name when it is complete, in one step; until then it is a directory beside it, which ``discard()`` removes.
public actor BundleWriter {
    private let directory: String
    private let files: BundleFiles
    private let key: LogKey
    private let filter: JSONValue
    private var parts: [BundleManifest.Part] = []
    private var current: (any BundlePartWriter)?
    private var isOpen = true

    /// Claims the name of a new directory; its parent must exist.
    ///
    /// - Parameters:
    ///   - directory: The path of the bundle; nothing may be there yet.
    ///   - key: The key that signed the checkpoints.
    ///   - filter: What was asked for, for a reader of the manifest: an object without personal data.
    /// - Throws: ``ProofError/Code/fileFailed``.
    public init(directory: String, key: LogKey, filter: JSONValue = .object([:])) throws(ProofError) {
        self.directory = directory
        self.key = key
        self.filter = filter
        files = BundleFiles(directory: "\(directory).partial")
        // The empty directory is the claim; the finished bundle takes its place.
        guard mkdir(directory, 0o777) == 0 else { throw BundleFiles.failure("the bundle cannot be made") }
        guard mkdir(files.directory, 0o777) == 0 else {
            let error = BundleFiles.failure("the bundle cannot be made beside its place")
            rmdir(directory)
            throw error
        }
    }

    /// Begins a ledger, after the one before.
    ///
    /// - Parameters:
    ///   - checkpoint: What its entries will lead to, signed by the writer's key.
    ///   - content: Whether all entries follow, or some.
    ///   - hashes: The ledger's tree, which proofs are made from; not used for ``BundleManifest/Content/whole``.
    public func begin(
        _ checkpoint: SignedCheckpoint, _ content: BundleManifest.Content, hashes: any MerkleHashes
    ) throws {
        try endPart()
        try checkpoint.verify(key)
        guard let ledger = checkpoint.ledger, parts.last.map({ $0.ledger < ledger }) ?? true else {
            throw ProofError(.bundleInvalid, "ledgers are bundled in the order of their ids, each once")
        }
        try files.makeDirectories("\(ledger)")
        try files.write(Array(checkpoint.note.text.utf8), to: "\(ledger)/checkpoint")
        current =
            switch content {
            case .whole: WholeLedgerWriter(files: files, ledger: ledger, checkpoint: checkpoint.checkpoint)
            case .part:
                try PartLedgerWriter(files: files, ledger: ledger, checkpoint: checkpoint.checkpoint, hashes: hashes)
            }
    }

    /// Adds an entry of the ledger begun last.
    ///
    /// - Throws: ``ProofError/Code/rootMismatch`` when the entry is not the one that was signed, and
    ///   ``ProofError/Code/bundleInvalid`` for a position out of order or beyond the checkpoint.
    public func append(_ entry: [UInt8], at position: Int64) async throws {
        // Taken out meanwhile: an actor may be entered again while it waits.
        guard var part = current else { throw ProofError(.bundleInvalid, "no ledger was begun") }
        current = nil
        try await part.append(entry, at: position)
        current = part
    }

    /// Completes the bundle and gives it its name.
    public func finish() throws {
        try endPart()
        let manifest = BundleManifest(key: key, made: .now(), filter: filter, parts: parts)
        try files.write(manifest.bytes, to: BundleManifest.fileName)
        guard rename(files.directory, directory) == 0 else { throw BundleFiles.failure("the bundle cannot be named") }
        isOpen = false
    }

    /// Removes what was written; nothing after ``finish()``.
    public func discard() {
        guard isOpen else { return }
        isOpen = false
        current = nil
        DirectoryRemoval.remove(files.directory)
        rmdir(directory)
    }

    private func endPart() throws(ProofError) {
        guard var part = current else { return }
        parts.append(try part.end())
        current = nil
    }
}

/// Writes the entries of one ledger.
protocol BundlePartWriter: Sendable {
    mutating func append(_ entry: [UInt8], at position: Int64) async throws
    mutating func end() throws(ProofError) -> BundleManifest.Part
}
