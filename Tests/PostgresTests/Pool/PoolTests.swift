import Logging
import ServiceLifecycle
import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct PoolTests {
    private func withPool<Result>(
        _ size: Int = 2, timeout: Duration = .seconds(300), _ body: (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await withPostgresPool(
            configuration: try TestDatabase.server(), maximumConnections: size, acquireTimeout: timeout,
            logger: .quiet, body)
    }

    @Test func `a lent connection returns to the pool`() async throws {
        try await withPool { pool in
            let first = try await pool.withConnection { $0.processID }
            let second = try await pool.withConnection { $0.processID }
            #expect(first == second)
            #expect(pool.health.idle == 1)
            #expect(pool.health.isHealthy)
        }
    }

    @Test func `callers that arrive before run() wait for it`() async throws {
        let pool = PostgresPool(configuration: try TestDatabase.server(), maximumConnections: 1, logger: .quiet)
        async let early = pool.withConnection { try await $0.query("SELECT 1").count }
        while pool.health.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(!pool.health.isRunning)
        async let _: Void = pool.run()
        #expect(try await early == 1)
    }

    @Test func `an exhausted pool refuses after its timeout and recovers`() async throws {
        try await withPool(1, timeout: .seconds(1)) { pool in
            // On a busy machine connecting alone may take longer than this pool waits: that is not what is shown here.
            while pool.health.idle == 0 { _ = try? await pool.withConnection { _ in } }
            try await pool.withConnection { connection in
                let started = ContinuousClock.now
                let error = try await databaseError { try await pool.withConnection { _ in } }
                #expect(error.code == .poolExhausted)
                #expect(ContinuousClock.now - started >= .seconds(1))
                try await connection.execute("SELECT 1")
            }
            #expect(pool.health.waiting == 0)
            #expect(try await pool.withConnection { try await $0.query("SELECT 1").count } == 1)
        }
    }

    @Test func `waits are counted with their time, and those that got nothing`() async throws {
        try await withPool(1, timeout: .seconds(1)) { pool in
            while pool.health.idle == 0 { _ = try? await pool.withConnection { _ in } }
            let before = pool.health
            try await pool.withConnection { _ in
                _ = try await databaseError { try await pool.withConnection { _ in } }
            }
            let after = pool.health
            #expect(after.waits == before.waits + 1 && after.givenUp == before.givenUp + 1)
            #expect(after.waited - before.waited >= .seconds(1))
            try await pool.withConnection { _ in }
            #expect(pool.health.waits == after.waits, "a free connection is no wait")
        }
    }

    @Test func `callers are served in the order of their arrival`() async throws {
        try await withPool(1) { pool in
            let order = Lock<[Int]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await pool.withConnection { connection in
                    for number in 0..<20 {
                        group.addTask {
                            try await pool.withConnection { _ in order.withLock { $0.append(number) } }
                        }
                        while pool.health.waiting <= number { try await Task.sleep(for: .milliseconds(1)) }
                    }
                    try await connection.execute("SELECT 1")
                }
                try await group.waitForAll()
            }
            #expect(order.withLock { $0 } == Array(0..<20))
        }
    }

    @Test func `a cancelled waiter leaves the queue`() async throws {
        try await withPool(1) { pool in
            try await pool.withConnection { _ in
                let task = Task { try await databaseError { try await pool.withConnection { _ in } }.code }
                while pool.health.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
                task.cancel()
                #expect(try await task.value == .cancelled)
                #expect(pool.health.waiting == 0)
            }
        }
    }

    @Test func `the pool never exceeds its connections under load`() async throws {
        try await withPool(3) { pool in
            let (active, peak) = (Lock(0), Lock(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await pool.withConnection { connection in
                            let now = active.withLock {
                                $0 += 1; return $0
                            }
                            peak.withLock { $0 = max($0, now) }
                            let rows = try await connection.query("SELECT \(number)")
                            #expect(try rows[0].decode(Int.self) == number)
                            active.withLock { $0 -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect((1...3).contains(peak.withLock { $0 }))
            #expect(pool.health.lent == 0)
            #expect(pool.health.idle <= 3)
        }
    }

    @Test func `a connection left in a transaction, listening or closed is not lent again`() async throws {
        try await withPool(1) { pool in
            for statement: SQL in ["BEGIN", "LISTEN x"] {
                let first = try await pool.withConnection { connection in
                    if statement.text == "BEGIN" {
                        try await connection.execute("BEGIN")
                    } else {
                        try await connection.listen("x")
                    }
                    return connection.processID
                }
                let second = try await pool.withConnection { $0.processID }
                #expect(first != second)
            }
            let first = try await pool.withConnection { connection in
                defer { connection.close() }
                return connection.processID
            }
            let second = try await pool.withConnection { $0.processID }
            #expect(first != second)
        }
    }

    @Test func `serialization failures are retried until both transactions commit`() async throws {
        try await TestDatabase.withDatabase { configuration in
            try await withPostgresPool(configuration: configuration, maximumConnections: 4, logger: .quiet) { pool in
                try await pool.withConnection { connection in
                    try await connection.execute("CREATE TABLE counter (n int8)")
                    try await connection.execute("INSERT INTO counter VALUES (0)")
                }
                let attempts = Lock(0)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            for _ in 0..<10 {
                                try await pool.withTransaction(.serializable, retries: 100) { connection in
                                    attempts.withLock { $0 += 1 }
                                    let n = try await connection.query("SELECT n FROM counter")[0].decode(Int.self)
                                    try await connection.execute("UPDATE counter SET n = \(n + 1)")
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let total = try await pool.withConnection {
                    try await $0.query("SELECT n FROM counter")[0].decode(Int.self)
                }
                #expect(total == 40)
                #expect(attempts.withLock { $0 } > 40, "no conflict happened, so nothing was shown")
            }
        }
    }

    @Test func `retries are bounded, and other errors are not retried`() async throws {
        try await withPool { pool in
            for (state, expected) in [("40001", 4), ("40P01", 4), ("23505", 1)] {
                var attempts = 0
                let error = try await databaseError {
                    try await pool.withTransaction(retries: 3) { connection in
                        attempts += 1
                        try await connection.executeScript(
                            "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(state)'; END $$")
                    }
                }
                #expect(error.sqlState?.rawValue == state)
                #expect(attempts == expected)
            }
        }
    }

    @Test func `a waiting caller's error names the unreachable server`() async throws {
        let configuration = try PostgresConfiguration(url: "postgresql://u@/x?host=/nonexistent")
        try await withPostgresPool(
            configuration: configuration, acquireTimeout: .seconds(3), logger: .quiet
        ) { pool in
            var error = try await databaseError { try await pool.withConnection { _ in } }
            // On a busy machine the first attempt to connect may fail later than the caller gave up.
            while error.code == .poolExhausted {
                error = try await databaseError { try await pool.withConnection { _ in } }
            }
            #expect(error.code == .connection)
            #expect(!pool.health.isHealthy)
        }
    }

    @Test func `a graceful shutdown waits for lent connections and refuses new callers`() async throws {
        let pool = PostgresPool(configuration: try TestDatabase.server(), maximumConnections: 2, logger: .quiet)
        let group = ServiceGroup(configuration: .init(services: [pool], logger: .quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await pool.withConnection { connection in
                await group.triggerGracefulShutdown()
                while pool.health.isRunning { try await Task.sleep(for: .milliseconds(1)) }
                let refused = try await databaseError { try await pool.withConnection { _ in } }
                #expect(refused.code == .poolExhausted)
                let count = try await connection.query("SELECT pg_sleep(0.1)").count
                #expect(count == 1)
            }
            try await tasks.waitForAll()
        }
        #expect(pool.health.lent + pool.health.idle + pool.health.opening == 0)
    }

    @Test func `bodies may use actor state and values that are not Sendable`() async throws {
        final class Counter { var count = 0 }
        actor Owner {
            var seen: [Int] = []
            let counter = Counter()
            func work(_ pool: PostgresPool) async throws -> Int {
                try await pool.withTransaction { connection in
                    seen.append(try await connection.query("SELECT 7::int8")[0].decode(Int.self))
                    counter.count += 1
                }
                return seen.count + counter.count
            }
        }
        try await withPool { pool in
            let done = try await Owner().work(pool)
            #expect(done == 2)
        }
    }
}
