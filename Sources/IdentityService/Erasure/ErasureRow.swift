import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// A row of `tenure.erasure`: who was erased, and what their keys were wrapped under.
struct ErasureRow: Sendable {
    var entry: ErasureList.Entry
    var masterVersion: Int?
    var isDestroyed: Bool

    /// The statement that writes the row; a row that is there stays.
    static func insertion(_ entry: ErasureList.Entry) -> SQL {
        """
        INSERT INTO tenure.erasure (ledger_id, person_id, kind, recorded_at)
        VALUES (\(entry.ledger), \(entry.id), \(entry.kind.rawValue), \(entry.time.postgres)) ON CONFLICT DO NOTHING
        """
    }

    /// The statement that notes what one of the keys was wrapped under: the latest version counts.
    static func destroyed(_ entry: ErasureList.Entry, under masterVersion: Int) -> SQL {
        let version = Int32(clamping: masterVersion)
        return """
            UPDATE tenure.erasure SET master_version = greatest(master_version, \(version))
            WHERE ledger_id = \(entry.ledger) AND person_id = \(entry.id)
            """
    }

    /// The statement that notes that no key is left.
    static func completion(_ entry: ErasureList.Entry, at time: Timestamp) -> SQL {
        """
        UPDATE tenure.erasure SET destroyed_at = coalesce(destroyed_at, \(time.postgres))
        WHERE ledger_id = \(entry.ledger) AND person_id = \(entry.id) RETURNING master_version
        """
    }

    /// All rows whose keys are not all destroyed yet, over the reader role.
    static func open(_ reader: PostgresPool) async throws -> [ErasureRow] {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT ledger_id, person_id, kind, recorded_at FROM tenure.erasure WHERE destroyed_at IS NULL
                ORDER BY recorded_at, ledger_id, person_id
                """)
        }
        return try rows.map { row in
            let (ledger, id, name, time) = try row.decode(UUID.self, UUID.self, String.self, PostgresTimestamp.self)
            let entry = ErasureList.Entry(
                kind: name == "user" ? .user : .employee, ledger: ledger, id: id,
                time: Timestamp(microseconds: time.microsecondsSinceUnixEpoch))
            return ErasureRow(entry: entry, masterVersion: nil, isDestroyed: false)
        }
    }
}
