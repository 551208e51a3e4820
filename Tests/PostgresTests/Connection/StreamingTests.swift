import Testing

@testable import Postgres

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

    @Test func `a body that throws stops the statement, and its error is passed on`() async throws {
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
