import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct PipelineTests {
    /// libpq keeps the single-row mode of the command before for the first command of a pipeline.
    @Test func `the first statement of a pipeline returns all rows even after row-by-row reads`() async throws {
        try await TestDatabase.withConnection { connection in
            let numbers: SQL = "SELECT generate_series(1, \(3))"
            // The statement is prepared by then, so that it is the first command of the next pipeline.
            _ = try await connection.pipeline([numbers])
            for read in 0..<2 {
                try await connection.forEachRow("SELECT generate_series(1, \(2000))") { _ in }
                let rows = try await connection.pipeline([numbers, "SELECT \(7)"])
                #expect(try rows[0].map { try $0.decode(Int.self) } == [1, 2, 3], "\(read)")
                #expect(try rows[1].map { try $0.decode(Int.self) } == [7])
            }
        }
    }

    @Test func `each statement gets its rows, prepared or not`() async throws {
        for capacity in [0, 2, 256] {
            try await TestDatabase.withConnection {
                $0.statementCacheCapacity = capacity
            } _: { connection in
                for _ in 0..<3 {
                    let answers = try await connection.pipeline([
                        "SELECT \(1)", "SELECT \("two")", "SELECT generate_series(1, \(3))", "SELECT \(4)",
                        "SET geqo = on",
                    ])
                    #expect(answers.map(\.count) == [1, 1, 3, 1, 0])
                    #expect(try answers[0][0].decode(Int.self) == 1)
                    #expect(try answers[1][0].decode(String.self) == "two")
                    #expect(try answers[3][0].decode(Int.self) == 4)
                }
                #expect(try await connection.pipeline([]).isEmpty)
            }
        }
    }

    @Test func `a handle finds the rows of its statement, and none in another pipeline's answers`() async throws {
        var statements = PipelinedStatements()
        let one = statements.add("SELECT 1")
        statements.add("SET geqo = on")
        let two = statements.add("SELECT generate_series(2, 3)"), list = statements.list
        try await TestDatabase.withConnection { connection in
            let answers = try await connection.pipeline(list)
            #expect(try two.rows(in: answers).map { try $0.decode(Int32.self) } == [2, 3])
            #expect(try one.rows(in: answers).map { try $0.decode(Int32.self) } == [1])
            let error = #expect(throws: PostgresError.self) { try two.rows(in: [answers[0]]) }
            #expect(error?.code == .usage)
        }
    }

    @Test func `a failure names its statement and rolls back the others`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8 PRIMARY KEY)")
            for place in [1, 2] {
                var statements: [SQL] = [1, 2, 3].map { "INSERT INTO t VALUES (\($0))" }
                statements.insert("INSERT INTO t VALUES (\(1))", at: place)
                let error = try await databaseError { try await connection.pipeline(statements) }
                #expect(error.sqlState == .uniqueViolation)
                #expect(error.statementIndex == place)
                #expect(try await connection.query("SELECT i FROM t").isEmpty)
            }
            let syntax = try await databaseError { try await connection.pipeline(["SELECT 1", "SELEC 2", "SELECT 3"]) }
            #expect(syntax.sqlState == .syntaxError)
            #expect(syntax.statementIndex == 1)
            #expect(try await connection.pipeline(["SELECT 3"])[0].count == 1)
        }
    }

    @Test func `50 MB each way do not deadlock`() async throws {
        let megabyte = [UInt8](repeating: 0xAB, count: 1 << 20)
        try await TestDatabase.withConnection { connection in
            let answers = try await connection.pipeline((0..<50).map { _ in "SELECT \(megabyte)" })
            #expect(answers.count == 50)
            for rows in answers { #expect(try rows[0].decode([UInt8].self) == megabyte) }
            // Small requests, large answers, and the other way round.
            let large = try await connection.pipeline((0..<50).map { _ in "SELECT repeat('x', 1048576)" })
            #expect(try large.allSatisfy { try $0[0].decode(String.self).utf8.count == 1 << 20 })
            let small = try await connection.pipeline((0..<50).map { _ in "SELECT length(\(megabyte))" })
            #expect(try small.allSatisfy { try $0[0].decode(Int32.self) == 1 << 20 })
        }
    }

    @Test func `many small statements take one round trip`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (i int8)")
            try await connection.pipeline((0..<10_000).map { "INSERT INTO t VALUES (\($0))" })
            #expect(
                try await connection.query("SELECT count(*), sum(i)::int8 FROM t")[0].decode(Int.self, Int.self) == (
                    10_000, 49_995_000
                ))
        }
    }

    @Test func `COPY in a pipeline is refused`() async throws {
        try await TestDatabase.withConnection { connection in
            let error = try await databaseError {
                try await connection.pipeline(["SELECT 1", "COPY (SELECT 1) TO STDOUT", "SELECT 2"])
            }
            #expect(error.code == .usage)
            #expect(error.statementIndex == 1)
            #expect(error.isConnectionLost)
        }
    }
}
