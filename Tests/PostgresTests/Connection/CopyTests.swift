import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct CopyTests {
    private struct Refusal: Error {}

    @Test func `10 MB round-trip through COPY`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8, word text)")
            var sent: [UInt8] = []
            for number in 0..<100_000 { sent += Array("\(number)\t\(String(repeating: "w", count: 95))\n".utf8) }
            let count = try await connection.copyIn("COPY t FROM STDIN") { writer in
                // Pieces need not end at rows.
                for start in stride(from: 0, to: sent.count, by: 70_001) {
                    try await writer.write(Array(sent[start..<min(start + 70_001, sent.count)]))
                }
            }
            #expect(count == 100_000)
            var received: [UInt8] = []
            let back = try await connection.copyOut("COPY (SELECT * FROM t ORDER BY i) TO STDOUT") { received += $0 }
            #expect(back == 100_000)
            #expect(received == sent)
        }
    }

    @Test func `a body that throws rolls back the copy, and its error is rethrown`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (word text)")
            do {
                _ = try await connection.copyIn("COPY t FROM STDIN") { writer in
                    try await writer.write(Array("a\nb\n".utf8))
                    throw Refusal()
                }
                Issue.record("the error was swallowed")
            } catch is Refusal {}
            #expect(try await connection.query("SELECT word FROM t").isEmpty)
            do {
                _ = try await connection.copyOut("COPY (SELECT generate_series(1, 1000000)) TO STDOUT") { _ in
                    throw Refusal()
                }
                Issue.record("the error was swallowed")
            } catch is Refusal {}
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `a refused line fails the copy, and nothing is copied`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            let error = try await databaseError {
                try await connection.copyIn("COPY t FROM STDIN") { try await $0.write(Array("1\nx\n".utf8)) }
            }
            #expect(error.sqlState?.rawValue == "22P02")
            #expect(try await connection.query("SELECT i FROM t").isEmpty)
        }
    }

    @Test func `a statement other than COPY in this direction is refused`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            for statement: SQL in ["SELECT 1", "COPY t TO STDOUT", "", "SELECT \(1)"] {
                let error = try await databaseError { try await connection.copyIn(statement) { _ in } }
                #expect(error.code == .usage)
            }
            for statement: SQL in ["SELECT 1", "COPY t FROM STDIN"] {
                let error = try await databaseError { try await connection.copyOut(statement) { _ in } }
                #expect(error.code == .usage)
            }
            let syntax = try await databaseError { try await connection.copyOut("COPY missing TO STDOUT") { _ in } }
            #expect(syntax.sqlState == .undefinedTable)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `a cancelled COPY FROM copies nothing and keeps the connection`() async throws {
        let isReusable = try await Task {
            try await TestDatabase.withConnection { connection in
                try await connection.execute("CREATE TEMPORARY TABLE t (word text)")
                let error = try await databaseError {
                    try await connection.copyIn("COPY t FROM STDIN") { writer in
                        try await writer.write(Array("a\n".utf8))
                        withUnsafeCurrentTask { $0?.cancel() }
                        try await writer.write(Array("b\n".utf8))
                    }
                }
                #expect(error.code == .cancelled)
                return connection.session.isReusable
            }
        }.value
        #expect(isReusable)
    }
}
