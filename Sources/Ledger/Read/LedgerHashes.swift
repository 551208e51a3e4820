import FoundationEssentials
import Postgres

extension LedgerReader {
    /// Returns the root of a ledger's tree (RFC 6962 §2.1) at a size, or at its present size.
    ///
    /// Full tiles are computed once and stored with a code, so that later roots read a few hundred hashes at any size;
    /// see ``using(_:)``. Stored tiles are only a cache: verification reads entries instead. It takes several round
    /// trips.
    ///
    /// - Throws: ``LedgerError/Code/beyondHead`` if the ledger has fewer events, ``LedgerError/Code/invalidEntry`` if
    ///   it has a gap, ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
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

    /// Returns the roots of a ledger's tree at an earlier and at a later size. What both need is read once if the sizes
    /// are close.
    ///
    /// - Throws: ``LedgerError/Code/beyondHead`` or ``LedgerError/Code/invalidEntry`` if the ledger has fewer events or
    ///   a gap, ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func roots(
        _ ledger: LedgerID, at earlier: Int64, and later: Int64
    ) async throws(LedgerError) -> (earlier: [UInt8], later: [UInt8]) {
        // If more lies between them, tiles are computed and stored.
        guard 0 <= earlier, (earlier...earlier + MerkleTile.width).contains(later) else {
            let first = try await root(ledger, size: earlier).root
            let second = try await root(ledger, size: later).root
            return (first, second)
        }
        var frontier = try await tiled(ledger, earlier)
        let rest = try await leaves(ledger, frontier.size..<later, checkedAfter: earlier)
        let shared = Int(earlier - frontier.size)
        for leaf in rest.prefix(shared) { frontier.append(leaf) }
        let first = frontier.root
        for leaf in rest.dropFirst(shared) { frontier.append(leaf) }
        return (first, frontier.root)
    }

    /// Returns the edge of the full tiles of a tree of this size.
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

    /// Returns the roots of full tiles of one level, from stored tiles or from the level below.
    func tileRoots(
        _ ledger: LedgerID, level: Int, _ range: Range<Int64>
    ) async throws(LedgerError) -> [[UInt8]] {
        guard !range.isEmpty else { return [] }
        var roots = try await storedRoots(ledger, level: level, range)
        var next = range.lowerBound
        while next < range.upperBound {
            guard roots[next] == nil else {
                next += 1
                continue
            }
            var end = next + 1
            while end < range.upperBound, end - next < Self.tilesAtOnce, roots[end] == nil { end += 1 }
            let below = next * MerkleTile.width..<end * MerkleTile.width
            let hashes =
                level == 0 ? try await leaves(ledger, below) : try await tileRoots(ledger, level: level - 1, below)
            var made: [(index: Int64, tile: MerkleTile)] = []
            for index in next..<end {
                let start = Int(index - next) * Int(MerkleTile.width)
                let part = Array(hashes.dropFirst(start).prefix(Int(MerkleTile.width)))
                guard let tile = MerkleTile(hashes: part) else {
                    throw LedgerError(.invalidEntry, "a ledger has a gap")
                }
                made.append((index, tile))
                roots[index] = tile.root
            }
            try await store(ledger, level: level, made)
            next = end
        }
        return range.compactMap { roots[$0] }
    }

    /// How many tiles are computed from one read.
    private static let tilesAtOnce: Int64 = 32

    /// Returns the roots of those tiles that the service stored, by index.
    private func storedRoots(
        _ ledger: LedgerID, level: Int, _ range: Range<Int64>
    ) async throws(LedgerError) -> [Int64: [UInt8]] {
        guard let tileCodes else { return [:] }
        let sql: SQL = """
            SELECT index, root, mac FROM tenure.tile
            WHERE ledger_id = \(ledger.uuid) AND level = \(Int16(level))
                AND index >= \(range.lowerBound) AND index < \(range.upperBound)
            """
        let stored = try await rows(sql, [ledger]) { row in try row.decode(Int64.self, [UInt8].self, [UInt8]?.self) }
        var roots: [Int64: [UInt8]] = [:]
        for (index, root, code) in stored
        where tileCodes.accepts(code, TileCodes.Tile(ledger: ledger, level: level, index: index, root: root)) {
            roots[index] = root
        }
        return roots
    }

    /// Returns the leaf hashes at some indices. The index of a leaf is its position minus one.
    ///
    /// - Parameter checked: The size from which on rows without a code are reported to ``EventCodes/disowned``.
    func leaves(
        _ ledger: LedgerID, _ range: Range<Int64>, checkedAfter checked: Int64 = .max
    ) async throws(LedgerError) -> [[UInt8]] {
        guard !range.isEmpty else { return [] }
        let sql: SQL = """
            SELECT position, event_id, leaf, code FROM tenure.event WHERE ledger_id = \(ledger.uuid)
                AND position > \(range.lowerBound) AND position <= \(range.upperBound) ORDER BY position
            """
        let leaves = try await rows(sql, [ledger]) { row -> [UInt8] in
            let (position, id, leaf, code) = try row.decode(Int64.self, UUID.self, [UInt8].self, [UInt8].self)
            if position > checked, !codes.isRight(code, ledger: ledger, at: position, id: id, leaf: leaf) {
                codes.disowned.report(LedgerError.Place(ledger: ledger, position: position), leaf: leaf)
            }
            return leaf
        }
        guard leaves.count == range.count else { throw LedgerError(.invalidEntry, "a ledger has a gap") }
        return leaves
    }

    private func store(
        _ ledger: LedgerID, level: Int, _ tiles: [(index: Int64, tile: MerkleTile)]
    ) async throws(LedgerError) {
        guard storesTiles, let tileCodes else { return }
        let codes = tiles.map { index, tile in
            tileCodes.code(TileCodes.Tile(ledger: ledger, level: level, index: index, root: tile.root))
        }
        let sql: SQL = """
            INSERT INTO tenure.tile AS t (ledger_id, level, index, hashes, root, mac)
            SELECT \(ledger.uuid), \(Int16(level)), n.index, n.hashes, n.root, n.mac
            FROM unnest(\(tiles.map(\.index)), \(tiles.map { $0.tile.hashes.flatMap(\.self) }),
                \(tiles.map(\.tile.root)), \(codes)) AS n(index, hashes, root, mac)
            ORDER BY n.index ON CONFLICT ON CONSTRAINT tile_pkey DO UPDATE
            SET hashes = excluded.hashes, root = excluded.root, mac = excluded.mac
            WHERE (t.root, t.mac) IS DISTINCT FROM (excluded.root, excluded.mac)
            """
        _ = try await rows(sql, [ledger]) { _ in }
    }
}

