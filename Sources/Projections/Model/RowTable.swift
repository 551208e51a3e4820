import Ledger
import Postgres

/// Rows of one table held in memory, and which of them were changed since they were read.
struct RowTable<Row: ViewRow>: Sendable {
    private(set) var rows: [Row.Key: Row] = [:]
    private var stored: [Row.Key: Row] = [:]
    private var touched: Set<Row.Key> = []

    /// Takes rows as they are in the database.
    mutating func load(_ results: [PostgresRow]) throws {
        for result in results {
            var columns = ColumnReader(result)
            let row = try Row(&columns)
            rows[row.viewKey] = row
            stored[row.viewKey] = row
        }
    }

    /// The row of a key; nil where there is none.
    subscript(key: Row.Key) -> Row? {
        get { rows[key] }
        set {
            touched.insert(key)
            rows[key] = newValue
        }
    }

    /// The statements that bring the database to the rows as they are now; none where nothing changed.
    func changes(_ scope: ViewScope) -> [SQL] {
        let removed = touched.filter { rows[$0] == nil && stored[$0] != nil }
        let written = touched.compactMap { key in rows[key].flatMap { $0 == stored[key] ? nil : $0 } }
        return (removed.isEmpty ? [] : [Row.delete(Array(removed), scope)])
            + (written.isEmpty ? [] : [Row.upsert(written, scope)])
    }
}

/// The key of a view that has one row per ledger.
struct OnlyRow: Hashable, Sendable {}
