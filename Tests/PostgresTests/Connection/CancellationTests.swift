import Testing
@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct CancellationTests {
    @Test func `cancellation stops a running statement and keeps the connection`() async throws {
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

    @Test func `cancellation stops a long pipeline midway and keeps the connection`()
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
        #expect(Set(counts.keys).isSubset(of: ["cancelled", "finished"]), "\(counts)")
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

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct TimeoutTests {
    @Test func `a statement that takes too long is stopped by the server`() async throws {
        try await TestDatabase.withConnection {
            $0.statementTimeout = .milliseconds(100)
        } _: { connection in
            let error = try await databaseError { try await connection.query("SELECT pg_sleep(30)") }
            #expect(error.code == .timeout)
            #expect(error.sqlState == .queryCanceled)
            #expect(!error.isConnectionLost)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `waiting for a lock ends with the lock timeout`() async throws {
        try await TestDatabase.withConnection { holder in
            try await holder.execute("SELECT pg_advisory_lock(771)")
            try await TestDatabase.withConnection {
                $0.lockTimeout = .milliseconds(100)
            } _: { connection in
                let error = try await databaseError { try await connection.query("SELECT pg_advisory_lock(771)") }
                #expect(error.code == .timeout)
                #expect(error.sqlState == .lockNotAvailable)
                #expect(try await connection.query("SELECT 1").count == 1)
            }
        }
    }

    @Test func `a transaction that idles too long loses its session`() async throws {
        try await TestDatabase.withConnection {
            $0.idleInTransactionTimeout = .milliseconds(100)
        } _: { connection in
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("SELECT 1")
                    try await Task.sleep(for: .milliseconds(400))
                    try await connection.execute("SELECT 2")
                }
            }
            #expect(error.code == .connection)
            #expect(error.sqlState == .idleInTransactionTimeout, "\(String(reflecting: error))")
            #expect(error.isConnectionLost)
        }
    }

    @Test func `connecting to a port that never answers ends in time`() async throws {
        // RFC 5737: 192.0.2.0/24 is nobody's.
        var configuration = try PostgresConfiguration(url: "host=192.0.2.1 port=9 user=x sslmode=disable")
        configuration.connectTimeout = .milliseconds(300)
        let started = ContinuousClock.now
        let error = try await databaseError { _ = try await PostgresConnection.connect(configuration, logger: .quiet) }
        #expect(error.code == .timeout || error.code == .connection)
        #expect(ContinuousClock.now - started < .seconds(50))
    }

    @Test func `a socket without a listener is an error at once, without its name`() async throws {
        let configuration = try PostgresConfiguration(url: "postgresql://u:secret@/x?host=/nonexistent/dir")
        let error = try await databaseError { _ = try await PostgresConnection.connect(configuration, logger: .quiet) }
        #expect(error.code == .connection)
        #expect(error.isConnectionLost)
        #expect(!error.description.contains("nonexistent"))
        #expect(!String(reflecting: error).contains("secret"))
    }

    @Test func `the session has the settings of the configuration`() async throws {
        try await TestDatabase.withConnection {
            $0.statementTimeout = .seconds(7)
            $0.lockTimeout = nil
            $0.applicationName = "it's a \\ name"
            $0.sessionSettings = ["search_path": "pg_catalog, public", "tenure.note": #"a b\c 'd' "e""#]
        } _: { connection in
            let names = [
                "statement_timeout", "lock_timeout", "application_name", "search_path", "tenure.note", "TimeZone",
            ]
            let rows = try await connection.query("SELECT current_setting(n) FROM unnest(\(names)) AS n")
            #expect(
                try rows.map { try $0.decode(String.self) } == [
                    "7s", "0", "it's a \\ name", "pg_catalog, public", #"a b\c 'd' "e""#, "UTC",
                ])
        }
    }
}
