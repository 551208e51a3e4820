/// Checks proofs by hashes alone; what RFC 9162 §2.1.3.2 and §2.1.4.2 write down step by step.
public enum MerkleProof {
    /// The root that an inclusion proof leads to, or nil when the proof has another length than this place in a tree of
    /// this size has.
    ///
    /// - Parameters:
    ///   - leaf: The hash of the leaf, 32 bytes.
    ///   - index: Its index, from 0: its position less one.
    ///   - size: The number of leaves of the tree.
    ///   - path: The hashes from the leaf's sibling to the root's child, 32 bytes each.
    public static func root(leaf: [UInt8], index: Int64, size: Int64, path: [[UInt8]]) -> [UInt8]? {
        guard (0..<max(size, 0)).contains(index), path.allSatisfy({ $0.count == 32 }) else { return nil }
        var node = index, last = size - 1
        var root = leaf
        for hash in path {
            guard last > 0 else { return nil }
            if node & 1 == 1 || node == last {
                root = MerkleTree.nodeHash(hash, root)
                while node & 1 == 0, node != 0 {
                    node >>= 1
                    last >>= 1
                }
            } else {
                root = MerkleTree.nodeHash(root, hash)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 ? root : nil
    }

    /// Whether a tree of `size` leaves with `root` is the beginning of one of `laterSize` leaves with `laterRoot`.
    ///
    /// The empty tree is the beginning of every tree; a tree is the beginning of itself. Both have an empty proof.
    public static func isConsistent(
        size: Int64, root: [UInt8], laterSize: Int64, laterRoot: [UInt8], path: [[UInt8]]
    ) -> Bool {
        guard (0...max(laterSize, 0)).contains(size), path.allSatisfy({ $0.count == 32 }) else { return false }
        if size == laterSize { return path.isEmpty && root == laterRoot }
        if size == 0 { return path.isEmpty && root == MerkleTree.emptyRoot }
        // A perfect tree stands in the later one as it is, so the proof does not repeat its root.
        let hashes = size & (size - 1) == 0 ? [root] + path : path
        guard let first = hashes.first, !path.isEmpty else { return false }
        var node = size - 1, last = laterSize - 1
        while node & 1 == 1 {
            node >>= 1
            last >>= 1
        }
        var old = first, new = first
        for hash in hashes.dropFirst() {
            guard last > 0 else { return false }
            if node & 1 == 1 || node == last {
                old = MerkleTree.nodeHash(hash, old)
                new = MerkleTree.nodeHash(hash, new)
                while node & 1 == 0, node != 0 {
                    node >>= 1
                    last >>= 1
                }
            } else {
                new = MerkleTree.nodeHash(new, hash)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 && old == root && new == laterRoot
    }
}
