import FoundationEssentials
import Ledger
import Logging
import Postgres

/// Sets the rows of a ledger right: the head from the events, the checkpoint from its note or its record.
///
/// It changes nothing that another process changed meanwhile. Each row is counted and named in the log.
struct LedgerRepair: Sendable {
    /// Connections of the application role.
    let pool: PostgresPool
    /// Whose rows count for the time of a head.
    let codes: EventCodes
    let memory: SealMemory
    let logger: Logger

    /// Returns the number of events without a gap, to which the head is set if it counts others.
    ///
    /// - Parameter sealed: A size up to which the events are taken as there.
    func setHead(_ ledger: LedgerID, from sealed: Int64) async throws -> Int64 {
        let (size, changed) = try await pool.withTransaction(in: [ledger]) { connection in
            _ = try await connection.query(Appender.lockingHeads([ledger]))
            // Rows far behind a gap are nobody's events, and lead no head there.
            let counted = try await connection.query(
                """
                SELECT \(sealed) + count(*) FROM (
                    SELECT position, \(sealed) + row_number() OVER (ORDER BY position) AS number
                    FROM tenure.event WHERE ledger_id = \(ledger.uuid) AND position > \(sealed)) AS e
                WHERE e.position = e.number
                """)
            let size = try counted.first?.decode(Int64.self) ?? sealed
            let time = try await time(of: ledger, upTo: size, &connection)
            let set = try await connection.query(
                """
                UPDATE tenure.ledger AS l SET size = n.size, changed = pg_current_xact_id(),
                    "time" = coalesce(n."time", '0001-01-01T00:00:00Z')
                FROM (SELECT \(size)::bigint AS size, \(time)::timestamptz AS "time") AS n
                WHERE l.ledger_id = \(ledger.uuid)
                    AND (l.size, l."time") IS DISTINCT FROM (n.size, coalesce(n."time", '0001-01-01T00:00:00Z'))
                RETURNING l.size
                """)
            return (size, !set.isEmpty)
        }
        if changed { tell(.head, ledger, size) }
        return size
    }

    /// The time of the last event that a service wrote; `nil` if there is none.
    private func time(
        of ledger: LedgerID, upTo size: Int64, _ connection: inout PostgresConnection
    ) async throws -> PostgresTimestamp? {
        var end = size
        while end > 0 {
            let rows = try await connection.query(
                """
                SELECT position, "time", event_id, leaf, code FROM tenure.event
                WHERE ledger_id = \(ledger.uuid) AND position <= \(end) ORDER BY position DESC LIMIT 100
                """)
            for row in rows {
                let (position, time, id, leaf, code) = try row.decode(
                    Int64.self, PostgresTimestamp.self, UUID.self, [UInt8].self, [UInt8].self)
                end = position - 1
                if codes.isRight(code, ledger: ledger, at: position, id: id, leaf: leaf) { return time }
            }
            if rows.isEmpty { break }
        }
        return nil
    }

    /// Replaces the row of a checkpoint, unless it is another one by now.
    func setCheckpoint(_ signed: SignedCheckpoint, replacing row: StoredCheckpoint?) async throws {
        guard let ledger = signed.ledger else { return }
        let checkpoint = signed.checkpoint
        let statement: SQL =
            if let row {
                """
                UPDATE tenure.checkpoint AS c
                SET size = \(checkpoint.size), root = \(checkpoint.root), note = \(signed.note.text)
                WHERE ledger_id = \(ledger.uuid) AND size = \(row.size) AND root = \(row.root) 
                    AND \(StoredCheckpoint.noteBytes) = \(row.note)
                RETURNING size
                """
            } else {
                """
                INSERT INTO tenure.checkpoint (ledger_id, size, root, note)
                VALUES (\(ledger.uuid), \(checkpoint.size), \(checkpoint.root), \(signed.note.text))
                ON CONFLICT DO NOTHING RETURNING size
                """
            }
        if try await !pool.query(statement, in: [ledger]).isEmpty { tell(.checkpoint, ledger, checkpoint.size) }
        memory.learn(signed)
    }

    private func tell(_ repair: SealMemory.Repair, _ ledger: LedgerID, _ size: Int64) {
        memory.count(repair)
        logger.error(
            "a row was changed by somebody else, and was set right",
            metadata: ["row": "\(repair)", "ledger": "\(ledger)", "size": "\(size)"])
    }
}

extension SealMemory {
    /// Takes a checkpoint that this process signed, with the row that it stores.
    func learn(_ signed: SignedCheckpoint) {
        guard let ledger = signed.ledger else { return }
        let checkpoint = signed.checkpoint
        let row = StoredCheckpoint(size: checkpoint.size, root: checkpoint.root, note: Array(signed.note.text.utf8))
        learn(Sealed(size: checkpoint.size, root: checkpoint.root), of: ledger, row: row.hashValue)
    }
}
