import Foundation
import Keys
import Synchronization
import Testing
import TestSupport

/// `tenure serve` as a process of the operating system, on the database of a world.
struct ServiceProcess: Sendable {
    let client: Client
    private let process: ChildProcess
    private let world: TenureWorld
    private let keys: String
    private let proxy: String?
    private let started: Started

    /// The number that the system knows the process by.
    var identifier: Int32 { process.identifier }

    /// Ends the process as a crash would.
    func kill() { process.kill() }

    /// What a core file of this moment would have; nil where the system does not let us look.
    func memory() -> Data? { ProcessMemory.writable(of: process.identifier) }

    /// Asks the process to end, as a service manager does.
    func terminate() { process.terminate() }

    /// Waits for the end of the process, and returns its exit code; a negative one is the signal that ended it. Call it
    /// once.
    func status() async -> Int32 { await process.finish().status }

    /// Ends the process and gives back everything that it logged. Call it once.
    func ended() async -> String {
        kill()
        return await process.finish().lines.joined(separator: "\n")
    }

    /// Sends the process the signal of a crash, and gives back its exit code and what it wrote. Call it once.
    func crashed(_ signal: Int32) async -> (status: Int32, lines: [String]) {
        process.send(signal)
        return await process.finish()
    }

    /// Ends the process and starts another one in its place, on a port of its own.
    func replaced() async throws -> ServiceProcess {
        kill()
        return try await Self.start(world, keys: keys, proxy: proxy, started)
    }

    /// Runs `count` processes beside `body`, all with the world's database and master keys, and ends them afterwards.
    ///
    /// - Parameters:
    ///   - proxies: The URLs of proxies through which the first processes reach the database.
    ///   - settings: Further environment variables.
    static func with<Result>(
        _ count: Int, in world: TenureWorld, logLevel: String = "error", through proxies: [String] = [],
        settings: [String: String] = [:], _ body: ([ServiceProcess]) async throws -> Result
    ) async throws -> Result {
        let files = try TemporaryFiles()
        defer { files.remove() }
        let keys = files.path("master.json")
        _ = FileManager.default.createFile(
            atPath: keys, contents: Data(world.masters.json()), attributes: [.posixPermissions: 0o600])
        var processes: [ServiceProcess] = []
        let started = Started()
        defer { started.kill() }
        for number in 0..<count {
            let proxy = number < proxies.count ? proxies[number] : nil
            processes.append(
                try await start(world, keys: keys, logLevel: logLevel, proxy: proxy, settings: settings, started))
        }
        return try await body(processes)
    }

    /// Another test may take a port between the moment it was found free and the moment the service takes it; then the
    /// process ends at once, and another port is tried.
    private static func start(
        _ world: TenureWorld, keys: String, logLevel: String = "error", proxy: String?,
        settings: [String: String] = [:], _ started: Started
    ) async throws -> ServiceProcess {
        for _ in 0..<5 {
            let port = try TCPConnection.freePort()
            let process = try await start(
                world, keys: keys, logLevel: logLevel, proxy: proxy, settings: settings, started, port: port)
            if let process { return process }
        }
        throw TestServerError(description: "a service process did not become ready")
    }

    private static func start(
        _ world: TenureWorld, keys: String, logLevel: String, proxy: String?, settings: [String: String],
        _ started: Started, port: UInt16
    ) async throws -> ServiceProcess? {
        let url = { (role: TestDatabase.Role) in world.database.url(as: role, through: proxy) }
        let process = try ChildProcess(
            "tenure", ["serve"],
            environment: [
                "TENURE_DATABASE_URL": url(.application), "TENURE_READER_DATABASE_URL": url(.reader),
                "TENURE_MASTER_KEY_FILE": keys, "TENURE_LISTEN_PORT": String(port), "TENURE_LOG_LEVEL": logLevel,
                "TENURE_METRICS_LISTEN": "off",
                "SWIFT_BACKTRACE": "enable=no",
            ].merging(settings) { _, new in new }, keepsErrors: logLevel == "trace")
        started.add(process)
        let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let client = try Client(base, world.app)
        for _ in 0..<600 where process.isAlive {
            // Whoever else listens on that port is not asked twice: the process that found it taken has ended.
            if let ready = try? await client.send(HTTPRequest("GET", "/readyz")), ready.status == 200, process.isAlive {
                return ServiceProcess(
                    client: client, process: process, world: world, keys: keys, proxy: proxy, started: started)
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        process.kill()
        return nil
    }

    /// Every process that was started, so that none outlives its test, also when the test fails: it would hold the
    /// output of the run open.
    private final class Started: Sendable {
        private let processes = Mutex<[ChildProcess]>([])

        func add(_ process: ChildProcess) { processes.withLock { $0.append(process) } }
        func kill() { processes.withLock { for process in $0 { process.kill() } } }
    }
}

/// A directory of a test's own, and the `openssl` command run on files in it.
struct TemporaryFiles {
    /// A command that failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tenure-scenario-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    /// The path of a file of that name.
    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    /// Removes the directory.
    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Runs `openssl` and expects success.
    func openssl(_ arguments: String...) throws {
        let status = try run(arguments)
        guard status == 0 else { throw Failure(description: "openssl \(arguments.first ?? "") ended with \(status)") }
    }

    /// Runs `openssl` and tells its status.
    func status(_ arguments: String...) throws -> Int32 { try run(arguments) }

    private func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
