/// Which subtrees prove something: the ranges of leaves whose hashes RFC 6962 puts into a proof, in its order.
///
/// Every range starts at a multiple of the least power of two that is not below its length. It is a perfect subtree, or
/// the right edge of the tree.
enum ProofPath {
    /// The subtrees of PATH(index, D[size]) of RFC 6962 §2.1.1, from the leaf's sibling upwards.
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

    /// The subtrees of PROOF(size, D[later]) of RFC 6962 §2.1.2; none when both sizes are equal or the first is 0.
    static func consistency(from size: Int64, to later: Int64) -> [Range<Int64>] {
        guard size > 0, size < later else { return [] }
        var path: [Range<Int64>] = []
        var tree = 0..<later
        // The old tree is a subtree of the new one as long as its right edge was never left.
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

    /// The perfect subtrees that a range consists of, from left to right, as their first leaf and their height.
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

    /// The greatest power of two below a number of leaves above 1.
    private static func split(_ count: Int64) -> Int64 { 1 << Int64(63 - (count - 1).leadingZeroBitCount) }
}
