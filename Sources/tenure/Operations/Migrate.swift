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
        for (kind, names) in [("migration", report.migrations), ("function", report.functions)] {
            for name in names {
                output.write(
                    json
                        ? JSONLines.line(.object(["kind": .string(kind), "name": .string(name)]))
                        : "applied \(kind) \(name)\n")
            }
        }
        if report.migrations.isEmpty && report.functions.isEmpty {
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
            functions: Schema.functions.map { (name: $0.name, sql: $0.bytes) }, logger: logger)
    }
}
