import Glibc
import Testing

@testable import Postgres

/// The server is stopped, started and frozen; nothing hangs, and the pool goes on by itself.
@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(3)), .serialized)
struct ServerFailureTests {
    @Test func `the pool survives a restart of the server`() async throws {
        try await ThrowawayServer.withServer { server in
            try await withPostgresPool(
                configuration: try server.configuration, maximumConnections: 3, acquireTimeout: .seconds(20),
                logger: .quiet
            ) { pool in
                async let interrupted = databaseError {
                    try await pool.withConnection { try await $0.execute("SELECT pg_sleep(60)") }
                }
                let idle = try await pool.withConnection { $0.processID }
                while pool.health.lent == 0 { try await Task.sleep(for: .milliseconds(5)) }
                try await Task.sleep(for: .milliseconds(200))
                try await server.stop()
                let error = try await interrupted
                #expect(error.isConnectionLost)
                #expect(error.sqlState == .adminShutdown)
                // A caller that comes while the server is away waits for it.
                async let patient = pool.withConnection { try await $0.query("SELECT 1").count }
                try await Task.sleep(for: .milliseconds(300))
                #expect(!pool.health.isHealthy)
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
                let error = try await databaseError { try await pool.withConnection { _ in } }
                #expect(error.code == .connection)
                try await server.start()
                #expect(try await pool.withConnection { _ in 7 } == 7)
            }
        }
    }

    @Test func `a frozen server does not freeze us`() async throws {
        try await ThrowawayServer.withServer { server in
            var configuration = try server.configuration
            configuration.connectTimeout = .milliseconds(500)
            configuration.statementTimeout = .milliseconds(500)
            configuration.responseGrace = .milliseconds(500)
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            try await connection.execute("SELECT 1")
            try server.signal(SIGSTOP)
            let clock = ContinuousClock()

            var started = clock.now
            let silent = try await databaseError { try await connection.execute("SELECT 1") }
            #expect(silent.code == .timeout)
            #expect(silent.isConnectionLost)
            #expect(clock.now - started >= .seconds(1))
            #expect(clock.now - started < .seconds(4))
            let isOpen = connection.isOpen
            #expect(!isOpen)

            started = clock.now
            let refused = try await databaseError {
                _ = try await PostgresConnection.connect(configuration, logger: .quiet)
            }
            #expect(refused.code == .timeout)
            #expect(clock.now - started < .seconds(4))

            try server.signal(SIGCONT)
            var next = try await PostgresConnection.connect(configuration, logger: .quiet)
            #expect(try await next.query("SELECT 1").count == 1)
        }
    }

    @Test func `a cancellation that a frozen server does not answer closes the connection in time`() async throws {
        try await ThrowawayServer.withServer { server in
            let configuration = try server.configuration
            let isRunning = Lock(false)
            let task = Task {
                var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
                try await connection.execute("SELECT 1")
                isRunning.withLock { $0 = true }
                let error = try await databaseError { try await connection.execute("SELECT pg_sleep(60)") }
                return (error, connection.isOpen)
            }
            while !isRunning.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(200))
            try server.signal(SIGSTOP)
            let started = ContinuousClock.now
            task.cancel()
            let (error, isOpen) = try await task.value
            #expect(error.code == .cancelled)
            #expect(error.isConnectionLost)
            #expect(!isOpen)
            #expect(ContinuousClock.now - started < Exchange.cancelGrace + .seconds(3))
        }
    }

    @Test func `COMMIT to a frozen server ends in time with an unknown outcome`() async throws {
        try await ThrowawayServer.withServer { server in
            var configuration = try server.configuration
            configuration.statementTimeout = .milliseconds(500)
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
