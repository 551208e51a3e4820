import FoundationEssentials
import Ledger
import Postgres

/// A ledger that grew since it was sealed.
struct SealableLedger: Sendable {
    let ledger: LedgerID
    /// How many events it has now.
    let size: Int64
    /// What was sealed last, if anything.
    let sealed: (size: Int64, root: [UInt8])?
}

/// Finds the ledgers that grew since they were sealed; over the reader role, which sees all of them.
struct SealableLedgers: Sendable {
    let pool: PostgresPool

    /// How many events the stream of checkpoints has: what an append of further ones expects.
    func version() async throws -> Int {
        let stream = StreamID.checkpoints
        let rows = try await pool.query(
            """
            SELECT version FROM tenure.event
            WHERE ledger_id = \(stream.ledger.uuid) AND stream_id = \(stream.id) AND kind = \(stream.kind)
            ORDER BY version DESC LIMIT 1
            """, in: [LedgerID]())
        return Int(try rows.first?.decode(Int32.self) ?? 0)
    }

    /// At most `limit` of them after a ledger, in the order of ids, without the system ledger.
    func next(after last: LedgerID?, limit: Int) async throws -> [SealableLedger] {
        let start = last ?? .system
        return try await found("l.ledger_id > \(start.uuid) ORDER BY l.ledger_id LIMIT \(Int64(limit))")
    }

    /// The system ledger, if it grew.
    func system() async throws -> SealableLedger? {
        try await found("l.ledger_id = \(LedgerID.system.uuid)").first
    }

    private func found(_ which: SQL) async throws -> [SealableLedger] {
        let rows = try await pool.query(
            """
            SELECT l.ledger_id, l.size, c.size, c.root FROM tenure.ledger AS l
            LEFT JOIN tenure.checkpoint AS c ON c.ledger_id = l.ledger_id
            WHERE l.size > coalesce(c.size, 0) AND \(which)
            """, in: [LedgerID]())
        return try rows.map { row in
            let (ledger, size, sealedSize, root) = try row.decode(UUID.self, Int64.self, Int64?.self, [UInt8]?.self)
            let sealed = sealedSize.flatMap { size in root.map { (size, $0) } }
            return SealableLedger(ledger: LedgerID(ledger), size: size, sealed: sealed)
        }
    }
}
