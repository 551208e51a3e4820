/// The right edge of a tree: one hash for each perfect subtree, from the largest to the smallest.
///
/// The subtrees of a tree of n leaves are those of the bits of n (RFC 6962 §2.1), so the edge holds at most 64 hashes,
/// whatever the size.
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
