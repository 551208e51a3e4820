import Foundation
import Testing

@testable import Postgres

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
        try await run("initdb", "-D", "\(directory)/data", "-A", "trust", "-U", "postgres", "--no-sync")
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
