import EventCoding
import Foundation
import Keys
import Ledger
import Postgres
import TestSupport

extension TenureWorld {
    /// The codes that the service makes: with them a test is a hostile process that has the keys.
    var codes: EventCodes {
        get async throws {
            let masters = masters
            return try await database.withPool { pool in
                EventCodes(try await KeyRing.load(from: pool, masters: masters))
            }
        }
    }

    /// Runs an update of events, and gives each event of it the time and the code of its new entry. All
    /// becomes visible at once: the sealer disowns a row that it meets without its code.
    ///
    /// - Returns: The number of rows of the update.
    func rewrite(_ update: SQL) async throws -> Int {
        let codes = try await codes
        return try await superuser { connection in
            try await connection.execute("BEGIN")
            let count = try await connection.execute(update)
            let changed = try await connection.query(
                """
                SELECT ledger_id, position, event_id, leaf FROM tenure.event WHERE xmin = pg_current_xact_id()::xid
                """)
            for row in changed {
                let (ledger, position, id, leaf) = try row.decode(UUID.self, Int64.self, UUID.self, [UInt8].self)
                let code = codes.code(ledger: LedgerID(ledger), id: id, leaf: leaf)
                try await connection.execute(
                    """
                    UPDATE tenure.event SET code = \(code),
                        "time" = coalesce((convert_from(entry, 'UTF8')::jsonb ->> 'time')::timestamptz, "time")
                    WHERE ledger_id = \(ledger) AND position = \(position) AND code <> \(code)
                    """)
            }
            try await connection.execute("COMMIT")
            return count
        }
    }
}
