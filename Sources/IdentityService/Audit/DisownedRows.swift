package import Canonical
import Identity
package import Ledger
package import Postgres

/// The rows of the log that count for nothing, as its checkpoint covers them.
package struct DisownedRows: Sendable, Equatable {
    /// A disowned row.
    package struct Row: Sendable, Equatable {
        package let ledger: LedgerID
        package let position: Int64
        /// When it was disowned.
        package let disowned: Timestamp
    }

    /// How many of them are named.
    private static let named = 20
    package let count: Int
    /// The newest of them first.
    package let newest: [Row]

    /// Reads them over a pool of the reader role.
    package static func read(_ pool: PostgresPool) async throws -> DisownedRows {
        let size = try await StoredCheckpoint.find(.system, pool)?.size ?? 0
        let decisions = try await DisownEntries.read(in: pool, upTo: size).decisions
        return DisownedRows(
            count: decisions.count,
            newest: decisions.prefix(named).map { entry, time in
                Row(ledger: LedgerID(entry.ledger), position: entry.position, disowned: time)
            })
    }
}