extension LedgerReader {
    /// Returns the newest checkpoint of a ledger, or `nil` if none was signed. The signature is not verified.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``, and ``ProofError/Code/malformed``
    ///   if the row does not hold a checkpoint.
    public func checkpoint(_ ledger: LedgerID) async throws -> SignedCheckpoint? {
        let sql: SQL = "SELECT note FROM tenure.checkpoint WHERE ledger_id = \(ledger.uuid)"
        let notes = try await rows(sql, [ledger]) { row in try row.decode(String.self) }
        return try notes.first.map { note throws(ProofError) in try SignedCheckpoint(parsing: note) }
    }

    /// Returns the newest checkpoint of each ledger that has one, at most `limit` in the order of ids, starting after
    /// `ledger`.
    ///
    /// It needs a pool of the reader role, which sees all ledgers. The signatures are not verified.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``, and ``ProofError/Code/malformed``
    ///   if a row does not hold a checkpoint.
    public func checkpoints(
        after ledger: LedgerID? = nil, limit: Int = 1_000
    ) async throws -> [(ledger: LedgerID, checkpoint: SignedCheckpoint)] {
        let start: SQL = ledger.map { "WHERE ledger_id > \($0.uuid)" } ?? ""
        let sql: SQL = """
            SELECT ledger_id, note FROM tenure.checkpoint \(start) ORDER BY ledger_id LIMIT \(Int64(limit))
            """
        let found = try await rows(sql, [LedgerID]()) { row in try row.decode(UUID.self, String.self) }
        return try found.map { id, note in (LedgerID(id), try SignedCheckpoint(parsing: note)) }
    }
}

/// The tree of a ledger in the database, as the source of a ``MerkleProver``.
///
/// It trusts the leaf hashes of the database. Verify the proofs against a signed root.
public struct LedgerHashes: MerkleHashes {
    private let reader: LedgerReader
    private let ledger: LedgerID

    /// The tree of `ledger`, read with `reader`.
    public init(reader: LedgerReader, ledger: LedgerID) {
        self.reader = reader
        self.ledger = ledger
    }

    /// Returns the hashes at some indices of a level.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or ``LedgerError/Code/invalidEntry``
    ///   if the ledger has a gap.
    public func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]] {
        level == 0
            ? try await reader.leaves(ledger, indices)
            : try await reader.tileRoots(ledger, level: level - 1, indices)
    }
}
