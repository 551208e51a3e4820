public import Canonical

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a bundle: a directory of entries that can be verified without a database.
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
/// `.whole` takes every entry from position 1 to the checkpoint's size. `.part` takes any of them and stores the
/// inclusion proof of each. Both compare entries with the checkpoint's root while writing, so a log that differs from
/// what was signed cannot be exported. Memory use does not grow with the number of entries. The writer works in a
/// directory beside the final one and renames it when it is complete. ``discard()`` removes an unfinished bundle.
public actor BundleWriter {
    private let directory: String
    private let files: BundleFiles
    private let key: LogKey
    private let filter: JSONValue
    private var parts: [BundleManifest.Part] = []
    private var current: (any BundlePartWriter)?
    private var isOpen = true

    /// Reserves the name of the bundle by creating its directory; the parent must exist.
    ///
    /// - Parameters:
    ///   - directory: The path of the bundle. Nothing may exist there yet.
    ///   - key: The key that signed the checkpoints.
    ///   - filter: A description of what was asked for, stored in the manifest: an object without personal data.
    /// - Throws: ``ProofError/Code/fileFailed``.
    public init(directory: String, key: LogKey, filter: JSONValue = .object([:])) throws(ProofError) {
        self.directory = directory
        self.key = key
        self.filter = filter
        files = BundleFiles(directory: "\(directory).partial")
        // The empty directory reserves the name; the finished bundle replaces it.
        guard mkdir(directory, 0o777) == 0 else {
            throw BundleFiles.failure("the bundle cannot be created; name a directory that does not exist yet")
        }
        guard mkdir(files.directory, 0o777) == 0 else {
            let error = BundleFiles.failure("the bundle's temporary directory cannot be created")
            rmdir(directory)
            throw error
        }
    }

    /// Ends the current ledger and begins the next one.
    ///
    /// - Parameters:
    ///   - checkpoint: The checkpoint to prove the entries against, signed by the writer's key.
    ///   - content: Whether all entries follow, or some.
    ///   - hashes: The ledger's tree, from which proofs are made; not used for ``BundleManifest/Content/whole``.
    /// - Throws: ``ProofError/Code/signatureInvalid`` if the key did not sign the checkpoint,
    ///   ``ProofError/Code/bundleInvalid`` for a ledger out of order, ``ProofError/Code/fileFailed``, and what ending
    ///   the previous ledger throws; see ``finish()``.
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

    /// Adds an entry to the current ledger.
    ///
    /// - Throws: ``ProofError/Code/rootMismatch`` if the entry of a part is not the one that was signed,
    ///   ``ProofError/Code/bundleInvalid`` for a position out of order or beyond the checkpoint,
    ///   ``ProofError/Code/fileFailed``, and what the ledger's hashes throw.
    public func append(_ entry: [UInt8], at position: Int64) async throws {
        // Another call may enter the actor while this one waits, so the part is taken out meanwhile.
        guard var part = current else { throw ProofError(.bundleInvalid, "no ledger was started") }
        current = nil
        try await part.append(entry, at: position)
        current = part
    }

    /// Completes the bundle and moves it to its final name.
    ///
    /// - Throws: ``ProofError/Code/bundleInvalid`` or ``ProofError/Code/rootMismatch`` if a whole ledger lacks entries
    ///   or has others than were signed, and ``ProofError/Code/fileFailed``.
    public func finish() throws {
        try endPart()
        let manifest = BundleManifest(key: key, made: .now(), filter: filter, parts: parts)
        try files.write(manifest.bytes, to: BundleManifest.fileName)
        guard rename(files.directory, directory) == 0 else {
            throw BundleFiles.failure("the finished bundle cannot be renamed to its place")
        }
        isOpen = false
    }

    /// Removes an unfinished bundle. Does nothing after ``finish()``.
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

/// Writes all entries of a checkpoint as a tiled log: `tile/entries/…` and `tile/<level>/…`.
struct WholeLedgerWriter: BundlePartWriter {
    private let files: BundleFiles
    private let ledger: LedgerID
    private let checkpoint: Checkpoint
    private var size: Int64 = 0
    private var entries: [[UInt8]] = []
    /// The hashes of each level since its last full tile.
    private var levels: [[[UInt8]]] = [[]]
    private var fullTiles: [Int64] = [0]
    private var frontier = MerkleFrontier()

    init(files: BundleFiles, ledger: LedgerID, checkpoint: Checkpoint) {
        self.files = files
        self.ledger = ledger
        self.checkpoint = checkpoint
    }

    mutating func append(_ entry: [UInt8], at position: Int64) throws {
        guard position == size + 1, position <= checkpoint.size else {
            throw ProofError(.bundleInvalid, "a whole ledger has every entry up to its checkpoint, in order")
        }
        size = position
        entries.append(entry)
        let leaf = MerkleTree.leafHash(entry)
        frontier.append(leaf)
        if entries.count == Int(MerkleTile.width) { try writeEntries(index: size / MerkleTile.width - 1) }
        try add(leaf, level: 0)
    }

    mutating func end() throws(ProofError) -> BundleManifest.Part {
        guard size == checkpoint.size else {
            throw ProofError(.bundleInvalid, "a whole ledger has every entry up to its checkpoint")
        }
        guard frontier.root == checkpoint.root else {
            throw ProofError(.rootMismatch, "ledger \(ledger): the entries are not those that were signed")
        }
        if !entries.isEmpty { try writeEntries(index: size / MerkleTile.width) }
        for level in levels.indices where !levels[level].isEmpty { try writeTile(level) }
        return BundleManifest.Part(ledger: ledger, content: .whole, size: size, entries: size)
    }

    private mutating func add(_ hash: [UInt8], level: Int) throws(ProofError) {
        if level == levels.count {
            levels.append([])
            fullTiles.append(0)
        }
        levels[level].append(hash)
        guard levels[level].count == Int(MerkleTile.width) else { return }
        let root = MerkleTree.root(leaves: levels[level])
        try writeTile(level)
        levels[level] = []
        fullTiles[level] += 1
        try add(root, level: level + 1)
    }

    private mutating func writeEntries(index: Int64) throws(ProofError) {
        try write(EntryBundle.encode(entries), TilePath(.entries, index: index, width: Int64(entries.count)))
        entries = []
    }

    private func writeTile(_ level: Int) throws(ProofError) {
        let hashes = levels[level]
        let path = TilePath(.hashes(level: level), index: fullTiles[level], width: Int64(hashes.count))
        try write(hashes.flatMap(\.self), path)
    }

    private func write(_ bytes: [UInt8], _ path: TilePath?) throws(ProofError) {
        guard let path else { throw ProofError(.bundleInvalid, "a ledger is too large for tiles") }
        let name = "\(ledger)/\(path)"
        if let slash = name.lastIndex(of: "/") { try files.makeDirectories(String(name[..<slash])) }
        try files.write(bytes, to: name)
    }
}

/// Writes some entries of a checkpoint as one JSON object per line, each with its proof:
/// `{"entry":…,"index":…,"proof":[…]}`. The entry is its exact bytes, and hashes are base64.
struct PartLedgerWriter: BundlePartWriter {
    private let ledger: LedgerID
    private let checkpoint: Checkpoint
    private let file: OpenFile
    private var prover: MerkleProver
    private var last: Int64 = 0
    private var count: Int64 = 0
    private var waiting: [UInt8] = []

    static func fileName(_ ledger: LedgerID) -> String { "\(ledger)/entries.ndjson" }

    init(
        files: BundleFiles, ledger: LedgerID, checkpoint: Checkpoint, hashes: any MerkleHashes
    ) throws(ProofError) {
        self.ledger = ledger
        self.checkpoint = checkpoint
        prover = MerkleProver(size: checkpoint.size, source: hashes)
        file = OpenFile(try files.create(Self.fileName(ledger)))
    }

    mutating func append(_ entry: [UInt8], at position: Int64) async throws {
        guard position > last, position <= checkpoint.size else {
            throw ProofError(.bundleInvalid, "entries are bundled in order, up to the checkpoint")
        }
        let path = try await prover.inclusion(of: position - 1)
        let root = MerkleProof.root(
            leaf: MerkleTree.leafHash(entry), index: position - 1, size: checkpoint.size, path: path)
        guard root == checkpoint.root else {
            throw ProofError(
                .rootMismatch, "ledger \(ledger), position \(position): the entry is not the one that was signed")
        }
        waiting += BundleLine(entry: entry, index: position - 1, path: path).bytes
        last = position
        count += 1
        if waiting.count >= 1 << 18 { try flush() }
    }

    mutating func end() throws(ProofError) -> BundleManifest.Part {
        try flush()
        return BundleManifest.Part(ledger: ledger, content: .part, size: checkpoint.size, entries: count)
    }

    private mutating func flush() throws(ProofError) {
        try BundleFiles.write(waiting, to: file.descriptor)
        waiting.removeAll(keepingCapacity: true)
    }
}

/// An open file descriptor that is closed on release.
final class OpenFile: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
}
