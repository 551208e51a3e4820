import Foundation
import Keys
import Logging
import Postgres
import Schema
import Testing

/// A database of one test's own, with the schema and pools of the application's and the reader's role.
struct KeysDatabase: Sendable {
    /// Where tests with a database may make one; without it they are skipped.
    static let serverURL = ProcessInfo.processInfo.environment["TENURE_TEST_DATABASE_URL"]

    let configuration: PostgresConfiguration
    let logger: Logger

    var asApplication: PostgresConfiguration { configuration.with(user: "tenure_app") }
    var asReader: PostgresConfiguration { configuration.with(user: "tenure_reader") }

    /// Makes a database, runs `body` and drops the database.
    static func with(_ body: (KeysDatabase) async throws -> Void) async throws {
        let server = try PostgresConfiguration(url: try #require(serverURL))
        let logger = Logger(label: "keys-tests") { _ in SwiftLogNoOpLogHandler() }
        let name = "keys_" + UUID().uuidString.lowercased().replacing("-", with: "")
        var administrator = try await PostgresConnection.connect(server, logger: logger)
        try await administrator.execute("CREATE DATABASE \(identifier: name)")
        do {
            let database = KeysDatabase(configuration: server.with(database: name), logger: logger)
            let migrator = Migrator(
                migrations: Schema.migrations.map { Migration(name: $0.name, sql: $0.bytes) },
                functions: Schema.functions.map { (name: $0.name, sql: $0.bytes) }, logger: logger)
            try await migrator.migrate(database.configuration)
            try await body(database)
        } catch {
            try await administrator.execute("DROP DATABASE \(identifier: name) WITH (FORCE)")
            throw error
        }
        try await administrator.execute("DROP DATABASE \(identifier: name) WITH (FORCE)")
    }

    /// The same with a pool of the application's role and one of the reader's.
    static func withPools(
        _ body: (KeysDatabase, _ application: PostgresPool, _ reader: PostgresPool) async throws -> Void
    ) async throws {
        try await with { database in
            try await withPostgresPool(configuration: database.asApplication, logger: database.logger) { application in
                try await withPostgresPool(configuration: database.asReader, logger: database.logger) { reader in
                    try await body(database, application, reader)
                }
            }
        }
    }
}

extension PostgresPool {
    /// Runs statements in one transaction that has named the ledgers, as an append does.
    func run(_ statements: [SQL], ledgers: [UUID]) async throws {
        let text = "{" + ledgers.map { $0.uuidString.lowercased() }.joined(separator: ",") + "}"
        try await withTransaction { connection in
            _ = try await connection.query("SELECT set_config('tenure.ledgers', \(text), true)")
            for statement in statements { try await connection.execute(statement) }
        }
    }
}
