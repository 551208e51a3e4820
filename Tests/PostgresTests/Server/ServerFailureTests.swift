import Glibc
import Testing

@testable import Postgres

/// The server is stopped, started and frozen; nothing hangs, and the pool goes on by itself.
@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(10)), .serialized)
struct ServerFailureTests {
    @Test func `the pool survives a restart of the server`() async throws {
        try await ThrowawayServer.withServer { server in
            try await withPostgresPool(
                configuration: try server.configuration, maximumConnections: 3, acquireTimeout: .seconds(60),
                logger: .quiet
            ) { pool in
                async let interrupted = databaseError {
                    try await pool.withConnection { try await $0.execute("SELECT pg_sleep(60)") }
                }
                let idle = try await pool.withConnection { $0.processID }
                try await server.waitUntilSomebodySleeps()
                try await server.stop()
                let error = try await interrupted
                #expect(error.isConnectionLost)
                #expect(error.sqlState == .adminShutdown)
                // A caller that comes while the server is away waits for it.
                async let patient = pool.withConnection { try await $0.query("SELECT 1").count }
                while pool.health.isHealthy { try await Task.sleep(for: .milliseconds(5)) }
                try await server.start()
                #expect(try await patient == 1)
                #expect(pool.health.isHealthy)
                let next = try await pool.withConnection { $0.processID }
                #expect(next != idle)
            }
        }
    }

    @Test func `a server that is away for longer than the caller waits is the reason it gets`() async throws {
        try await ThrowawayServer.withServer { server in
            try await server.stop()
            try await withPostgresPool(
                configuration: try server.configuration, acquireTimeout: .seconds(3), logger: .quiet
            ) { pool in
                var error = try await databaseError { try await pool.withConnection { _ in } }
                // On a busy machine the first attempt to connect may fail later than the caller gave up.
                while error.code == .poolExhausted {
                    error = try await databaseError { try await pool.withConnection { _ in } }
                }
                #expect(error.code == .connection)
                try await server.start()
                // On a busy machine connecting may take longer than this pool's callers wait.
                var answer: Int?
                while answer == nil { answer = try? await pool.withConnection { _ in 7 } }
                #expect(answer == 7)
            }
        }
    }

    @Test func `a frozen server does not freeze us`() async throws {
        try await ThrowawayServer.withServer { server in
            var configuration = try server.configuration
            var awake = configuration
            awake.statementTimeout = .seconds(1)
            awake.responseGrace = .milliseconds(500)
            var connection = try await PostgresConnection.connect(awake, logger: .quiet)
            try server.signal(SIGSTOP)
            let clock = ContinuousClock()

            var started = clock.now
            let silent = try await databaseError { try await connection.execute("SELECT 1") }
            #expect(silent.code == .timeout)
            #expect(silent.isConnectionLost)
            #expect(clock.now - started >= .milliseconds(1_500))
            #expect(clock.now - started < .seconds(60))
            let isOpen = connection.isOpen
            #expect(!isOpen)

            configuration.connectTimeout = .milliseconds(500)
            started = clock.now
            let refused = try await databaseError {
                _ = try await PostgresConnection.connect(configuration, logger: .quiet)
            }
            #expect(refused.code == .timeout)
            #expect(clock.now - started < .seconds(60))

            try server.signal(SIGCONT)
            var next = try await PostgresConnection.connect(try server.configuration, logger: .quiet)
            #expect(try await next.query("SELECT 1").count == 1)
        }
    }

    @Test func `a cancellation that a frozen server does not answer closes the connection in time`() async throws {
        try await ThrowawayServer.withServer { server in
            let configuration = try server.configuration
            let task = Task {
                var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
                let error = try await databaseError { try await connection.execute("SELECT pg_sleep(60)") }
                return (error, connection.isOpen)
            }
            try await server.waitUntilSomebodySleeps()
            try server.signal(SIGSTOP)
            let started = ContinuousClock.now
            task.cancel()
            let (error, isOpen) = try await task.value
            #expect(error.code == .cancelled)
            #expect(error.isConnectionLost)
            #expect(!isOpen)
            #expect(ContinuousClock.now - started < Exchange.cancelGrace + .seconds(50))
        }
    }

    @Test func `COMMIT to a frozen server ends in time with an unknown outcome`() async throws {
        try await ThrowawayServer.withServer { server in
            var configuration = try server.configuration
            configuration.statementTimeout = .seconds(3)
            configuration.responseGrace = .milliseconds(200)
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("SELECT 1")
                    try server.signal(SIGSTOP)
                }
            }
            #expect(error.code == .timeout)
            #expect(error.isOutcomeUnknown)
        }
    }
}

extension ThrowawayServer {
    /// Waits until a session is in the middle of `pg_sleep`.
    fileprivate func waitUntilSomebodySleeps() async throws {
        var observer = try await PostgresConnection.connect(try configuration, logger: .quiet)
        while try await observer.query("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'").isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
