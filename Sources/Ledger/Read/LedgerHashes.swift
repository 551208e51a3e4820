import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LedgerReader {
    /// Returns the root of a ledger's tree (RFC 6962 §2.1) at a size, or at its present size.
    ///
    /// Full tiles are computed once and stored, so that later roots read a few hundred hashes at any size. Stored tiles
    /// are only a cache: verification reads entries instead. It takes several round trips.
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
        let rest = try await leaves(ledger, frontier.size..<later)
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

    /// Returns the leaf hashes at some indices. The index of a leaf is its position minus one.
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
/// It trusts the leaf hashes and stored tiles of the database. Verify the proofs against a signed root.
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
