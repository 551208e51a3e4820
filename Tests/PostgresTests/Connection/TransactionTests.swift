import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct TransactionTests {
    private struct Refusal: Error {}

    @Test func `commits when the body returns and rolls back when it throws`() async throws {
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
    func `the mode is the server's`(_ mode: TransactionMode, _ isolation: String, _ readOnly: String) async throws {
        try await TestDatabase.withConnection { connection in
            let row = try await connection.withTransaction(mode) { connection in
                try await connection.query(
                    "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')")[0]
            }
            #expect(try row.decode(String.self, String.self) == (isolation, readOnly))
        }
    }

    @Test func `a second transaction inside the first is refused and the first goes on`() async throws {
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

    @Test func `a body that hides a failure does not commit silently`() async throws {
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

    @Test func `a body that ends the transaction itself is told so`() async throws {
        try await TestDatabase.withConnection { connection in
            let error = try await databaseError {
                try await connection.withTransaction { try await $0.execute("COMMIT") }
            }
            #expect(error.code == .usage)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `the last statements go together with COMMIT`() async throws {
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

    @Test func `a last statement that fails undoes everything, and is named`() async throws {
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

    @Test func `nothing follows in a transaction that was committed, and it stays committed`() async throws {
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

    @Test func `a cancelled body is rolled back and the connection goes on`() async throws {
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

    @Test func `COMMIT is finished although the task is cancelled`() async throws {
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
