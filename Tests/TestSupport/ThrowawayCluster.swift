import Foundation
import Glibc
import Postgres

/// A PostgreSQL server of one test, for what a shared one must not suffer: crashes and changes of roles.
public struct ThrowawayCluster: Sendable {
    /// A superuser's URL.
    public let url: String
    let directory: String
    let binaries: String

    /// Why tests with a server of their own do not run.
    public static let hint = "the server programs are not installed, or tests are not asked for"

    /// Whether the server programs are installed, and integration tests are asked for at all.
    public static var isAvailable: Bool { TestServer.isAvailable && binaryDirectory != nil }

    private static var binaryDirectory: String? {
        // As in scripts/postgres-bindir.
        if let chosen = ProcessInfo.processInfo.environment["TENURE_POSTGRES_BIN"] { return chosen }
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }

    /// Starts a server, lends it to `body`, stops it and removes its files.
    public static func with<Result>(_ body: (ThrowawayCluster) async throws -> Result) async throws -> Result {
        let cluster = try make()
        do {
            try await cluster.start()
            let result = try await body(cluster)
            await cluster.stop()
            return result
        } catch {
            await cluster.stop()
            throw error
        }
    }

    /// Names a directory of its own; nothing is made yet.
    static func make() throws -> ThrowawayCluster {
        guard let binaries = binaryDirectory else { throw TestServerError(description: hint) }
        let directory = "/tmp/tenure-cluster-\(UInt32.random(in: 0...UInt32.max))"
        return ThrowawayCluster(
            url: "postgresql://postgres@/postgres?host=\(directory)&port=5432", directory: directory,
            binaries: binaries)
    }

    func start() async throws {
        try await makeDirectory()
        try await server(
            "initdb", ["-D", "\(directory)/data", "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"])
        try await serve()
    }

    func makeDirectory() async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        if geteuid() == 0 { try await finish(try run("/bin/chown", ["postgres", directory])) }
    }

    /// Starts the server's processes on the files that there are, and waits until it has recovered and answers.
    ///
    /// `fsync`, `full_page_writes` and `synchronous_commit` stay on, so that a crash loses nothing acknowledged.
    ///
    /// - Parameter settings: Further settings, as `name=value`.
    func serve(_ settings: [String] = []) async throws {
        let usual = ["listen_addresses=", "port=5432", "max_connections=200", "authentication_timeout=600"]
        // The server stays our child: `pg_ctl start` would hand our descriptors to a daemon.
        _ = try launch(
            "postgres", ["-D", "\(directory)/data", "-k", directory] + (usual + settings).flatMap { ["-c", $0] })
        try await answer()
    }

    /// Waits until the server takes connections.
    func answer() async throws {
        for _ in 0..<1_200 {
            if await answers() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TestServerError(description: "the server does not answer")
    }

    private func answers() async -> Bool {
        do {
            var connection = try await PostgresConnection.connect(
                try PostgresConfiguration(url: url), logger: TestServer.logger())
            return try await !connection.query("SELECT 1").isEmpty
        } catch { return false }
    }

    func stop() async {
        _ = try? await server("pg_ctl", ["-D", "\(directory)/data", "-m", "immediate", "-w", "stop"])
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Kills one backend outright. The server then takes its shared memory for broken, ends all sessions, and recovers
    /// from the write-ahead log as after a crash.
    ///
    /// One that is none of this server's any more is left alone: its number may belong to another process by now.
    public func crash(backend processID: Int32) {
        let directory = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(processID)/cwd")
        guard processID > 0, directory == "\(self.directory)/data" else { return }
        _ = Glibc.kill(processID, SIGKILL)
    }

    func server(_ program: String, _ arguments: [String]) async throws {
        try await finish(try launch(program, arguments))
    }

    /// The server programs refuse root.
    private func launch(_ program: String, _ arguments: [String]) throws -> AsyncStream<Int32> {
        if geteuid() == 0 {
            return try run("/usr/sbin/runuser", ["-u", "postgres", "--", "\(binaries)/\(program)"] + arguments)
        }
        return try run("\(binaries)/\(program)", arguments)
    }

    private func run(_ path: String, _ arguments: [String]) throws -> AsyncStream<Int32> {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (statuses, status) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            status.yield($0.terminationStatus)
            status.finish()
        }
        try process.run()
        return statuses
    }

    private func finish(_ statuses: AsyncStream<Int32>) async throws {
        for await status in statuses where status != 0 {
            throw TestServerError(description: "a server program failed with status \(status)")
        }
    }
}

/// Crashes of the whole server.
extension ThrowawayCluster {
    /// How the server ends.
    public enum Crash: Sendable, CaseIterable {
        /// At once and without a checkpoint, as the server's own immediate shutdown does it.
        case stopped
        /// Every process of the server is killed, the first one first, so that none of them cleans up.
        case killed
    }

    /// Ends the server, starts it again, and returns when it has recovered and answers.
    public func crash(_ crash: Crash) async throws {
        switch crash {
        case .stopped: try await server("pg_ctl", ["-D", "\(directory)/data", "-m", "immediate", "-w", "stop"])
        case .killed: try await kill()
        }
        try await serve()
    }

    /// Restarts the server as an upgrade of its package does: sessions are ended, and it starts again.
    public func restart() async throws {
        try await server("pg_ctl", ["-D", "\(directory)/data", "-m", "fast", "-w", "stop"])
        try await serve()
    }

    /// Kills every process of the server, the first one first, and returns when none is left.
    public func kill() async throws {
        let file = try String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)
        guard let first = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw TestServerError(description: "the server has no process")
        }
        _ = Glibc.kill(first, SIGKILL)
        // The next server refuses to start while one of this one's processes is there.
        for _ in 0..<1_200 {
            let processes = processes
            guard !processes.isEmpty || Glibc.kill(first, 0) == 0 else { return }
            for process in processes { _ = Glibc.kill(process, SIGKILL) }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestServerError(description: "the server's processes do not end")
    }

    /// All processes of the server: those that work in its data directory.
    private var processes: [Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.filter { process in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")) == "\(directory)/data"
        }
    }
}
