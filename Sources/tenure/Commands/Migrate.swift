import ArgumentParser
import Canonical
import Logging
import Postgres

/// Brings the database up to date.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database of TENURE_OWNER_DATABASE_URL to this version's schema.",
        discussion: "Forward only, and safe to run twice or from several machines at once.")

    @OptionGroup var options: SettingsOptions

    @Flag(help: "One JSON object for each script that was applied.")
    var json = false

    func run() async throws {
        let settings = try await options.settings()
        let owner = try PostgresConfiguration(url: try settings.required(.ownerDatabaseUrl))
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
