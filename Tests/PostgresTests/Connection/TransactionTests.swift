import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct TransactionTests {
    private struct Refusal: Error {}

    @Test func `a transaction commits when the body returns and rolls back when it throws`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            try await connection.withTransaction { try await $0.execute("INSERT INTO t VALUES (1)") }
            await #expect(throws: Refusal.self) {
                try await TestDatabase.withConnection { other in
                    try await other.withTransaction { _ in throw Refusal() }
                }
            }
            do {
                try await connection.withTransaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (2)")
                    throw Refusal()
                }
                Issue.record("the body's error was swallowed")
            } catch is Refusal {}
            #expect(try await connection.query("SELECT i FROM t").map { try $0.decode(Int.self) } == [1])
        }
    }

    @Test(arguments: [
        (TransactionMode.readCommitted, "read committed", "off"), (.repeatableRead, "repeatable read", "off"),
        (.serializable, "serializable", "off"), (.readOnly, "read committed", "on"),
        (.snapshot, "repeatable read", "on"), (.serializable.readOnly, "serializable", "on"),
    ])
    func `the server uses the requested transaction mode`(
        _ mode: TransactionMode, _ isolation: String, _ readOnly: String
    ) async throws {
        try await TestDatabase.withConnection { connection in
            let row = try await connection.withTransaction(mode) { connection in
                try await connection.query(
                    "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')")[0]
            }
            #expect(try row.decode(String.self, String.self) == (isolation, readOnly))
        }
    }

    @Test func `a nested transaction is refused and the outer one continues`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            try await connection.withTransaction { connection in
                let error = try await databaseError { try await connection.withTransaction { _ in } }
                #expect(error.code == .usage)
                try await connection.execute("INSERT INTO t VALUES (1)")
            }
            #expect(try await connection.query("SELECT i FROM t").count == 1)
        }
    }

    @Test func `statements of one transaction take effect together or not at all`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            let rows = try await connection.transaction([
                "SET LOCAL statement_timeout = '77s'", "INSERT INTO t VALUES (1) RETURNING i",
                "SELECT current_setting('statement_timeout')",
            ])
            #expect(rows.count == 3 && rows[0].isEmpty)
            #expect(try rows[1].map { try $0.decode(Int.self) } == [1])
            #expect(try rows[2].map { try $0.decode(String.self) } == ["77s"])

            let failed = try await databaseError {
                try await connection.transaction(["INSERT INTO t VALUES (2)", "SELECT 1/0", "INSERT INTO t VALUES (3)"])
            }
            #expect(failed.statementIndex == 1)
            let late = try await databaseError { try await connection.transaction(["INSERT INTO t VALUES (1)"]) }
            #expect(late.statementIndex == 1 && late.sqlState?.classCode == "23")
            try await connection.withTransaction { connection in
                let nested = try await databaseError { try await connection.transaction(["INSERT INTO t VALUES (4)"]) }
                #expect(nested.code == .usage)
            }
            #expect(try await connection.query("SELECT i FROM t").map { try $0.decode(Int.self) } == [1])
            #expect(try await connection.transaction([]).isEmpty)
        }
    }

    @Test func `a body that swallows a failure does not commit silently`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    _ = try? await connection.execute("SELECT 1/0")
                }
            }
            #expect(error.code == .transactionAborted)
            #expect(try await connection.query("SELECT i FROM t").isEmpty)
        }
    }

    @Test func `a body that ends the transaction itself gets an error`() async throws {
        try await TestDatabase.withConnection { connection in
            let error = try await databaseError {
                try await connection.withTransaction { try await $0.execute("COMMIT") }
            }
            #expect(error.code == .usage)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `a constraint that fails at COMMIT is an error, and its outcome is known`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute(
                "CREATE TEMPORARY TABLE t (i int8 CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            let error = try await databaseError {
                try await connection.withTransaction { try await $0.execute("INSERT INTO t VALUES (1), (1)") }
            }
            #expect(error.sqlState == .uniqueViolation)
            #expect(error.constraint == "once")
            #expect(!error.isOutcomeUnknown)
        }
    }

    @Test func `a cancelled body is rolled back and keeps the connection`() async throws {
        let outcome = Task {
            try await TestDatabase.withConnection { connection in
                try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
                let error = try await databaseError {
                    try await connection.withTransaction { connection in
                        try await connection.execute("INSERT INTO t VALUES (1)")
                        withUnsafeCurrentTask { $0?.cancel() }
                        try await connection.execute("SELECT pg_sleep(10)")
                    }
                }
                #expect(error.code == .cancelled)
                return connection.session.isReusable
            }
        }
        #expect(try await outcome.value)
    }

    @Test func `a cancelled task still completes COMMIT`() async throws {
        try await TestDatabase.withDatabase { configuration in
            try await Task {
                var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
                try await connection.execute("CREATE TABLE t (i int8)")
                try await connection.withTransaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }.value
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            #expect(try await connection.query("SELECT i FROM t").count == 1)
        }
    }
}
