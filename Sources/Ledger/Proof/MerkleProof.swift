/// Verifies proofs from hashes alone, by the algorithms of RFC 9162 §2.1.3.2 and §2.1.4.2.
public enum MerkleProof {
    /// Returns the root that an inclusion proof leads to, or `nil` if the proof's length does not fit the index and the
    /// size.
    ///
    /// - Parameters:
    ///   - leaf: The hash of the leaf, 32 bytes.
    ///   - index: The leaf's index, from 0: its position minus one.
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

    /// Returns whether the tree of `size` leaves with `root` is a prefix of the tree of `laterSize` leaves with
    /// `laterRoot`.
    ///
    /// The empty tree is a prefix of every tree, and every tree of itself. Both have an empty proof.
    public static func isConsistent(
        size: Int64, root: [UInt8], laterSize: Int64, laterRoot: [UInt8], path: [[UInt8]]
    ) -> Bool {
        guard (0...max(laterSize, 0)).contains(size), path.allSatisfy({ $0.count == 32 }) else { return false }
        if size == laterSize { return path.isEmpty && root == laterRoot }
        if size == 0 { return path.isEmpty && root == MerkleTree.emptyRoot }
        // The later tree contains a perfect tree unchanged, so the proof does not repeat its root.
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

/// The subtrees whose hashes make up a proof, as ranges of leaves in the order of RFC 6962.
///
/// Every range starts at a multiple of the least power of two that is not below its length. It is a perfect subtree, or
/// the right edge of the tree.
enum ProofPath {
    /// Returns the subtrees of PATH(index, D[size]) of RFC 6962 §2.1.1, from the leaf's sibling upwards.
    static func inclusion(of index: Int64, in size: Int64) -> [Range<Int64>] {
        var path: [Range<Int64>] = []
        var tree = 0..<size
        while tree.count > 1 {
            let middle = tree.lowerBound + split(Int64(tree.count))
            if index < middle {
                path.append(middle..<tree.upperBound)
                tree = tree.lowerBound..<middle
            } else {
                path.append(tree.lowerBound..<middle)
                tree = middle..<tree.upperBound
            }
        }
        return path.reversed()
    }

    /// Returns the subtrees of PROOF(size, D[later]) of RFC 6962 §2.1.2. There are none if both sizes are equal or the
    /// first is 0.
    static func consistency(from size: Int64, to later: Int64) -> [Range<Int64>] {
        guard size > 0, size < later else { return [] }
        var path: [Range<Int64>] = []
        var tree = 0..<later
        // The old tree is a subtree of the new one until the path leaves its right edge.
        while tree.upperBound != size {
            let middle = tree.lowerBound + split(Int64(tree.count))
            if size <= middle {
                path.append(middle..<tree.upperBound)
                tree = tree.lowerBound..<middle
            } else {
                path.append(tree.lowerBound..<middle)
                tree = middle..<tree.upperBound
            }
        }
        if tree.lowerBound != 0 { path.append(tree) }
        return path.reversed()
    }

    /// Returns the perfect subtrees that a range consists of, from left to right, by first leaf and height.
    static func perfectSubtrees(of range: Range<Int64>) -> [(start: Int64, height: Int)] {
        var subtrees: [(start: Int64, height: Int)] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let height = 63 - (range.upperBound - start).leadingZeroBitCount
            subtrees.append((start, height))
            start += 1 << Int64(height)
        }
        return subtrees
    }

    /// Returns the greatest power of two below a number of leaves above 1.
    private static func split(_ count: Int64) -> Int64 { 1 << Int64(63 - (count - 1).leadingZeroBitCount) }
}

/// The reason why a proof, a checkpoint or a bundle was refused. `description` is safe to show to anyone.
public struct ProofError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable identifier of a refusal. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `proof.signature_invalid`.
        public let rawValue: String
        /// A code with the identifier `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier.
        public var description: String { rawValue }

        /// A text does not have its one permitted form.
        public static let malformed = Code(rawValue: "proof.malformed")
        /// The key did not sign this text, or its signature is not valid.
        public static let signatureInvalid = Code(rawValue: "proof.signature_invalid")
        /// Hashes do not lead to the expected root.
        public static let rootMismatch = Code(rawValue: "proof.root_mismatch")
        /// A leaf or a size lies beyond the size of the tree.
        public static let beyondSize = Code(rawValue: "proof.beyond_size")
        /// Hashes are missing that a tree of this size has.
        public static let hashesMissing = Code(rawValue: "proof.hashes_missing")
        /// A bundle breaks a rule of its format.
        public static let bundleInvalid = Code(rawValue: "proof.bundle_invalid")
        /// A file or directory could not be read or written.
        public static let fileFailed = Code(rawValue: "proof.file_failed")
    }

    /// The kind of refusal.
    public let code: Code
    /// The reason in one clause, without content.
    public let reason: String
    /// The position concerned, if there is one.
    public let position: Int64?

    /// A refusal with its reason; `reason` must not hold content.
    public init(_ code: Code, _ reason: String, position: Int64? = nil) {
        self.code = code
        self.reason = reason
        self.position = position
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
