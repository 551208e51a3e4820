import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct CancellationTests {
    @Test func `a running statement is stopped and the connection goes on`() async throws {
        let processID = Lock<Int32?>(nil)
        let task = Task {
            try await TestDatabase.withConnection { connection in
                let own = connection.processID
                processID.withLock { $0 = own }
                let error = try await databaseError { try await connection.query("SELECT pg_sleep(60)") }
                return (error, connection.session.isReusable)
            }
        }
        try await sleeps(processID)
        let started = ContinuousClock.now
        task.cancel()
        let (error, isReusable) = try await task.value
        #expect(error.code == .cancelled)
        #expect(error.sqlState == .queryCanceled)
        #expect(isReusable)
        #expect(ContinuousClock.now - started < .seconds(50))
    }

    @Test func `a long pipeline of small statements is stopped in its middle, and its connection can be used again`()
        async throws
    {
        let processID = Lock<Int32?>(nil), text = String(repeating: "x", count: 500)
        // Two megabytes: more than may wait unsent, and more than a socket holds while nobody reads.
        let statements: [SQL] = (0..<4_000).map { $0 == 1_500 ? "SELECT pg_sleep(60)" : "SELECT \(text)" }
        let task = Task {
            try await TestDatabase.withConnection { connection in
                let own = connection.processID
                processID.withLock { $0 = own }
                let error = try await databaseError { try await connection.pipeline(statements) }
                return (error, connection.session.isReusable)
            }
        }
        try await sleeps(processID)
        task.cancel()
        let (error, isReusable) = try await task.value
        #expect(error.code == .cancelled)
        #expect(error.statementIndex == 1_500)
        #expect(isReusable)
    }

    /// Returns when the server's process sleeps in a statement.
    private func sleeps(_ processID: Lock<Int32?>) async throws {
        try await TestDatabase.withConnection { observer in
            while true {
                let own = processID.withLock { $0 }
                let sleeping = try await observer.query(
                    "SELECT FROM pg_stat_activity WHERE pid = \(own) AND wait_event = 'PgSleep'")
                if sleeping.count == 1 { break }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// 300 cancellations at random moments of queries, transactions, pipelines, streams and copies; after each one the
    /// pool's next caller must get right answers.
    @Test func `300 cancellations at random moments leave every connection usable or closed`() async throws {
        let tally = Lock<[String: Int]>([:])
        try await withPostgresPool(
            configuration: try TestDatabase.server(), maximumConnections: 6, logger: .quiet
        ) { pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<6 {
                    group.addTask {
                        for round in 0..<50 {
                            let outcome = await cancelAtRandom(pool, kind: (lane + round) % 5)
                            tally.withLock { $0[outcome, default: 0] += 1 }
                            let expected = lane * 1000 + round
                            let answer = try await pool.withConnection { connection in
                                try await connection.query("SELECT \(expected), \("x")")[0].decode(
                                    Int.self, String.self)
                            }
                            #expect(answer == (expected, "x"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(pool.health.lent == 0)
        }
        let counts = tally.withLock { $0 }
        #expect(counts.values.reduce(0, +) == 300)
        #expect(counts["cancelled", default: 0] > 100, "the moments must fall into the work: \(counts)")
        #expect(counts["other"] == nil, "\(counts)")
    }

    private func cancelAtRandom(_ pool: PostgresPool, kind: Int) async -> String {
        let task = Task {
            try await pool.withConnection { connection in
                for _ in 0..<20 {
                    switch kind {
                    case 0: try await connection.execute("SELECT pg_sleep(0.002)")
                    case 1:
                        try await connection.withTransaction { connection in
                            try await connection.execute("SELECT pg_sleep(0.001)")
                            try await connection.execute("SELECT \(1)")
                        }
                    case 2: try await connection.pipeline((0..<10).map { "SELECT \($0), pg_sleep(0.0002)" })
                    case 3: try await connection.forEachRow("SELECT generate_series(1, \(2000))") { _ in }
                    default:
                        _ = try await connection.copyOut("COPY (SELECT generate_series(1, 2000)) TO STDOUT") { _ in }
                    }
                }
            }
        }
        try? await Task.sleep(for: .microseconds(Int.random(in: 0...30_000)))
        task.cancel()
        do {
            try await task.value
            return "finished"
        } catch let error as PostgresError {
            return error.code == .cancelled ? "cancelled" : "other: \(String(reflecting: error))"
        } catch {
            return "other: \(error)"
        }
    }

    @Test func `a cancelled task sends nothing`() async throws {
        let code = try await Task {
            try await TestDatabase.withConnection { connection in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await databaseError { try await connection.query("SELECT 1") }.code
            }
        }.value
        #expect(code == .cancelled)
    }
}
