import Canonical
import Ledger

/// A tree in memory over entries that tell their number, as a source of proofs and of what they must be.
struct TestTree: MerkleHashes {
    let entries: [[UInt8]]
    let leaves: [[UInt8]]

    init(_ size: Int, seed: String = "entry") {
        entries = (0..<size).map { Array("{\"\(seed)\":\($0)}".utf8) }
        leaves = entries.map(MerkleTree.leafHash)
    }

    func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]] {
        let width = 1 << (8 * level)
        return indices.map { MerkleTree.root(leaves: leaves[Int($0) * width..<(Int($0) + 1) * width]) }
    }

    func root(_ size: Int) -> [UInt8] { MerkleTree.root(leaves: leaves.prefix(size)) }

    /// PATH(m, D[n]) of RFC 6962 §2.1.1, word by word.
    static func path(_ index: Int, _ leaves: ArraySlice<[UInt8]>) -> [[UInt8]] {
        guard leaves.count > 1 else { return [] }
        let split = split(leaves.count)
        let left = leaves.prefix(split), right = leaves.dropFirst(split)
        return index < split
            ? path(index, left) + [MerkleTree.root(leaves: right)]
            : path(index - split, right) + [MerkleTree.root(leaves: left)]
    }

    /// SUBPROOF(m, D[n], b) of RFC 6962 §2.1.2, word by word.
    static func subproof(_ size: Int, _ leaves: ArraySlice<[UInt8]>, _ isWhole: Bool = true) -> [[UInt8]] {
        if size == leaves.count { return isWhole ? [] : [MerkleTree.root(leaves: leaves)] }
        let split = split(leaves.count)
        let left = leaves.prefix(split), right = leaves.dropFirst(split)
        return size <= split
            ? subproof(size, left, isWhole) + [MerkleTree.root(leaves: right)]
            : subproof(size - split, right, false) + [MerkleTree.root(leaves: left)]
    }

    private static func split(_ count: Int) -> Int {
        var split = 1
        while split * 2 < count { split *= 2 }
        return split
    }
}
