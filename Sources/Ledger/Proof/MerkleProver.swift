import Canonical

/// A source of the hashes of a tree.
public protocol MerkleHashes: Sendable {
    /// Returns the hashes at some indices of one level of tiles: all of them, or an error.
    ///
    /// A hash of level 0 is a leaf. A hash of level n is the root of 256^n leaves, from index · 256^n on. The indices
    /// lie within one tile and within the leaves that exist.
    func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]]
}

/// Makes the proofs of one tree at one size.
///
/// ```swift
/// var prover = MerkleProver(size: checkpoint.checkpoint.size, source: LedgerHashes(reader: reader, ledger: ledger))
/// let path = try await prover.inclusion(of: position - 1)
/// let proof = TlogProof(index: position - 1, path: path, checkpoint: checkpoint)
/// ```
///
/// It reads each tile once if proofs are requested in the order of leaves. It keeps one tile per level, so its memory
/// does not grow with the tree. The prover trusts its source: verify each proof against a signed root.
public struct MerkleProver: Sendable {
    /// The number of leaves of the tree.
    public let size: Int64
    private let source: any MerkleHashes
    private var tiles: [Int: TileNodes] = [:]
    private var edges: [Int64: [UInt8]] = [:]

    /// A prover for the tree of the first `size` leaves.
    public init(size: Int64, source: any MerkleHashes) {
        self.size = size
        self.source = source
    }

    /// Returns the inclusion proof of a leaf (RFC 6962 §2.1.1), from its sibling upwards; `index` counts from 0.
    ///
    /// - Throws: ``ProofError/Code/beyondSize``, ``ProofError/Code/hashesMissing``, and what the source throws.
    public mutating func inclusion(of index: Int64) async throws -> [[UInt8]] {
        guard (0..<size).contains(index) else { throw ProofError(.beyondSize, "the tree has no such leaf") }
        return try await hashes(of: ProofPath.inclusion(of: index, in: size))
    }

    /// Returns the proof that the tree of the first `earlier` leaves is a prefix of this one (RFC 6962 §2.1.2).
    ///
    /// - Throws: ``ProofError/Code/beyondSize``, ``ProofError/Code/hashesMissing``, and what the source throws.
    public mutating func consistency(from earlier: Int64) async throws -> [[UInt8]] {
        guard (0...size).contains(earlier) else { throw ProofError(.beyondSize, "the tree has fewer leaves") }
        return try await hashes(of: ProofPath.consistency(from: earlier, to: size))
    }

    /// Returns the root of the tree.
    ///
    /// - Throws: ``ProofError/Code/hashesMissing``, and what the source throws.
    public mutating func root() async throws -> [UInt8] {
        size == 0 ? MerkleTree.emptyRoot : try await hash(of: 0..<size)
    }

    private mutating func hashes(of ranges: [Range<Int64>]) async throws -> [[UInt8]] {
        var hashes: [[UInt8]] = []
        for range in ranges { hashes.append(try await hash(of: range)) }
        return hashes
    }

    private mutating func hash(of range: Range<Int64>) async throws -> [UInt8] {
        let subtrees = ProofPath.perfectSubtrees(of: range)
        // Many leaves share the right edge, and it is the only range that needs several subtrees.
        if subtrees.count > 1, range.upperBound == size, let edge = edges[range.lowerBound] { return edge }
        var root: [UInt8]?
        for subtree in subtrees.reversed() {
            let hash = try await hash(start: subtree.start, height: subtree.height)
            root = root.map { MerkleTree.nodeHash(hash, $0) } ?? hash
        }
        guard let root else { throw ProofError(.beyondSize, "a subtree without leaves has no place in a proof") }
        if subtrees.count > 1, range.upperBound == size { edges[range.lowerBound] = root }
        return root
    }

