extension BundleReader {
    /// Line by line, each entry with its proof.
    func readPart(
        _ part: BundleManifest.Part, _ checkpoint: Checkpoint, _ body: (RecordedEvent) async throws -> Void
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
            try await body(try event(line.entry, part, at: position))
        }
        guard count == part.entries else {
            throw refusal(part, last + 1, "the bundle has \(count) entries and not the \(part.entries) that it says")
        }
    }
}

/// The lines of a file, one at a time.
struct LineReader {
    private let file: OpenFile
    private let limit: Int
    private var buffer: ArraySlice<UInt8> = []
    private var isAtEnd = false

    init(_ file: OpenFile, limit: Int) {
        self.file = file
        self.limit = limit
    }

    /// The next line without its line feed, or nil at the end; a last line without one, and a longer one, are errors.
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
