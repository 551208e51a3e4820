/// The codes of stored tiles: a reader believes only tiles that the service stored.
///
/// A code covers the root, which commits to the hashes below it.
public struct TileCodes: Sendable {
    /// A stored tile, as its code covers it.
    public struct Tile: Sendable {
        public let ledger: LedgerID
        public let level: Int
        public let index: Int64
        /// The root over its 256 hashes.
        public let root: [UInt8]
    }

    let code: @Sendable (Tile) -> [UInt8]
    let accepts: @Sendable ([UInt8]?, Tile) -> Bool

    /// Codes that others make and compare.
    ///
    /// - Parameters:
    ///   - code: Returns the code of a tile.
    ///   - accepts: Whether a stored code is that of the tile.
    public init(
        code: @escaping @Sendable (Tile) -> [UInt8], accepts: @escaping @Sendable ([UInt8]?, Tile) -> Bool
    ) {
        self.code = code
        self.accepts = accepts
    }
}

extension LedgerReader {
    /// Returns a reader that uses stored tiles with a right code, and stores the others anew if it may write. Without
    /// codes a reader computes all roots from the events.
    public func using(_ codes: TileCodes) -> LedgerReader {
        var reader = self
        reader.tileCodes = codes
        return reader
    }
}
