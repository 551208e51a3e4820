import FoundationEssentials
package import Identity
import Keys
import Ledger
package import Postgres

/// Compares rows of a projection with the expected ones, byte by byte, in the database.
enum ViewComparison {
    /// How many differences of one table of one tenant are reported.
    static let limit: Int64 = 1_000

    /// The stored rows of a scope, as a select of all columns of `Row`.
    static func relation<Row: ViewRow>(_ type: Row.Type, _ scope: ViewScope) -> SQL { Row.select(scope) }

    /// Rows in memory, as a select of all columns of `Row`.
    static func relation<Row: ViewRow>(_ rows: [Row]) -> SQL {
        let columns = Row.table.columns.joined(separator: ", ")
        return "SELECT * FROM unnest(\(Row.table.arrays(rows))) AS x(\(unsafeSQL: columns))"
    }

    /// The statement that selects the key of each difference, whether each side has the row, and the differing columns.
    static func statement<Row: ViewRow>(_ type: Row.Type, expected: SQL, actual: SQL) -> SQL {
        // An equal constant on both sides joins the rows of projections that have one row per tenant.
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

    /// Reads the result of ``statement(_:expected:actual:)``.
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

/// Compares the live projections with the log.
///
/// ```swift
/// let state = try await StateAt(reader: reader).company(tenant)
/// let (compared, differences) = try await LiveViews(pool: readerPool).compare(state, of: tenant)
/// ```
package struct LiveViews: Sendable {
    private let pool: PostgresPool

    /// A comparison over a pool of the reader role.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns the differences between the live rows of a tenant and a state built from its ledger.
    ///
    /// Everything is read in one snapshot and compared byte by byte. A projection at another position than the state is
    /// not compared.
    ///
    /// - Returns: The projections that were compared, and up to 1,000 differences of each of their tables.
    /// - Throws: `PostgresError`.
    package func compare(
        _ state: CompanyState, of tenant: TenantID
    ) async throws -> (compared: Set<ProjectionName>, differences: [ViewDifference]) {
        let ledger = LedgerID(tenant.uuid)
        return try await pool.withTransaction(.snapshot) { connection in
            var compared: Set<ProjectionName> = []
            var differences: [ViewDifference] = []
            for progress in try await connection.query(ProgressRow.live(ledger)).map(ProgressRow.init) {
                guard progress.position == state.position, let model = state.model(progress.projection) else {
                    continue
                }
                let scope = ViewScope(ledger: ledger, generation: progress.generation)
                compared.insert(progress.projection)
                for (table, statement) in model.comparisons(scope) {
                    let rows = try await connection.query(statement)
                    differences += try ViewComparison.differences(rows, progress.projection, table, tenant)
                }
            }
            return (compared, differences)
        }
    }
}

extension ViewRows {
    /// The statement that compares the rows in memory with the stored ones.
    func comparison(_ scope: ViewScope) -> (table: String, statement: SQL) {
        let statement = ViewComparison.statement(
            Row.self, expected: ViewComparison.relation(Array(rows.values)),
            actual: ViewComparison.relation(Row.self, scope))
        return (Row.tableName, statement)
    }
}

/// A row of a projection that differs from the log, or a projection that cannot be built to the end.
package struct ViewDifference: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The live projection lacks a row that follows from the log.
        case missing
        /// The live projection has a row that does not follow from the log.
        case unexpected
        /// These columns hold other values.
        case changed(columns: [String])
        /// The projection cannot be built past the event at this position, for this reason.
        case stopped(position: Int64, reason: String)
    }

    package let view: ProjectionName
    package let table: String
    package let tenant: TenantID
    /// The key of the row within the tenant as text, empty if a tenant has one row.
    package let key: String
    package let kind: Kind

    /// A difference of one row, or of a whole projection.
    package init(view: ProjectionName, table: String, tenant: TenantID, key: String, kind: Kind) {
        self.view = view
        self.table = table
        self.tenant = tenant
        self.key = key
        self.kind = kind
    }
}
