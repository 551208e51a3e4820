import Ledger

/// The roots that a ledger had, at each of its sizes so far.
///
/// It keeps every leaf hash and the right edge of the tree at every 64th size, so that a root takes at most 64 steps.
struct RootHistory: Sendable {
    private static let stride: Int64 = 64
    private var leaves: [UInt8] = []
    private var edges = [MerkleFrontier()]
    private var edge = MerkleFrontier()
    /// Whether positions came without a hole; nothing is known behind one, which is a finding by itself.
    private var isWhole = true

    init() {}

    /// Takes the leaf hash of the event at a position.
    mutating func append(_ leaf: [UInt8], at position: Int64) {
        guard isWhole, position == edge.size + 1, leaf.count == 32 else {
            isWhole = false
            return
        }
        leaves += leaf
        edge.append(leaf)
        if edge.size % Self.stride == 0 { edges.append(edge) }
    }

    /// The root of the first `size` events; nil when they are not known.
    func root(size: Int64) -> [UInt8]? {
        guard isWhole, (0...edge.size).contains(size) else { return nil }
        var edge = edges[Int(size / Self.stride)]
        for index in Int(edge.size)..<Int(size) { edge.append(Array(leaves[index * 32..<index * 32 + 32])) }
        return edge.root
    }
}
