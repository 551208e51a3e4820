import Crypto
import Foundation
import Ledger
import Logging
import Postgres
import Schema

/// The private cluster that `scripts/bench` has started.
struct Cluster: Sendable {
    /// The codes of events in databases without a service.
    static let codes = EventCodes(key: SymmetricKey(size: .bits256))

    /// The directory of the server's Unix socket.
    let socket: String
    /// The program `pgbench`.
    let pgbench: String
    /// The program `psql`.
    let psql: String

    init(environment: [String: String]) throws {
        guard let socket = environment["TENURE_BENCH_SOCKET"], let pgbench = environment["TENURE_BENCH_PGBENCH"] else {
            throw BenchError("start this with scripts/bench, which starts the database that it needs")
        }
        self.socket = socket
        self.pgbench = pgbench
        psql = URL(fileURLWithPath: pgbench).deletingLastPathComponent().appendingPathComponent("psql").path
    }

    /// Errors alone: a line for each refused append would be measured too.
    static var logger: Logger {
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        return logger
    }

    func url(_ database: String, as role: String = "postgres") -> String {
        "postgresql://\(role)@/\(database)?host=\(socket)&port=5432"
    }

    func configuration(_ database: String, as role: String = "postgres") throws -> PostgresConfiguration {
        try PostgresConfiguration(url: url(database, as: role))
    }

    /// Runs a script as superuser.
    func execute(_ script: String, in database: String) async throws {
        var configuration = try configuration(database)
        configuration.statementTimeout = nil
        var connection = try await PostgresConnection.connect(configuration, logger: Self.logger)
        try await connection.executeScript(script)
    }

    /// Makes a database with the whole schema.
    func makeDatabase(_ name: String) async throws {
        try await execute("CREATE DATABASE \(name)", in: "postgres")
        let migrator = Migrator(
            migrations: Schema.migrations.map { Migration(name: $0.name, sql: $0.bytes) },
            functions: Schema.functions.map { ReplaceableScript(name: $0.name, sql: $0.bytes) },
            routineOwner: RoutineOwner(role: "tenure_owner", schema: "tenure"), logger: Self.logger)
        try await migrator.migrate(configuration(name))
    }

    /// The server's first process.
    func postmaster() async throws -> Int {
        var connection = try await PostgresConnection.connect(configuration("postgres"), logger: Self.logger)
        let rows = try await connection.query("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)")
        return try rows.first.flatMap { Int(try $0.decode(String.self)) } ?? 0
    }

    /// Writes everything that is dirty, so that no sample pays for the one before it. Each then writes full pages again.
    func checkpoint() async throws { try await execute("CHECKPOINT", in: "postgres") }
}
