import Crypto

/// The hashes of RFC 6962 §2.1 over SHA-256. The root of the tree binds every byte and every position of its entries.
public enum MerkleTree {
    /// The root of a tree without leaves: the hash of no bytes.
    public static let emptyRoot: [UInt8] = Array(SHA256.hash(data: [UInt8]()))

    /// The hash of a leaf: SHA-256(0x00 ‖ entry), 32 bytes.
    public static func leafHash(_ entry: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: leafPrefix)
        hash.update(data: entry)
        return bytes(of: hash.finalize())
    }

    /// The hash of an inner node: SHA-256(0x01 ‖ left ‖ right), 32 bytes.
    public static func nodeHash(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: nodePrefix)
        hash.update(data: left)
        hash.update(data: right)
        return bytes(of: hash.finalize())
    }

    // Stored, because allocating an array for each hash costs more than hashing.
    private static let leafPrefix: [UInt8] = [0x00]
    private static let nodePrefix: [UInt8] = [0x01]

    private static func bytes(of digest: SHA256.Digest) -> [UInt8] { digest.withUnsafeBytes { [UInt8]($0) } }

    /// The root over leaf hashes in order.
    public static func root(leaves: some Sequence<[UInt8]>) -> [UInt8] {
        var frontier = MerkleFrontier()
        for leaf in leaves { frontier.append(leaf) }
        return frontier.root
    }
}

/// The right edge of a tree: one hash for each perfect subtree, from the largest to the smallest.
///
/// ```swift
/// var frontier = MerkleFrontier()
/// for entry in entries { frontier.append(MerkleTree.leafHash(entry)) }
/// let root = frontier.root
/// ```
///
/// The subtrees of a tree of n leaves correspond to the bits of n (RFC 6962 §2.1), so the edge holds at most 64 hashes.
public struct MerkleFrontier: Sendable, Equatable {
    /// How many leaves the tree has.
    public private(set) var size: Int64 = 0
    private var hashes: [[UInt8]] = []

    /// An empty tree.
    public init() {}

    /// Appends a leaf hash.
    public mutating func append(_ leaf: [UInt8]) { append(subtree: leaf, height: 0) }

    /// Appends a perfect subtree of 2^height leaves; the size must be a multiple of that.
    mutating func append(subtree root: [UInt8], height: Int) {
        var root = root
        var bit: Int64 = 1 << Int64(height)
        assert(size & (bit - 1) == 0, "a subtree can only follow complete subtrees of its height")
        let count = bit
        while size & bit != 0, let left = hashes.popLast() {
            root = MerkleTree.nodeHash(left, root)
            bit <<= 1
        }
        hashes.append(root)
        size += count
    }

    /// The root of the tree: the subtrees joined from the smallest on.
    public var root: [UInt8] {
        guard var root = hashes.last else { return MerkleTree.emptyRoot }
        for hash in hashes.dropLast().reversed() { root = MerkleTree.nodeHash(hash, root) }
        return root
    }
}

/// A full tile of a tree: 256 hashes of one level and the root of the subtree above them (C2SP tlog-tiles).
///
/// A hash of level 0 is a leaf; one of level n is the root of a full tile of level n − 1.
public struct MerkleTile: Sendable, Equatable {
    /// How many hashes a tile has.
    public static let width: Int64 = 256
    /// How many levels of the tree one level of tiles spans.
    static let height = 8
    /// The limit of tile levels, more than 2^63 leaves need.
    static let maximumLevel = 7

    /// How many leaves are below one hash of a level of tiles.
    static func leaves(belowLevel level: Int) -> Int64 { 1 << Int64(height * level) }

    /// The 256 hashes, 32 bytes each.
    public let hashes: [[UInt8]]
    /// The root over them.
    public let root: [UInt8]

    /// Makes a tile; nil unless there are 256 hashes of 32 bytes.
    public init?(hashes: [[UInt8]]) {
        guard hashes.count == Self.width, hashes.allSatisfy({ $0.count == 32 }) else { return nil }
        self.hashes = hashes
        root = MerkleTree.root(leaves: hashes)
    }
}
