import Canonical
import Foundation
import Ledger
import Logging
import Postgres
import TestSupport

/// A process of its own for tests of races and crashes: `LedgerWorkerProcess mode url database key=value …`.
///
/// It connects as the application role, starts when it reads the instant `start` (microseconds since 1970), and prints
/// one line for each thing that it knows to be recorded.
@main struct Worker {
    let mode: String
    let configuration: PostgresConfiguration
    let options: [String: String]

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else { throw WorkerError(description: "mode, url and database are expected") }
        let pairs = arguments.dropFirst(4).map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let worker = Worker(
            mode: arguments[1],
            configuration: try PostgresConfiguration(url: arguments[2]).with(database: arguments[3])
                .with(user: "tenure_app"),
            options: Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { $1 }))
        try await worker.run()
    }

    private func run() async throws {
        var logger = Logger(label: "worker")
        logger.logLevel = .critical
        try await withPostgresPool(
            configuration: configuration, maximumConnections: 8, acquireTimeout: .seconds(300), logger: logger
        ) { [self] pool in
            // The first connection is made before the start, so that all processes begin together.
            try await connect(pool)
            let wait = Timestamp(microseconds: try number("start")).duration(since: .now())
            if wait > .zero { try await Task.sleep(for: wait) }
            switch mode {
            case "same-version": try await sameVersion(pool, logger)
            case "claim": try await claim(pool, logger)
            case "claim-cycle": try await claimCycle(pool, logger)
            case "load": try await load(pool, logger)
            case "throughput": try await throughput(pool, logger)
            case "large": try await large(pool, logger)
            default: throw WorkerError(description: "an unknown mode")
            }
        }
    }

    /// Makes the first connection; a process that persists does so through crashes of the server.
    private func connect(_ pool: PostgresPool) async throws {
        while true {
            do {
                _ = try await pool.withConnection { connection in try await connection.query("SELECT 1") }
                return
            } catch {
                guard options["persist"] != nil else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    func number(_ name: String) throws -> Int64 {
        guard let number = options[name].flatMap({ Int64($0) }) else { throw WorkerError(description: name) }
        return number
    }

    func id(_ name: String) throws -> UUID {
        guard let id = options[name].flatMap({ UUID(lowercased: $0) }) else { throw WorkerError(description: name) }
        return id
    }

    /// Several appenders, so that appends of one process race too and are not one group.
    func withAppenders(
        _ count: Int, _ pool: PostgresPool, _ logger: Logger, _ body: ([Appender]) async throws -> Void
    ) async throws {
        let appenders = (0..<count).map { _ in Appender(pool: pool, logger: logger) }
        try await withThrowingDiscardingTaskGroup { group in
            for appender in appenders { group.addTask { try await appender.run() } }
            try await body(appenders)
            for appender in appenders { appender.stop() }
        }
    }

    /// Prints a line at once: what a process has printed before it is killed was true then.
    static func print(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

struct WorkerError: Error, CustomStringConvertible {
    let description: String
}
