import ArgumentParser
import Canonical
import Logging
import Postgres
import Schema

/// Migrates the database.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Migrate the database of TENURE_OWNER_DATABASE_URL to this version's schema.",
        discussion: """
            Migrations go forward only. The command is safe to repeat and to run on several machines at once.

            Example:
              tenure migrate
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print one JSON object per applied script.")
    var json = false

    func run() async throws {
        let settings = try await options.settings()
        let owner = try CommandDatabase.configuration(.ownerDatabaseUrl, settings)
        try await CommandDatabase.reach(owner, .ownerDatabaseUrl)
        let logger = Logs.logger(level: try Logs.level(settings, default: .warning))
        let report = try await DatabaseMigration.run(owner, logger: logger)
        let output = Output.standardOutput()
        let done = [
            ("migration", "applied migration", report.migrations),
            ("owner", "gave to \(DatabaseMigration.owner.role)", report.changedOwners),
            ("function", "applied function", report.functions),
        ]
        for (kind, told, names) in done {
            for name in names {
                output.write(
                    json
                        ? JSONLines.line(.object(["kind": .string(kind), "name": .string(name)]))
                        : "\(told) \(name)\n")
            }
        }
        if report.isEmpty {
            Output.standardError().line("The database is up to date.")
        }
    }
}

/// Migrates a database to the schema of this binary.
enum DatabaseMigration {
    /// Applies missing migrations with the owner role.
    static func run(_ owner: PostgresConfiguration, logger: Logger) async throws -> MigrationReport {
        try await migrator(logger: logger).migrate(owner)
    }

    /// The migrator with the schema of this binary.
    static func migrator(logger: Logger) -> Migrator {
        Migrator(
            migrations: Schema.migrations.map { Migration(name: $0.name, sql: $0.bytes) },
            functions: Schema.functions.map { (name: $0.name, sql: $0.bytes) }, routineOwner: owner, logger: logger)
    }

    /// The role that owns the functions of this binary's schema.
    static let owner = RoutineOwner(role: "tenure_owner", schema: "tenure")
}
