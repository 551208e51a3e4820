import Foundation
import Keys

/// `tenure serve` of the release program on a free port of loopback.
struct PageServer: Sendable {
    /// Ends the program when its own input ends, which it does with this process however that ends.
    private static let script = #""$0" serve & exec 2>/dev/null; read -r _; kill "$!"; wait "$!""#

    private let tenure: String
    private let settings: [String: String]

    init(_ cluster: Cluster, _ database: String, _ masters: MasterKeys) throws {
        guard let tenure = ProcessInfo.processInfo.environment["TENURE_BENCH_TENURE"] else {
            throw BenchError("start this with scripts/bench, which builds the program that it measures")
        }
        self.tenure = tenure
        settings = [
            "TENURE_DATABASE_URL": cluster.url(database, as: "tenure_app"),
            "TENURE_READER_DATABASE_URL": cluster.url(database, as: "tenure_reader"),
            "TENURE_MASTER_KEYS": String(decoding: masters.json(), as: UTF8.self),
            // As behind a proxy with TLS, whose browsers have an address each.
            "TENURE_PUBLIC_URL": "https://login.example", "TENURE_LISTEN_PORT": "0", "TENURE_ADDRESS_RATE": "0",
            "TENURE_METRICS_LISTEN": "off", "TENURE_DRAIN_SECONDS": "0",
        ]
    }

    /// Runs the program beside `body`, from the moment at which it accepts connections.
    func run<Result: Sendable>(_ body: (ServedPages) async throws -> Result) async throws -> Result {
        let process = Process(), input = Pipe(), log = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, tenure]
        process.environment = ProcessInfo.processInfo.environment.merging(settings) { _, new in new }
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log
        let ended = AsyncStream<Void> { stream in process.terminationHandler = { _ in stream.finish() } }
        let words = AsyncStream<String> { stream in
            // To the end, because a full pipe would stop the program.
            log.fileHandleForReading.readabilityHandler = { handle in
                let data = handle.availableData
                guard data.isEmpty else {
                    stream.yield(String(decoding: data, as: UTF8.self))
                    return
                }
                handle.readabilityHandler = nil
                stream.finish()
            }
        }
        try ChildProgram.startWithSignals(process)
        do {
            let result = try await body(
                ServedPages(port: try await Self.port(words), process: Int(process.processIdentifier)))
            try input.fileHandleForWriting.close()
            for await _ in ended {}
            return result
        } catch {
            try? input.fileHandleForWriting.close()
            for await _ in ended {}
            throw error
        }
    }

    /// The port that the log names.
    private static func port(_ words: AsyncStream<String>) async throws -> Int {
        var text = ""
        for await more in words {
            text += more
            let line = text.split(separator: "\n").first { $0.contains("accepting connections") }
            if let line, let found = line.firstMatch(of: /\bport=(\d+)\b/), let port = Int(found.output.1) {
                return port
            }
        }
        throw BenchError("tenure serve did not start:\n\(text)")
    }
}
