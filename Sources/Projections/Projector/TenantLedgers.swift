import FoundationEssentials
import Ledger
import Postgres

/// Which ledgers feed the views: those of tenants, told by the kind of ledger and never by the type of an event.
enum TenantLedgers {
    private static let others = Set(LedgerID.directories + [.system])

    /// Whether the ledger is a tenant's.
    static func contains(_ ledger: LedgerID) -> Bool { !others.contains(ledger) }

    /// All of them with their sizes, or one, for a pool of the reader role; in the order of their ids.
    static func all(_ pool: PostgresPool, only: LedgerID? = nil) async throws -> [(id: LedgerID, size: Int64)] {
        let filter: SQL = only.map { "AND ledger_id = \($0.uuid)" } ?? ""
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                "SELECT ledger_id, size FROM tenure.ledger WHERE size > 0 \(filter) ORDER BY ledger_id")
        }
        return try rows.compactMap { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return contains(LedgerID(ledger)) ? (LedgerID(ledger), size) : nil
        }
    }
}
