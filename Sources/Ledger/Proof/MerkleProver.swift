/// Where the hashes of a tree come from.
public protocol MerkleHashes: Sendable {
    /// The hashes at some indices of one level of tiles, all of them or an error.
    ///
    /// A hash of level 0 is a leaf; one of level n is the root of 256^n leaves, from index · 256^n on. The indices never
    /// leave one tile, and never go beyond the leaves that there are.
    func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]]
}

/// Makes the proofs of one tree at one size; reads each tile once when it is asked in the order of leaves.
///
/// It keeps one tile per level, so its memory does not grow with the tree. What it makes is worth what its source is
/// worth: who wants to know verifies the proof against a signed root.
public struct MerkleProver: Sendable {
    /// The number of leaves of the tree.
    public let size: Int64
    private let source: any MerkleHashes
    private var tiles: [Int: TileNodes] = [:]
    private var edges: [Int64: [UInt8]] = [:]

    /// A prover of the tree of the first `size` leaves.
    public init(size: Int64, source: any MerkleHashes) {
        self.size = size
        self.source = source
    }

    /// The inclusion proof of a leaf (RFC 6962 §2.1.1), from its sibling upwards; `index` is from 0.
    ///
    /// - Throws: ``ProofError/Code/beyondSize``, and what the source throws.
    public mutating func inclusion(of index: Int64) async throws -> [[UInt8]] {
        guard (0..<size).contains(index) else { throw ProofError(.beyondSize, "the tree has no such leaf") }
        return try await hashes(of: ProofPath.inclusion(of: index, in: size))
    }

    /// The proof that the tree of the first `earlier` leaves is the beginning of this one (RFC 6962 §2.1.2).
    ///
    /// - Throws: ``ProofError/Code/beyondSize``, and what the source throws.
    public mutating func consistency(from earlier: Int64) async throws -> [[UInt8]] {
        guard (0...size).contains(earlier) else { throw ProofError(.beyondSize, "the tree has fewer leaves") }
        return try await hashes(of: ProofPath.consistency(from: earlier, to: size))
    }

    /// The root of the tree.
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
        // The right edge is the same for many leaves, and the only range that needs several subtrees.
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
    /// By height above the tile's own hashes.
    private let levels: [[[UInt8]]]

    init(index: Int64, hashes: [[UInt8]]) {
        self.index = index
        var levels = [hashes]
        while let below = levels.last, below.count > 1 {
            levels.append((0..<below.count / 2).map { MerkleTree.nodeHash(below[2 * $0], below[2 * $0 + 1]) })
        }
        self.levels = levels
    }

    /// The root of the subtree of 2^height hashes that starts with the one at `offset`.
    func node(at offset: Int64, height: Int) -> [UInt8]? {
        guard levels.indices.contains(height) else { return nil }
        let index = Int(offset >> Int64(height))
        return levels[height].indices.contains(index) ? levels[height][index] : nil
    }
}
