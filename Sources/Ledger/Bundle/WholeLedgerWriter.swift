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
