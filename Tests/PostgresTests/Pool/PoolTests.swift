import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(1)))
struct PoolTests {
    @Test func `a connection is lent and comes back`() async throws {
        try await withPostgresPool(configuration: try TestDatabase.server(), logger: .quiet) { pool in
            let first = try await pool.withConnection { connection in
                try await connection.execute("SELECT 1")
                return connection.processID
            }
            let second = try await pool.withConnection { $0.processID }
            #expect(first == second)
            #expect(pool.health.idle == 1)
            #expect(pool.health.isHealthy)
        }
    }
}
