import Testing

@testable import Postgres

/// Transactions whose last statements are sent with COMMIT.
@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct ClosingCommitTests {
    @Test func `the last statements are sent together with COMMIT`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            let rows = try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                return try await connection.commit(after: ["INSERT INTO t VALUES (2) RETURNING i", "SELECT 7::int8"])
            }
            #expect(try rows.map { try $0[0].decode(Int64.self) } == [2, 7])
            #expect(connection.session.isReusable)
            #expect(try await connection.query("SELECT i FROM t").count == 2)
            let none = try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (3)")
                return try await connection.commit(after: [])
            }
            #expect(none.isEmpty)
            #expect(try await connection.query("SELECT i FROM t").count == 3)
        }
    }

    @Test func `a failing last statement rolls back everything and is named`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    _ = try await connection.commit(after: ["INSERT INTO t VALUES (2)", "SELECT 1/0", "SELECT 1"])
                }
            }
            #expect(error.sqlState == .divisionByZero && error.statementIndex == 1 && !error.isOutcomeUnknown)
            #expect(try await connection.query("SELECT i FROM t").isEmpty)
            let hidden = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    _ = try? await connection.execute("SELECT 1/0")
                    _ = try await connection.commit(after: [])
                }
            }
            #expect(hidden.code == .transactionAborted)
            #expect(try await connection.query("SELECT i FROM t").isEmpty)
        }
    }

    @Test func `a committed transaction accepts no more statements and stays committed`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    _ = try await connection.commit(after: ["INSERT INTO t VALUES (1)"])
                    try await connection.execute("INSERT INTO t VALUES (2)")
                }
            }
            #expect(error.code == .usage)
            let outside = try await databaseError { _ = try await connection.commit(after: ["SELECT 1"]) }
            #expect(outside.code == .usage)
            #expect(try await connection.query("SELECT i FROM t").count == 1)
        }
    }

    @Test func `a cancelled task does not interrupt the last statements`() async throws {
        let outcome = Task {
            try await TestDatabase.withConnection { connection in
                try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
                try await connection.withTransaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    withUnsafeCurrentTask { $0?.cancel() }
                    _ = try await connection.commit(after: ["SELECT pg_sleep(0.1)", "INSERT INTO t VALUES (2)"])
                }
                return connection.session.isReusable
            }
        }
        #expect(try await outcome.value)
    }

    @Test func `a constraint that fails at COMMIT is attributed to no statement`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute(
                "CREATE TEMPORARY TABLE t (i int8 CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    _ = try await connection.commit(after: ["INSERT INTO t VALUES (1)", "SELECT 1"])
                }
            }
            #expect(error.sqlState == .uniqueViolation && error.statementIndex == 2 && !error.isOutcomeUnknown)
            #expect(connection.session.isReusable)
            #expect(try await connection.query("SELECT i FROM t").isEmpty)
        }
    }

    @Test func `a body that fails after its commit is not retried`() async throws {
        try await withPostgresPool(
            configuration: try TestDatabase.server(), maximumConnections: 1, logger: .quiet
        ) { pool in
            var runs = 0
            let error = try await databaseError {
                try await pool.withTransaction { connection in
                    runs += 1
                    _ = try await connection.commit(after: ["SELECT 1"])
                    var failure = PostgresError(.server, "another connection's deadlock")
                    failure.sqlState = .deadlockDetected
                    throw failure
                }
            }
            #expect(runs == 1 && error.sqlState == .deadlockDetected && !error.isRetryable)
            let rows = try await pool.withConnection { try await $0.query("SELECT 2::int8") }
            #expect(try rows[0].decode(Int64.self) == 2)
        }
    }
}
