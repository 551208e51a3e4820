import Postgres

extension LedgerReader {
    /// The root of a ledger's tree (RFC 6962 §2.1) at a size, or at its present size.
    ///
    /// Full tiles are computed once and stored, so that later roots read a few hundred hashes whatever the size. The
    /// stored tiles are a cache of what the leaves say: verification reads entries instead.
    ///
    /// - Throws: ``LedgerError/Code/beyondHead`` when the ledger has fewer events.
    public func root(
        _ ledger: LedgerID, size: Int64? = nil
    ) async throws(LedgerError) -> (size: Int64, root: [UInt8]) {
        let head = try await head(ledger)?.size ?? 0
        let size = size ?? head
        guard (0...head).contains(size) else { throw LedgerError(.beyondHead, "the ledger has fewer events") }
        var frontier = try await tiled(ledger, size)
        for leaf in try await leaves(ledger, frontier.size..<size) { frontier.append(leaf) }
        return (size, frontier.root)
    }

    /// The roots of a ledger's tree at an earlier size and at a later one. Sizes that are not far apart have most of what
    /// is read in common, and it is read once.
    ///
    /// - Throws: ``LedgerError/Code/beyondHead`` or ``LedgerError/Code/invalidEntry`` when the ledger has fewer events.
    public func roots(
        _ ledger: LedgerID, at earlier: Int64, and later: Int64
    ) async throws(LedgerError) -> (earlier: [UInt8], later: [UInt8]) {
        // Where there is more between them, tiles are made and kept.
        guard 0 <= earlier, (earlier...earlier + MerkleTile.width).contains(later) else {
            let first = try await root(ledger, size: earlier).root
            let second = try await root(ledger, size: later).root
            return (first, second)
        }
        var frontier = try await tiled(ledger, earlier)
        let rest = try await leaves(ledger, frontier.size..<later)
        let shared = Int(earlier - frontier.size)
        for leaf in rest.prefix(shared) { frontier.append(leaf) }
        let first = frontier.root
        for leaf in rest.dropFirst(shared) { frontier.append(leaf) }
        return (first, frontier.root)
    }

    /// The edge of as many full tiles as a tree of this size has.
    private func tiled(_ ledger: LedgerID, _ size: Int64) async throws(LedgerError) -> MerkleFrontier {
        var frontier = MerkleFrontier()
        for level in (0...MerkleTile.maximumLevel - 1).reversed() {
            let leaves = MerkleTile.leaves(belowLevel: level + 1)
            let tiles = frontier.size / leaves..<size / leaves
            for root in try await tileRoots(ledger, level: level, tiles) {
                frontier.append(subtree: root, height: MerkleTile.height * (level + 1))
            }
        }
        return frontier
    }

    /// The roots of full tiles of one level, from those stored or from what is below.
    func tileRoots(
        _ ledger: LedgerID, level: Int, _ range: Range<Int64>
    ) async throws(LedgerError) -> [[UInt8]] {
        guard !range.isEmpty else { return [] }
        let sql: SQL = """
            SELECT index, root FROM tenure.tile
            WHERE ledger_id = \(ledger.uuid) AND level = \(Int16(level))
                AND index >= \(range.lowerBound) AND index < \(range.upperBound)
            """
        let stored = try await rows(sql, [ledger]) { row in try row.decode(Int64.self, [UInt8].self) }
        var roots = Dictionary(stored, uniquingKeysWith: { first, _ in first })
        var made: [(index: Int64, tile: MerkleTile)] = []
        for index in range where roots[index] == nil {
            let below = index * MerkleTile.width..<(index + 1) * MerkleTile.width
            let hashes =
                level == 0 ? try await leaves(ledger, below) : try await tileRoots(ledger, level: level - 1, below)
            guard let tile = MerkleTile(hashes: hashes) else {
                throw LedgerError(.invalidEntry, "a ledger has a gap")
            }
            made.append((index, tile))
            roots[index] = tile.root
        }
        try await store(ledger, level: level, made)
        return range.compactMap { roots[$0] }
    }

    /// The leaf hashes at some indices; the index of a leaf is its position less one.
    func leaves(_ ledger: LedgerID, _ range: Range<Int64>) async throws(LedgerError) -> [[UInt8]] {
        guard !range.isEmpty else { return [] }
        let sql: SQL = """
            SELECT leaf FROM tenure.event WHERE ledger_id = \(ledger.uuid)
                AND position > \(range.lowerBound) AND position <= \(range.upperBound) ORDER BY position
            """
        let leaves = try await rows(sql, [ledger]) { row in try row.decode([UInt8].self) }
        guard leaves.count == range.count else { throw LedgerError(.invalidEntry, "a ledger has a gap") }
        return leaves
    }

    private func store(
        _ ledger: LedgerID, level: Int, _ tiles: [(index: Int64, tile: MerkleTile)]
    ) async throws(LedgerError) {
        guard storesTiles, !tiles.isEmpty else { return }
        let sql: SQL = """
            INSERT INTO tenure.tile (ledger_id, level, index, hashes, root)
            SELECT \(ledger.uuid), \(Int16(level)), t.index, t.hashes, t.root
            FROM unnest(\(tiles.map(\.index)), \(tiles.map { $0.tile.hashes.flatMap(\.self) }),
                \(tiles.map(\.tile.root))) AS t(index, hashes, root)
            ORDER BY t.index ON CONFLICT DO NOTHING
            """
        _ = try await rows(sql, [ledger]) { _ in }
    }
}
