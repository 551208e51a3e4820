import Keys
import Ledger
import Logging
import Postgres

/// What a command about the master keys needs: connections of the application role, running for as long as it takes.
enum KeySession {
    static func run<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let hint = "For the service of make run: . .tenure/dev.env"
        let database = try PostgresConfiguration(url: try settings.required(.databaseUrl, remedy: hint))
        return try await with(database, settings) { pool in
            try await DatabaseRole.application.check(pool)
            return try await body(pool)
        }
    }

    /// Runs `body` with connections of the reader role, which alone sees all companies.
    static func reading<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let hint = "For the service of make run: . .tenure/dev.env"
        let database = try PostgresConfiguration(url: try settings.required(.readerDatabaseUrl, remedy: hint))
        return try await with(database, settings) { pool in
            try await DatabaseRole.reader.check(pool)
            return try await body(pool)
        }
    }

    private static func with<Result: Sendable>(
        _ database: PostgresConfiguration, _ settings: Settings,
        _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let logger = Logs.logger(level: try Logs.level(settings, default: .warning))
        return try await Interruption.stopping {
            try await withPostgresPool(configuration: database, maximumConnections: 2, logger: logger) { pool in
                try await body(pool)
            }
        }
    }
}
