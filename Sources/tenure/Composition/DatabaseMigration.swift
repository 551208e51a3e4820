import Logging
import Postgres
import Schema

/// Brings a database to the schema that this binary was built with.
enum DatabaseMigration {
    /// Applies what is missing, as the owner of the schema.
    static func run(_ owner: PostgresConfiguration, logger: Logger) async throws -> MigrationReport {
        let migrator = Migrator(
            migrations: Schema.migrations.map { Migration(name: $0.name, sql: $0.bytes) },
            functions: Schema.functions.map { (name: $0.name, sql: $0.bytes) }, logger: logger)
        return try await migrator.migrate(owner)
    }
}
