import FoundationEssentials
import Identity
import Postgres

/// Compares rows of a view with what they should be, byte by byte, in the database.
enum ViewComparison {
    /// How many differences of one table of one company are told.
    static let limit: Int64 = 1_000

    /// Rows that the log says there should be, or that there are: a select of all columns of `Row`.
    static func relation<Row: ViewRow>(_ type: Row.Type, _ scope: ViewScope) -> SQL { Row.select(scope) }

    /// Rows in memory as such a select.
    static func relation<Row: ViewRow>(_ rows: [Row]) -> SQL {
        let columns = Row.columns.joined(separator: ", ")
        return "SELECT * FROM unnest(\(SQL.list(Row.arrays(rows)))) AS x(\(unsafeSQL: columns))"
    }

    /// Selects key, whether both sides have the row, and the columns that differ.
    static func statement<Row: ViewRow>(_ type: Row.Type, expected: SQL, actual: SQL) -> SQL {
        // The same constant on both sides joins the rows of views with one row per company.
        let keys = ["side"] + Row.keyColumns
        let match = keys.map { "e.\($0) = a.\($0)" }.joined(separator: " AND ")
        let shown = Row.keyColumns.map { "coalesce(e.\($0), a.\($0))::text" }.joined(separator: ", ")
        return """
            SELECT \(unsafeSQL: shown.isEmpty ? "''" : "concat_ws(' ', \(shown))"), e.side IS NOT NULL,
                a.side IS NOT NULL, ARRAY(
                    SELECT key FROM jsonb_each(to_jsonb(e)) AS x FULL JOIN jsonb_each(to_jsonb(a)) AS y USING (key)
                    WHERE x.value IS DISTINCT FROM y.value ORDER BY key)
            FROM (SELECT 0 AS side, r.* FROM (\(expected)) AS r) AS e
            FULL JOIN (SELECT 0 AS side, r.* FROM (\(actual)) AS r) AS a ON \(unsafeSQL: match)
            WHERE e::text IS DISTINCT FROM a::text
            ORDER BY 1 LIMIT \(limit)
            """
    }

    /// Reads what ``statement(_:expected:actual:)`` selects.
    static func differences(
        _ rows: [PostgresRow], _ view: ProjectionName, _ table: String, _ tenant: TenantID
    ) throws -> [ViewDifference] {
        try rows.map { row in
            let (key, isExpected, isThere, columns) = try row.decode(String.self, Bool.self, Bool.self, [String].self)
            let kind: ViewDifference.Kind =
                !isThere ? .missing : !isExpected ? .unexpected : .changed(columns: columns)
            return ViewDifference(view: view, table: table, tenant: tenant, key: key, kind: kind)
        }
    }
}
