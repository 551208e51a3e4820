import Crypto

/// The hashes of RFC 6962 §2.1 over SHA-256: a tree over entries whose root binds every byte and every position.
public enum MerkleTree {
    /// The root of a tree without leaves: the hash of nothing.
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

    // Kept, because an array made for each hash costs more than hashing it.
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
