import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LedgerReader {
    /// The newest checkpoint of a ledger, or nil when it was never sealed; its signature is not verified here.
    ///
    /// - Throws: ``LedgerError``, and ``ProofError/Code/malformed`` when the row holds no checkpoint.
    public func checkpoint(_ ledger: LedgerID) async throws -> SignedCheckpoint? {
        let sql: SQL = "SELECT note FROM tenure.checkpoint WHERE ledger_id = \(ledger.uuid)"
        let notes = try await rows(sql, [ledger]) { row in try row.decode(String.self) }
        return try notes.first.map { note throws(ProofError) in try SignedCheckpoint(parsing: note) }
    }

    /// The newest checkpoints of all ledgers that were ever sealed, in the order of ids, at most `limit` after a ledger.
    ///
    /// For a pool of the reader role, which sees all ledgers.
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

/// The tree of a ledger in the database, for making proofs: leaf hashes and stored tiles, which are as good as the
/// database is. What is made of them is verified against a signed root.
public struct LedgerHashes: MerkleHashes {
    private let reader: LedgerReader
    private let ledger: LedgerID

    /// The tree of a ledger.
    public init(reader: LedgerReader, ledger: LedgerID) {
        self.reader = reader
        self.ledger = ledger
    }

    /// The hashes at some indices of a level.
    public func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]] {
        level == 0
            ? try await reader.leaves(ledger, indices)
            : try await reader.tileRoots(ledger, level: level - 1, indices)
    }
}
