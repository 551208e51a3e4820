public import Logging

/// Brings a schema up to date, forward only.
///
/// Applied migrations are remembered with the SHA-256 of their text in `tenure_migration`, functions in
/// `tenure_function`; the server computes the hashes. Each migration is one transaction together with its row. All is
/// done under one session advisory lock, so programs that start together do not race.
public struct Migrator: Sendable {
    let migrations: [Migration]
    let functions: [ReplaceableScript]
    let schema: String
    let lockTimeout: Duration
    let logger: Logger

    /// The advisory lock: the bytes of "tenure_m".
    static let lockKey: Int64 = 0x7465_6E75_7265_5F6D

    /// - Parameters:
    ///   - migrations: in the order they are applied.
    ///   - functions: applied after the migrations, in this order, when new or changed.
    ///   - schema: where the two tables are; it must exist.
    ///   - lockTimeout: how long to wait for another program that is migrating.
    public init(
        migrations: [Migration], functions: [ReplaceableScript], schema: String = "public",
        lockTimeout: Duration = .seconds(60), logger: Logger
    ) {
        self.migrations = migrations
        self.functions = functions
        self.schema = schema
        self.lockTimeout = lockTimeout
        self.logger = logger
    }

    /// The same with functions as pairs of name and script.
    public init(
        migrations: [Migration], functions: [(name: String, sql: [UInt8])], schema: String = "public", logger: Logger
    ) {
        self.init(
            migrations: migrations, functions: functions.map { ReplaceableScript(name: $0.name, sql: $0.sql) },
            schema: schema, logger: logger)
    }

    /// Opens an owner's connection without statement timeout, and applies everything. Returns what was applied.
    @discardableResult
    public func migrate(_ configuration: PostgresConfiguration) async throws -> MigrationReport {
        var configuration = configuration
        configuration.statementTimeout = nil
        configuration.idleInTransactionTimeout = nil
        var connection = try await PostgresConnection.connect(configuration, logger: logger)
        return try await migrate(on: &connection)
    }

    /// Applies everything that is missing, on a connection of the owner outside a transaction.
    ///
    /// Throws ``MigrationError`` before anything is applied when history does not match, and ``PostgresError`` when the
    /// connection fails. What was applied before a failing migration stays.
    @discardableResult
    public func migrate(on connection: inout PostgresConnection) async throws -> MigrationReport {
        try checkNames()
        try await lock(&connection)
        do {
            let report = try await apply(on: &connection)
            try await unlock(&connection)
            return report
        } catch {
            // The lock belongs to the session: closing is the one way to give it back that cannot fail.
            do { try await unlock(&connection) } catch { connection.close() }
            throw error
        }
    }

    private func apply(on connection: inout PostgresConnection) async throws -> MigrationReport {
        try await createTables(&connection)
        let status = try await status(on: &connection)
        try check(status)
        var report = MigrationReport()
        for migration in migrations where status.pending.contains(migration.name) {
            try await apply(migration.name, migration.sql, &connection) { [self] in record(migration) }
            report.migrations.append(migration.name)
            logger.info("migration applied", metadata: ["migration": "\(migration.name)"])
        }
        for function in functions where status.staleFunctions.contains(function.name) {
            try await apply(function.name, function.sql, &connection) { [self] in record(function) }
            report.functions.append(function.name)
            logger.info("function applied", metadata: ["function": "\(function.name)"])
        }
        return report
    }

    private func apply(
        _ name: String, _ sql: [UInt8], _ connection: inout PostgresConnection, record: () -> SQL
    ) async throws {
        guard let script = String(validating: sql, as: UTF8.self), !sql.contains(0) else {
            throw MigrationError(.malformedScript, name)
        }
        do {
            try await connection.withTransaction { connection in
                try await connection.executeScript(script)
                guard connection.session.isInTransaction else { throw MigrationError(.endsTransaction, name) }
                try await connection.execute(record())
            }
        } catch let error as PostgresError where error.code == .server || error.code == .timeout {
            throw MigrationError(.failed, name, error)
        }
    }

    private func checkNames() throws {
        for names in [migrations.map(\.name), functions.map(\.name)] {
            var seen: Set<String> = []
            for name in names where !seen.insert(name).inserted { throw MigrationError(.duplicateName, name) }
        }
    }

    private func check(_ status: MigrationStatus) throws {
        if let name = status.changed.first { throw MigrationError(.checksumMismatch, name) }
        if let name = status.unknown.first { throw MigrationError(.unknownMigration, name) }
        let applied = migrations.prefix(status.appliedCount).map(\.name)
        if let name = status.pending.first(where: applied.contains) { throw MigrationError(.outOfOrder, name) }
    }
}

/// What a run of ``Migrator/migrate(_:)`` applied.
public struct MigrationReport: Sendable, Hashable {
    /// The migrations, in order.
    public internal(set) var migrations: [String] = []
    /// The functions, in order.
    public internal(set) var functions: [String] = []
}
