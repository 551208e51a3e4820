import Canonical
import FoundationEssentials
import Ledger
import Postgres

/// The sizes of a ledger in its head and beside its checkpoint. Nothing in it is trusted.
struct LedgerSizes: Sendable {
    let ledger: LedgerID
    /// The number of events that the head counts.
    let size: Int64
    /// The number of events that the checkpoint's column names; 0 without a row.
    let sealed: Int64
}

/// A ledger as its rows describe it. Nothing in it is trusted.
struct GrownLedger: Sendable {
    let ledger: LedgerID
    /// The number of events that the head counts.
    let size: Int64
    /// Whether the last of these events is there with the head's time, and none behind it.
    let isHeadRight: Bool
    /// The row of the last checkpoint, if there is one.
    let checkpoint: StoredCheckpoint?
}

/// Finds the ledgers that grew since their last checkpoint, over the reader role, which sees all of them.
struct FindGrownLedgers: Sendable {
    let pool: PostgresPool

    /// The clock of the database.
    func clock() async throws -> Timestamp {
        let rows = try await pool.query(
            "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", in: [LedgerID]())
        return Timestamp(microseconds: try rows.first?.decode(Int64.self) ?? 0)
    }

    /// Returns all ledgers with events or a checkpoint, without the system ledger, ordered by id.
    func look() async throws -> [LedgerSizes] {
        let rows = try await pool.query(
            """
            SELECT l.ledger_id, l.size, coalesce(c.size, 0) FROM tenure.ledger AS l
            LEFT JOIN tenure.checkpoint AS c ON c.ledger_id = l.ledger_id
            WHERE l.ledger_id <> \(LedgerID.system.uuid) AND (l.size > 0 OR c.size > 0) ORDER BY l.ledger_id
            """, in: [LedgerID]())
        return try rows.map { row in
            let (ledger, size, sealed) = try row.decode(UUID.self, Int64.self, Int64.self)
            return LedgerSizes(ledger: LedgerID(ledger), size: size, sealed: sealed)
        }
    }

    /// Returns the ledgers with events that have no head: a service makes none.
    func withoutHead() async throws -> [LedgerID] {
        let rows = try await pool.query(
            """
            SELECT DISTINCT e.ledger_id FROM tenure.event AS e
            WHERE NOT EXISTS (SELECT 1 FROM tenure.ledger AS l WHERE l.ledger_id = e.ledger_id)
            """, in: [LedgerID]())
        return try rows.map { LedgerID(try $0.decode(UUID.self)) }
    }

    /// Returns the rows of some ledgers, ordered by id. One without a head is not among them.
    func rows(_ ledgers: [LedgerID]) async throws -> [GrownLedger] {
        let rows = try await pool.query(
            """
            SELECT l.ledger_id, l.size, l.size = 0 OR (SELECT max(e."time") FROM tenure.event AS e
                    WHERE e.ledger_id = l.ledger_id AND e.position = l.size) IS NOT DISTINCT FROM l."time",
                EXISTS (SELECT FROM tenure.event AS e
                    WHERE e.ledger_id = l.ledger_id AND e.position = l.size + 1),
                c.size, c.root, \(StoredCheckpoint.noteBytes)
            FROM tenure.ledger AS l LEFT JOIN tenure.checkpoint AS c ON c.ledger_id = l.ledger_id
            WHERE l.ledger_id = ANY (\(ledgers.map(\.uuid))) ORDER BY l.ledger_id
            """, in: [LedgerID]())
        return try rows.map { row in
            let (ledger, size, hasLast, hasNext, sealed, root, note) = try row.decode(
                UUID.self, Int64.self, Bool.self, Bool.self, Int64?.self, [UInt8]?.self, [UInt8]?.self)
            var checkpoint: StoredCheckpoint?
            if let sealed, let root, let note { checkpoint = StoredCheckpoint(size: sealed, root: root, note: note) }
            return GrownLedger(
                ledger: LedgerID(ledger), size: size, isHeadRight: hasLast && !hasNext, checkpoint: checkpoint)
        }
    }
}
