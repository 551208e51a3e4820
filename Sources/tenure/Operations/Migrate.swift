import ArgumentParser
import Canonical
import IdentityService
import Ledger
import Logging
import Postgres
import Schema

/// Migrates the database.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Migrate the database of TENURE_OWNER_DATABASE_URL to this version's schema.",
        discussion: """
            Migrations go forward only. The command is safe to repeat and to run on several machines at once.

            With --distributed the database is spread over the nodes of a Citus cluster, a company on one node. Stop \
            the service first. There is no way back, and later runs need no flag. See docs/scaling.md.

            Examples:
              tenure migrate
              tenure migrate --distributed
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Spread the companies over the nodes of a Citus cluster.")
    var distributed = false

    @Flag(help: "Print one JSON object per applied script.")
    var json = false

    func run() async throws {
        let settings = try await options.settings()
        let owner = try CommandDatabase.configuration(.ownerDatabaseUrl, settings)
        try await CommandDatabase.reach(owner, .ownerDatabaseUrl)
        let logger = try Logs.logger(settings, default: .warning)
        let (report, tables) = try await DatabaseMigration.run(owner, distributes: distributed, logger: logger)
        let output = Output.standardOutput()
        let done = [
            ("migration", "applied migration", report.migrations),
            ("owner", "gave to \(DatabaseMigration.owner.role)", report.changedOwners),
            ("function", "applied function", report.functions),
            ("distributed", "distributed table", tables),
        ]
        for (kind, told, names) in done {
            for name in names {
                try output.write(
                    json
                        ? JSONLines.line(.object(["kind": .string(kind), "name": .string(name)]))
                        : "\(told) \(name)\n")
            }
        }
        if report.isEmpty, tables.isEmpty {
            Output.standardError().line("The database is up to date.")
        }
    }
}

/// Migrates a database to the schema of this binary.
enum DatabaseMigration {
    /// Applies missing migrations with the owner role. Distributes tables if asked to, and the new tables of a database
    /// that is distributed.
    static func run(
        _ owner: PostgresConfiguration, distributes: Bool = false, logger: Logger
    ) async throws -> (report: MigrationReport, tables: [String]) {
        var configuration = owner
        configuration.statementTimeout = nil
        configuration.idleInTransactionTimeout = nil
        var connection = try await PostgresConnection.connect(configuration, logger: logger)
        defer { connection.close() }
        if distributes { try await DistributedDatabase.check(on: &connection) }
        let isDistributed = try await DistributedDatabase.isDistributed(on: &connection)
        let migrator = migrator(distributed: distributes || isDistributed, logger: logger)
        let report = try await migrator.migrate(on: &connection)
        guard distributes || isDistributed else { return (report, []) }
        let tables = try await DistributedDatabase.distribute(on: &connection)
        switch try await LedgerMove.restoreForce(on: &connection) {
        case nil:
            Output.standardError()
                .line("A ledger is being moved. If the move was killed, repeat this command in a moment.")
        case let restored? where !restored.isEmpty:
            Output.standardError()
                .line(
                    "Row security is forced again, after a move that was killed: \(restored.joined(separator: ", ")).")
        default: break
        }
        return (report, tables)
    }

    /// Refuses a database that lacks a migration of this binary, or that another program migrated.
    ///
    /// A newer database is permitted: during an upgrade the older version goes on serving.
    ///
    /// - Parameter reader: The database as a role that may read the records of the migrator.
    static func requireApplied(_ reader: PostgresConfiguration, logger: Logger) async throws {
        var connection = try await PostgresConnection.connect(reader, logger: logger)
        defer { connection.close() }
        let isDistributed = try await DistributedDatabase.isDistributed(on: &connection)
        let status = try await migrator(distributed: isDistributed, logger: logger).status(on: &connection)
        if let other = status.otherHistory {
            throw CommandFailure(
                .failure, "the database has another history of migrations, from \(other) on",
                remedy: "Use the version that created this database.")
        }
        if let older = status.pending.first ?? status.staleFunctions.first {
            throw CommandFailure(
                .failure, "the schema of the database is older than this version: \(older) is not applied",
                remedy: "Run `tenure migrate` with TENURE_OWNER_DATABASE_URL, then start the service again.")
        }
    }

    /// The migrator with the schema of this binary, for a database on one server or a distributed one.
    static func migrator(distributed: Bool, logger: Logger) -> Migrator {
        Migrator(
            migrations: Schema.migrations.map { Migration(name: $0.name, sql: $0.bytes) },
            functions: Schema.functions(distributed: distributed).map { (name: $0.name, sql: $0.bytes) },
            revision: Schema.functionsRevision, routineOwner: owner, logger: logger)
    }

    /// The role that owns the functions of this binary's schema.
    static let owner = RoutineOwner(role: "tenure_owner", schema: "tenure")
}
