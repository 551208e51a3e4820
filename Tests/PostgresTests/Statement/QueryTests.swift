import FoundationEssentials
import Testing
@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct QueryTests {
    @Test func `values are bound and rows decoded`() async throws {
        try await TestDatabase.withConnection { connection in
            let rows = try await connection.query(
                "SELECT \(7) AS number, \("seven") AS word, \(nil as Int?) AS nothing")
            let row = try #require(rows.first)
            let (number, word, nothing) = try row.decode(Int.self, String.self, Int?.self)
            #expect(number == 7)
            #expect(word == "seven")
            #expect(nothing == nil)
            #expect(try row.decode("word", as: String.self) == "seven")
        }
    }

    @Test func `rows affected are counted`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (id int8 PRIMARY KEY)")
            #expect(try await connection.execute("INSERT INTO t SELECT generate_series(1, \(5))") == 5)
            #expect(try await connection.execute("DELETE FROM t WHERE id > \(3)") == 2)
            #expect(try await connection.query("SELECT 1 FROM t").count == 3)
        }
    }

    @Test func `a value is never interpreted as SQL`() async throws {
        try await TestDatabase.withConnection { connection in
            let hostile = "'); DROP TABLE t; --"
            let rows = try await connection.query("SELECT \(hostile)")
            #expect(try rows[0].decode(String.self) == hostile)
        }
    }

    @Test func `NUL in text is refused before anything is sent`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (word text)")
            let error = try await databaseError { try await connection.execute("INSERT INTO t VALUES (\("a\0b"))") }
            #expect(error.code == .encoding)
            let inArray = try await databaseError { try await connection.query("SELECT \(["a", "\0"])") }
            #expect(inArray.code == .encoding)
            let inStatement = try await databaseError { try await connection.query("SELECT 1 \0 garbage") }
            #expect(inStatement.code == .usage)
            let inScript = try await databaseError { try await connection.executeScript("SELECT 1; \0 garbage") }
            #expect(inScript.code == .usage)
            #expect(try await connection.query("SELECT word FROM t").isEmpty)
        }
    }

    @Test func `a wrong type, NULL and a wrong column count are refused`() async throws {
        try await TestDatabase.withConnection { connection in
            let rows = try await connection.query("SELECT 1::int4 AS a, NULL::int4 AS b, 2 AS a")
            #expect(throws: PostgresError.self) { try rows[0].decode(column: 0, as: Int.self) }
            #expect(throws: PostgresError.self) { try rows[0].decode(column: 0, as: String.self) }
            #expect(throws: PostgresError.self) { try rows[0].decode(column: 1, as: Int32.self) }
            #expect(throws: PostgresError.self) { try rows[0].decode(Int32.self) }
            #expect(throws: PostgresError.self) { try rows[0].decode("a", as: Int32.self) }
            #expect(throws: PostgresError.self) { try rows[0].decode("missing", as: Int32.self) }
            #expect(throws: PostgresError.self) { try rows[0].decode(column: 3, as: Int32.self) }
            let (a, b, c) = try rows[0].decode(Int32.self, Int32?.self, Int32.self)
            #expect([a, b, c] == [1, nil, 2])
        }
    }

    @Test func `an error has SQLSTATE, severity and constraint, and its description no data`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (id text CONSTRAINT one_id UNIQUE)")
            try await connection.execute("INSERT INTO t VALUES (\("secret"))")
            let error = try await databaseError { try await connection.execute("INSERT INTO t VALUES (\("secret"))") }
            #expect(error.code == .server)
            #expect(error.sqlState == .uniqueViolation)
            #expect(error.severity == .error)
            #expect(error.constraint == "one_id")
            #expect(error.table == "t")
            #expect(!error.isRetryable)
            #expect(!error.isConnectionLost)
            #expect(!"\(error)".contains("secret"))
            #expect(!error.description.contains("INSERT"))
            #expect(String(reflecting: error).contains("secret"))
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `a script runs several statements as one transaction`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.executeScript("CREATE TEMPORARY TABLE t (i int8); INSERT INTO t VALUES (1), (2);")
            let error = try await databaseError {
                try await connection.executeScript("INSERT INTO t VALUES (3); SELECT 1/0; INSERT INTO t VALUES (4);")
            }
            #expect(error.sqlState?.rawValue == "22012")
            #expect(try await connection.query("SELECT i FROM t").count == 2)
        }
    }

    @Test func `COPY through query is refused and keeps the connection`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            for statement: SQL in ["COPY t FROM STDIN", "COPY (SELECT generate_series(1, 9)) TO STDOUT"] {
                let error = try await databaseError { try await connection.query(statement) }
                #expect(error.code == .usage)
            }
            let script = try await databaseError { try await connection.executeScript("COPY t FROM STDIN") }
            #expect(script.code == .usage)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `a closed connection refuses commands`() async throws {
        try await TestDatabase.withConnection { connection in
            let (processID, wasOpen) = (connection.processID, connection.isOpen)
            #expect(processID > 0)
            #expect(wasOpen)
            connection.close()
            let isOpen = connection.isOpen
            #expect(!isOpen)
            let error = try await databaseError { try await connection.query("SELECT 1") }
            #expect(error.code == .connection)
            #expect(error.isConnectionLost)
        }
    }
}

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct StreamingTests {
    private struct Enough: Error {}

    @Test func `rows come one by one, in order`() async throws {
        try await TestDatabase.withConnection { connection in
            var next = 1
            try await connection.forEachRow("SELECT i, repeat('x', 100) FROM generate_series(1, \(100_000)) AS i") {
                row in
                #expect(row.result.rowCount == 1)
                let number = try row.decode(column: 0, as: Int.self)
                guard number == next else { throw Enough() }
                next += 1
            }
            #expect(next == 100_001)
        }
    }

    @Test func `a body that throws stops the statement, and its error is rethrown`() async throws {
        try await TestDatabase.withConnection { connection in
            let started = ContinuousClock.now
            var seen = 0
            do {
                try await connection.forEachRow("SELECT generate_series(1, 1000000000)") { _ in
                    seen += 1
                    if seen == 10 { throw Enough() }
                }
                Issue.record("the error was swallowed")
            } catch is Enough {}
            #expect(seen == 10)
            #expect(ContinuousClock.now - started < .seconds(50))
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `a failure in the middle of the rows is an error`() async throws {
        try await TestDatabase.withConnection { connection in
            var seen = 0
            let error = try await databaseError {
                try await connection.forEachRow("SELECT 1 / (5 - i) FROM generate_series(1, \(9)) AS i") { _ in
                    seen += 1
                }
            }
            #expect(error.sqlState?.rawValue == "22012")
            #expect(seen == 4)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }
}
