/// Reads a bundle and returns only entries that are proved.
///
/// ```swift
/// let bundle = try BundleReader(directory: "export")
/// try bundle.verifyCheckpoints(key)          // a key from another source; `bundle.manifest.key` is the bundle's claim
/// for part in bundle.manifest.parts {
///     try await bundle.read(part) { event in … }   // `RecordedEvent`s in the order of positions
/// }
/// ```
///
/// A bundle proves that its entries are those of the checkpoint, at these positions. Only a ledger that is stored whole
/// also proves that no entry is left out. Memory use does not grow with the number of entries, except by 32 bytes for
/// every 256 entries of a whole ledger.
public struct BundleReader: Sendable {
    /// What the bundle claims to contain.
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
            throw ProofError(.bundleInvalid, "the directory does not have exactly the files that the manifest names")
        }
        var checkpoints: [LedgerID: SignedCheckpoint] = [:]
        for part in manifest.parts {
            let note = try files.read("\(part.ledger)/checkpoint", limit: SignedNote.maximumLength)
            let checkpoint = try SignedCheckpoint(parsing: String(decoding: note, as: UTF8.self))
            guard checkpoint.ledger == part.ledger, checkpoint.checkpoint.size == part.size else {
                throw ProofError(.bundleInvalid, "ledger \(part.ledger): the checkpoint belongs to another ledger")
            }
            checkpoints[part.ledger] = checkpoint
        }
        self.checkpoints = checkpoints
    }

    /// The checkpoint of a ledger, or `nil` if the bundle does not have the ledger.
    public func checkpoint(_ ledger: LedgerID) -> SignedCheckpoint? { checkpoints[ledger] }

    /// Verifies that `key` signed the checkpoint of every ledger.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid``.
    public func verifyCheckpoints(_ key: LogKey) throws(ProofError) {
        for part in manifest.parts {
            do { try checkpoints[part.ledger]?.verify(key) } catch {
                throw ProofError(error.code, "ledger \(part.ledger): \(error.reason)")
            }
        }
    }

    /// Proves the events of a ledger against its checkpoint and passes each to `body`, in the order of positions.
    ///
    /// - Parameter disowned: The entries that count for nothing, which are left out.
    /// - Throws: ``ProofError`` with the position of the first entry that is not the one that was signed,
    ///   ``LedgerError/Code/invalidEntry`` if proved bytes are not an entry, and what `body` throws.
    public func read(
        _ part: BundleManifest.Part, leavingOut disowned: DisownedEntries = DisownedEntries(),
        _ body: (RecordedEvent) async throws -> Void
    ) async throws {
        try await readEntries(part) { entry, position in
            let leaf = MerkleTree.leafHash(entry)
            if disowned.leaf(at: .init(ledger: part.ledger, position: position)) == leaf { return }
            try await body(try event(entry, part, at: position, leaf: leaf))
        }
    }

    /// Returns the events of a stream, proved. Entries that no service wrote are no events.
    package func events(of stream: StreamID) async throws -> [RecordedEvent] {
        var events: [RecordedEvent] = []
        for part in manifest.parts where part.ledger == stream.ledger {
            try await readEntries(part) { entry, position in
                if let outline = EntryOutline(entry), outline.streamID != stream.id { return }
                guard let event = try? Entry.decode(entry, at: position), event.stream == stream else { return }
                events.append(event)
            }
        }
        return events
    }

    /// Proves the entries of a ledger, and passes the bytes of each with its position.
    package func readEntries(
        _ part: BundleManifest.Part, _ body: ([UInt8], Int64) async throws -> Void
    ) async throws {
        guard let checkpoint = checkpoints[part.ledger]?.checkpoint else {
            throw ProofError(.bundleInvalid, "the bundle has no ledger \(part.ledger)")
        }
        switch part.content {
        case .whole: try await readWhole(part, checkpoint, body)
        case .part: try await readPart(part, checkpoint, body)
        }
    }

    /// Parses an entry that was proved.
    func event(
        _ entry: [UInt8], _ part: BundleManifest.Part, at position: Int64, leaf: [UInt8]
    ) throws -> RecordedEvent {
        let event = try Entry.decode(entry, at: position, leaf: leaf)
        guard event.ledger == part.ledger else { throw refusal(part, position, "the entry belongs to another ledger") }
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

extension BundleReader {
    /// Reads a ledger that is stored whole. First proves the leaf hashes against the signed root, then each bundle of
    /// entries against its tile.
    func readWhole(
        _ part: BundleManifest.Part, _ checkpoint: Checkpoint, _ body: ([UInt8], Int64) async throws -> Void
    ) async throws {
        let roots = try tileRoots(part, checkpoint)
        for (number, path) in TilePath.all(.entries, size: part.size).enumerated() {
            let first = path.index * MerkleTile.width + 1
            let bytes = try files.read("\(part.ledger)/\(path)", limit: Int(path.width) * (Entry.maximumLength + 2))
            let entries: [[UInt8]]
            do { entries = try EntryBundle.decode(bytes) } catch { throw refusal(part, first, error.reason) }
            guard entries.count == path.width else {
                throw refusal(part, first, "a file does not have the expected number of entries")
            }
            let leaves = entries.map(MerkleTree.leafHash)
            if MerkleTree.root(leaves: leaves) != roots[number] {
                throw mismatch(part, try firstDifference(part, path, leaves))
            }
            for (offset, entry) in entries.enumerated() { try await body(entry, first + Int64(offset)) }
        }
    }

    /// Returns the root over each tile of leaf hashes, after all of them were proved against the checkpoint's root.
    private func tileRoots(_ part: BundleManifest.Part, _ checkpoint: Checkpoint) throws(ProofError) -> [[UInt8]] {
        var frontier = MerkleFrontier()
        var roots: [[UInt8]] = []
        for path in TilePath.all(.hashes(level: 0), size: part.size) {
            let hashes = try tile(part, path)
            for hash in hashes { frontier.append(hash) }
            roots.append(MerkleTree.root(leaves: hashes))
        }
        guard frontier.root == checkpoint.root else {
            throw ProofError(.rootMismatch, "ledger \(part.ledger): the tiles do not lead to the signed root")
        }
        return roots
    }

    private func tile(_ part: BundleManifest.Part, _ path: TilePath) throws(ProofError) -> [[UInt8]] {
        let bytes = try files.read("\(part.ledger)/\(path)", limit: Int(path.width) * 32)
        guard bytes.count == Int(path.width) * 32 else {
            throw refusal(part, path.index * MerkleTile.width + 1, "a tile does not have the expected size")
        }
        return stride(from: 0, to: bytes.count, by: 32).map { Array(bytes[$0..<$0 + 32]) }
    }

    private func firstDifference(
        _ part: BundleManifest.Part, _ path: TilePath, _ leaves: [[UInt8]]
    ) throws(ProofError) -> Int64 {
        let first = path.index * MerkleTile.width + 1
        guard let leafPath = TilePath(.hashes(level: 0), index: path.index, width: path.width) else { return first }
        let signed = try tile(part, leafPath)
        let offset = zip(leaves, signed).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
        return first + Int64(offset)
    }
}

extension BundleReader {
    /// Reads a ledger that is stored in part, line by line, and proves each entry.
    func readPart(
        _ part: BundleManifest.Part, _ checkpoint: Checkpoint, _ body: ([UInt8], Int64) async throws -> Void
    ) async throws {
        let (descriptor, _) = try files.open(reading: PartLedgerWriter.fileName(part.ledger))
        var lines = LineReader(OpenFile(descriptor), limit: BundleLine.maximumLength)
        var last: Int64 = 0, count: Int64 = 0
        while let text = try lines.next() {
            guard let line = BundleLine(parsing: text) else {
                throw refusal(part, last + 1, "a line after position \(last) is not an entry with its proof")
            }
            let position = line.index + 1
            guard position > last, position <= part.size else {
                throw refusal(part, position, "entries are not in order, or beyond the checkpoint")
            }
            let root = MerkleProof.root(
                leaf: MerkleTree.leafHash(line.entry), index: line.index, size: part.size, path: line.path)
            guard root == checkpoint.root else { throw mismatch(part, position) }
            last = position
            count += 1
            try await body(line.entry, position)
        }
        guard count == part.entries else {
            throw refusal(part, last + 1, "the bundle has \(count) entries and not the \(part.entries) that it says")
        }
    }
}

/// Reads the lines of a file one at a time.
struct LineReader {
    private let file: OpenFile
    private let limit: Int
    private var buffer: ArraySlice<UInt8> = []
    private var isAtEnd = false

    init(_ file: OpenFile, limit: Int) {
        self.file = file
        self.limit = limit
    }

    /// Returns the next line without its line feed, or `nil` at the end. It is an error if the last line has no line
    /// feed or a line is too long.
    mutating func next() throws(ProofError) -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer = buffer[(end + 1)...] }
                return buffer[..<end]
            }
            guard buffer.count <= limit else { throw ProofError(.bundleInvalid, "a line is too long") }
            guard let more = isAtEnd ? nil : try BundleFiles.read(file.descriptor, upTo: 1 << 18) else {
                isAtEnd = true
                guard buffer.isEmpty else { throw ProofError(.bundleInvalid, "a file ends within a line") }
                return nil
            }
            buffer = ArraySlice(Array(buffer) + more)
        }
    }
}
