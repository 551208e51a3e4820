import Foundation
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

    @Test func `a caller's timeout names the unreachable server as its cause`() async throws {
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

    @Test func `a frozen server does not block the client`() async throws {
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

    @Test func `an unanswered cancellation closes the connection in time`() async throws {
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

/// A PostgreSQL of its own for tests that stop, start and freeze the server.
///
/// As root it runs as the user `postgres`, because initdb refuses root.
final class ThrowawayServer: Sendable {
    private let directory: String
    private let binaries: String

    var configuration: PostgresConfiguration {
        get throws {
            var configuration = try PostgresConfiguration(
                url: "host=\(directory) port=5433 user=postgres dbname=postgres")
            configuration.connectTimeout = .seconds(60)
            return configuration
        }
    }

    /// Lends a running server and removes it afterwards.
    static func withServer<Result>(_ body: (ThrowawayServer) async throws -> Result) async throws -> Result {
        let server = try await ThrowawayServer()
        do {
            let result = try await body(server)
            await server.remove()
            return result
        } catch {
            await server.remove()
            throw error
        }
    }

    private init() async throws {
        binaries = try await Self.output(["pg_config", "--bindir"]).trimmingCharacters(in: .whitespacesAndNewlines)
        // Short: the path of a Unix socket has at most 107 bytes.
        directory = try await Self.output(asServerUser: true, ["mktemp", "-d", "/tmp/tenure-pg-XXXXXX"])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try await run(
            "initdb", "-D", "\(directory)/data", "-A", "trust", "-U", "postgres", "--encoding=UTF8", "--no-sync")
        try await start()
    }

    func start() async throws {
        try await run(
            "pg_ctl", "-D", "\(directory)/data", "-w", "-l", "\(directory)/log", "-o",
            "-c listen_addresses= -c unix_socket_directories=\(directory) -c port=5433 -c fsync=off", "start")
    }

    func stop() async throws { try await run("pg_ctl", "-D", "\(directory)/data", "-w", "-m", "fast", "stop") }

    /// Freezes (SIGSTOP) or thaws (SIGCONT) the postmaster and every process of its own.
    func signal(_ signal: Int32) throws {
        let pidFile = try String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)
        let postmaster = try #require(pidFile.split(separator: "\n").first.flatMap { Int32($0) })
        for child in children(of: postmaster) { kill(child, signal) }
        kill(postmaster, signal)
    }

    private func children(of parent: Int32) -> [Int32] {
        let text = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { Int32($0) }
    }

    private func remove() async {
        try? signal(SIGCONT)
        _ = try? await run("pg_ctl", "-D", "\(directory)/data", "-w", "-m", "immediate", "stop")
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func run(_ program: String, _ arguments: String...) async throws {
        _ = try await Self.output(asServerUser: true, ["\(binaries)/\(program)"] + arguments)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end. Not with Foundation's `Process`: it takes a program for running as long as any
    /// descendant lives, and a server is meant to outlive `pg_ctl`.
    private static func output(asServerUser: Bool = false, _ command: [String]) async throws -> String {
        let command = (asServerUser && geteuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []) + command
        let file = "/tmp/tenure-test-output-\(UUID().uuidString)"
        defer { unlink(file) }
        let status = await withCheckedContinuation { continuation in
            let started = HelperThread.start { continuation.resume(returning: spawn(command, output: file)) }
            if !started { continuation.resume(returning: -1) }
        }
        guard status == 0 else { throw Failure(description: "\(command) ended with \(status)") }
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    /// The status `waitpid` reports, or -1.
    private static func spawn(_ command: [String], output: String) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, command[0], &actions, nil, arguments, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        return status
    }
}
