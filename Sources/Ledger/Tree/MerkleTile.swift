/// A full tile of a tree: 256 hashes of one level and the root of the subtree above them (C2SP tlog-tiles).
///
/// A hash of level 0 is a leaf; one of level n is the root of a full tile of level n − 1.
public struct MerkleTile: Sendable, Equatable {
    /// How many hashes a tile has.
    public static let width: Int64 = 256
    /// How many levels of the tree one level of tiles spans.
    static let height = 8
    /// More levels than 2^63 leaves need.
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
