import FoundationEssentials
import Ledger
import Postgres

/// The rows of generations that nobody names any more.
struct ObsoleteRows: Sendable {
    /// How many rows one transaction drops.
    static let chunk: Int64 = 10_000

    let pool: PostgresPool

    /// Drops the rows of views, in bounded transactions; a kill leaves the rest to the next run.
    func drop(_ views: [ProjectionName]) async throws {
        let obsolete: SQL = """
            SELECT p.projection, p.generation, p.ledger_id
            FROM tenure.projection_progress AS p JOIN tenure.projection_generation AS g USING (projection)
            WHERE p.projection = ANY (\(views.map(\.rawValue)))
                AND p.generation <> g.live AND p.generation IS DISTINCT FROM g.building
            LIMIT 500
            """
        while true {
            let rows = try await pool.withConnection { connection in try await connection.query(obsolete) }
            if rows.isEmpty { return }
            for row in rows {
                let (view, generation, ledger) = try row.decode(String.self, Int32.self, UUID.self)
                try await drop(ProjectionName(rawValue: view), generation, ledger)
            }
        }
    }

    private func drop(_ view: ProjectionName, _ generation: Int32, _ ledger: UUID) async throws {
        for table in ReadModels.named(view)?.tables ?? [] {
            let sql: SQL = """
                DELETE FROM tenure.\(unsafeSQL: table.table) WHERE ledger_id = \(ledger) AND generation = \(generation)
                    AND ctid = ANY (ARRAY(
                        SELECT ctid FROM tenure.\(unsafeSQL: table.table)
                        WHERE ledger_id = \(ledger) AND generation = \(generation) LIMIT \(Self.chunk)))
                """
            var dropped = 1
            while dropped > 0 {
                dropped = try await pool.withTransaction { connection in try await connection.execute(sql) }
            }
        }
        // Last: as long as this row is there, the next run finds what is left.
        try await pool.withTransaction { connection in
            try await connection.execute(
                """
                DELETE FROM tenure.projection_progress
                WHERE ledger_id = \(ledger) AND projection = \(view.rawValue) AND generation = \(generation)
                """)
        }
    }
}