    private mutating func hash(start: Int64, height: Int) async throws -> [UInt8] {
        let level = height / MerkleTile.height
        let first = start >> Int64(MerkleTile.height * level)
        let index = first / MerkleTile.width
        if tiles[level]?.index != index {
            let begin = index * MerkleTile.width
            let end = min(begin + MerkleTile.width, size >> Int64(MerkleTile.height * level))
            let hashes = try await source.hashes(level: level, begin..<end)
            guard hashes.count == end - begin, hashes.allSatisfy({ $0.count == 32 }) else {
                throw ProofError(.hashesMissing, "a tile is not complete")
            }
            tiles[level] = TileNodes(index: index, hashes: hashes)
        }
        guard let hash = tiles[level]?.node(at: first % MerkleTile.width, height: height % MerkleTile.height) else {
            throw ProofError(.hashesMissing, "a tile is not complete")
        }
        return hash
    }
}

/// A tile, full or not, with the roots of all perfect subtrees inside it.
private struct TileNodes: Sendable {
    let index: Int64
    /// The hashes by height above the tile's own.
    private let levels: [[[UInt8]]]

    init(index: Int64, hashes: [[UInt8]]) {
        self.index = index
        var levels = [hashes]
        while let below = levels.last, below.count > 1 {
            levels.append((0..<below.count / 2).map { MerkleTree.nodeHash(below[2 * $0], below[2 * $0 + 1]) })
        }
        self.levels = levels
    }

    /// Returns the root of the subtree of 2^height hashes that starts at `offset`.
    func node(at offset: Int64, height: Int) -> [UInt8]? {
        guard levels.indices.contains(height) else { return nil }
        let index = Int(offset >> Int64(height))
        return levels[height].indices.contains(index) ? levels[height][index] : nil
    }
}

/// An inclusion proof with its checkpoint, as a file (C2SP tlog-proof, version 1). It verifies offline with the entry
/// and the log's key.
///
/// ```swift
/// let proof = try TlogProof(parsing: text)
/// try proof.verify(entry: entry, key: key)
/// ```
public struct TlogProof: Sendable, Equatable {
    /// The index of the entry, from 0: its position minus one.
    public let index: Int64
    /// The hashes from the leaf's sibling to the root's child.
    public let path: [[UInt8]]
    /// The checkpoint as it was signed.
    public let checkpoint: SignedCheckpoint

    private static let firstLine = "c2sp.org/tlog-proof@v1"

    /// A proof of the leaf at `index`. It is not verified here; see ``verify(entry:key:)``.
    public init(index: Int64, path: [[UInt8]], checkpoint: SignedCheckpoint) {
        self.index = index
        self.path = path
        self.checkpoint = checkpoint
    }

    /// The text of the file.
    public var text: String {
        ([Self.firstLine, "index \(index)"] + path.map(Base64.encode)).joined(separator: "\n") + "\n\n"
            + checkpoint.note.text
    }

    /// Parses the text of a file. Extra data is refused, because nothing authenticates it.
    ///
    /// - Throws: ``ProofError/Code/malformed``.
    public init(parsing text: String) throws(ProofError) {
        let malformed = ProofError(.malformed, "a proof is not in the form of tlog-proof")
        let bytes = Array(text.utf8)
        guard bytes.count <= SignedNote.maximumLength + 8_192,
            let end = bytes.indices.dropLast().first(where: { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A })
        else { throw malformed }
        let lines = bytes[..<end].split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.count >= 2, lines.count <= 66, lines[0] == Self.firstLine, lines[1].hasPrefix("index "),
            let index = DecimalNumber.parse(lines[1].dropFirst(6))
        else { throw malformed }
        var path: [[UInt8]] = []
        for line in lines.dropFirst(2) {
            guard let hash = Base64.decode(line), hash.count == 32 else { throw malformed }
            path.append(hash)
        }
        self.init(
            index: index, path: path,
            checkpoint: try SignedCheckpoint(parsing: String(decoding: bytes[(end + 2)...], as: UTF8.self)))
    }

    /// Verifies that the log of `key` has this entry at ``index``.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid`` or ``ProofError/Code/rootMismatch``.
    public func verify(entry: [UInt8], key: LogKey) throws(ProofError) {
        try checkpoint.verify(key)
        let body = checkpoint.checkpoint
        let root = MerkleProof.root(
            leaf: MerkleTree.leafHash(entry), index: index, size: body.size, path: path)
        guard root == body.root else { throw ProofError(.rootMismatch, "the proof does not lead to the root") }
    }
}
