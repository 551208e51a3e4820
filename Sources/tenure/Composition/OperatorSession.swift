import IdentityService
import Keys
import Ledger
import Logging
import Postgres
import ServiceLifecycle

/// The parts that an operator's command needs, running for as long as the command takes.
enum OperatorSession {
    /// Runs `body` with the operator's commands over the database and the master keys that the settings name.
    static func run<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (OperatorCommands) async throws -> Result
    ) async throws -> Result {
        try await withContext(settings) { context, _ in try await body(OperatorCommands(context)) }
    }

    /// Runs `body` with the parts that the operator's commands are made of, and the master keys they were opened with.
    static func withContext<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (ServiceContext, MasterKeyStore) async throws -> Result
    ) async throws -> Result {
        let hint = "For the service of make run: . .tenure/dev.env"
        let database = try PostgresConfiguration(url: try settings.required(.databaseUrl, remedy: hint))
        let masters = try settings.masterKeyStore(remedy: hint)
        let logger = Logs.logger(level: try Logs.level(settings, default: .warning))
        return try await withPostgresPool(configuration: database, logger: logger) { pool in
            try await DatabaseRole.application.check(pool)
            let appender = Appender(pool: pool, logger: logger)
            let context = ServiceContext(
                pool: pool, appender: appender, reader: LedgerReader(pool: pool),
                ring: try await KeyRing.load(from: pool, masters: masters),
                personKeys: PersonKeys(pool: pool, masters: masters), seeds: OPRFSeeds(pool: pool, masters: masters),
                compute: ComputePool(threads: 1, waiting: 1), evaluations: ComputePool(threads: 1, waiting: 1),
                settings: ServiceSettings(), logger: logger)
            // Cancelled and waited for when the scope is left.
            async let _: Void = appender.run()
            return try await body(context, masters)
        }
    }
}
