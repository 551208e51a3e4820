import FoundationEssentials
import Ledger
import Postgres

/// The row of a ledger's newest checkpoint, as it is: nothing in it is believed.
struct StoredCheckpoint: Sendable {
    let size: Int64
    let root: [UInt8]
    let note: String

    /// The row of a ledger, or nil when it was never sealed.
    static func find(_ ledger: LedgerID, _ pool: PostgresPool) async throws -> StoredCheckpoint? {
        let rows = try await pool.query(
            "SELECT size, root, note FROM tenure.checkpoint WHERE ledger_id = \(ledger.uuid)", in: [LedgerID]())
        return try rows.first.map { row in
            let (size, root, note) = try row.decode(Int64.self, [UInt8].self, String.self)
            return StoredCheckpoint(size: size, root: root, note: note)
        }
    }

    /// What the note says of the tree, whoever signed it: a wrong signature is told by itself.
    var expectedRoot: ExpectedRoot? {
        guard let body = try? SignedCheckpoint(parsing: note).checkpoint else { return nil }
        return ExpectedRoot(size: body.size, root: body.root, source: .checkpoint)
    }

    /// What is wrong with the row itself.
    ///
    /// - Parameter records: What the system ledger, read before the row, records of the ledger.
    static func violations(
        _ row: StoredCheckpoint?, of ledger: LedgerID, key: LogKey, records: [ExpectedRoot]
    ) -> [Violation] {
        func violation(_ words: String) -> [Violation] { [Violation(.checkpoint, ledger: ledger, words)] }
        let newest = records.map(\.size).max() ?? 0
        guard let row else { return newest > 0 ? violation("the checkpoint is missing") : [] }
        guard let signed = try? SignedCheckpoint(parsing: row.note) else {
            return violation("the checkpoint is malformed")
        }
        guard signed.ledger == ledger, (try? signed.verify(key)) != nil else {
            return violation("the checkpoint is not signed by the key of this log")
        }
        guard signed.checkpoint.size == row.size, signed.checkpoint.root == row.root else {
            return violation("the checkpoint's columns are not those of its note")
        }
        return row.size >= newest ? [] : violation("the checkpoint is older than the newest one that is recorded")
    }
}

/// The ledgers that the database knows of, in whatever table.
struct StoredLedgers: Sendable {
    let pool: PostgresPool

    /// Their ids, with the numbers of events that their heads count.
    func all() async throws -> [LedgerID: Int64] {
        // Distinct ledgers of events by skipping through the primary key; GROUP BY would read every event.
        let rows = try await pool.query(
            """
            WITH RECURSIVE found AS (
                (SELECT ledger_id FROM tenure.event ORDER BY ledger_id LIMIT 1)
                UNION ALL
                SELECT (SELECT e.ledger_id FROM tenure.event AS e WHERE e.ledger_id > f.ledger_id
                    ORDER BY e.ledger_id LIMIT 1)
                FROM found AS f WHERE f.ledger_id IS NOT NULL
            ), known AS (
                SELECT ledger_id FROM found WHERE ledger_id IS NOT NULL
                UNION SELECT ledger_id FROM tenure.ledger WHERE size > 0
                UNION SELECT ledger_id FROM tenure.checkpoint
            )
            SELECT k.ledger_id, coalesce(l.size, 0) FROM known AS k LEFT JOIN tenure.ledger AS l USING (ledger_id)
            """, in: [LedgerID]())
        let ledgers = try rows.map { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return (LedgerID(ledger), size)
        }
        return Dictionary(ledgers, uniquingKeysWith: { first, _ in first })
    }
}
