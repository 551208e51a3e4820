import Canonical
import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The setting `tenure.ledgers`, which row-level security compares the ledger of every row with.
enum LedgerSetting {
    /// Names the ledgers of the transaction, or of the pipeline outside one; it is over with them.
    static func set(_ ledgers: [UUID]) -> SQL {
        let text = "{" + ledgers.map(\.lowercased).joined(separator: ",") + "}"
        return "SELECT set_config('tenure.ledgers', \(text), true)"
    }

    /// Names the ledgers from now on to the end of the transaction.
    static func apply(_ ledgers: [UUID], _ connection: inout PostgresConnection) async throws {
        _ = try await connection.query(set(ledgers))
    }

    /// The ledgers that the transaction has named so far.
    static func read(_ connection: inout PostgresConnection) async throws -> [UUID] {
        let rows = try await connection.query(
            "SELECT coalesce(nullif(current_setting('tenure.ledgers', true), '')::uuid[], '{}'::uuid[])")
        return try rows.first?.decode([UUID].self) ?? []
    }
}
