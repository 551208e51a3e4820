import FoundationEssentials
import Keys
import Ledger
package import Postgres

/// Refuses to serve if keys were not restored: people without keys would look erased.
package enum RestoredKeys {
    /// The number of newest events of each directory to check. An older backup of the keys lacks those of the newest
    /// users.
    private static let newest: Int64 = 100

    /// Checks over a pool of the reader role.
    ///
    /// - Throws: `KeysError` with the code `keys.tables_empty`, which names the table.
    package static func check(_ pool: PostgresPool) async throws {
        let (found, keys): ([(hasUsers: Bool, lacksKeys: Bool)], Keys) = try await pool.withConnection { connection in
            let before = try await Keys.read(on: &connection)
            // Keys of the newest users are missing if an older backup was restored, those of all if none was.
            let newest = before.isComplete ? Self.newest : nil
            let statements = LedgerID.directories.map { Self.users(of: $0.uuid, newest: newest) }
            let found = try await connection.pipeline(statements).compactMap { rows in
                try rows.first?.decode(Bool.self, Bool.self)
            }
            // Read again, because the first user may have registered in between.
            return (found, try await Keys.read(on: &connection))
        }
        guard found.contains(where: \.hasUsers) else { return }
        let empty = [keys.ofPersons ? nil : "tenure.person_key", keys.seeds ? nil : "tenure.oprf_seed"]
            .compactMap(\.self)
        if !empty.isEmpty {
            throw refusal(empty.joined(separator: " and ") + (empty.count == 1 ? " is empty" : " are empty"))
        }
        if found.contains(where: \.lacksKeys) { throw refusal("tenure.person_key lacks keys of the newest users") }
    }

    /// Which tables of keys have rows.
    private struct Keys {
        let ofPersons: Bool
        let seeds: Bool

        var isComplete: Bool { ofPersons && seeds }

        static func read(on connection: inout PostgresConnection) async throws -> Keys {
            let rows = try await connection.query(
                "SELECT EXISTS (SELECT 1 FROM tenure.person_key), EXISTS (SELECT 1 FROM tenure.oprf_seed)")
            let (persons, seeds) = try rows.first?.decode(Bool.self, Bool.self) ?? (false, false)
            return Keys(ofPersons: persons, seeds: seeds)
        }
    }

    /// The query whether a directory has users who were not erased, and whether one of them has no key. It sees a
    /// concurrent registration with its key and events, or not at all.
    ///
    /// - Parameter newest: The number of newest events to read, or `nil` for all. The position is one value, so that it
    ///   is a condition of the index: otherwise each start reads all events of the directories.
    private static func users(of directory: UUID, newest: Int64?) -> SQL {
        let start: SQL =
            newest.map { "(SELECT l.size - \($0) FROM tenure.ledger AS l WHERE l.ledger_id = \(directory))" } ?? "0"
        return """
            WITH users AS (
                SELECT v.stream_id FROM tenure.event AS v
                WHERE v.ledger_id = \(directory) AND v.type = 'CredentialsSet' AND v.position > \(start)
                    AND NOT EXISTS (SELECT 1 FROM tenure.event AS x WHERE x.ledger_id = \(directory)
                        AND x.stream_id = v.stream_id AND x.kind = v.kind AND x.type = 'UserErased')
            )
            SELECT EXISTS (SELECT 1 FROM users), EXISTS (
                SELECT 1 FROM users AS u WHERE NOT EXISTS (
                    SELECT 1 FROM tenure.person_key AS k WHERE k.ledger_id = \(directory) AND k.key_id = u.stream_id))
            """
    }

    private static func refusal(_ missing: String) -> KeysError {
        KeysError(
            code: .keyTablesEmpty,
            reason: "the log has users who were not erased, but their keys are missing: \(missing)",
            remedy: "restore all four key tables from the backup that the log came from")
    }
}
