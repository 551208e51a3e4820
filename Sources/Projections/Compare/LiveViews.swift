public import Identity
import Ledger
public import Postgres

/// Holds the live views against what the log says.
public struct LiveViews: Sendable {
    private let pool: PostgresPool

    /// Compares over a pool of the reader role.
    public init(pool: PostgresPool) { self.pool = pool }

    /// The differences between the live rows of a company and a state folded from its ledger; none when they are equal
    /// byte by byte.
    ///
    /// All is of one snapshot. A view that has not read exactly as far as the state is not compared.
    ///
    /// - Returns: The views that were compared, and up to 1,000 differences of each of their tables.
    public func compare(
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

extension RowTable {
    /// The statement that compares the rows in memory with those stored.
    func comparison(_ scope: ViewScope) -> (table: String, statement: SQL) {
        let statement = ViewComparison.statement(
            Row.self, expected: ViewComparison.relation(Array(rows.values)),
            actual: ViewComparison.relation(Row.self, scope))
        return (Row.table, statement)
    }
}
