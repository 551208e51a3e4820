import CLibPQ
public import Logging

/// Brings a schema up to date, forward only.
///
/// ```swift
/// let migrator = Migrator(migrations: migrations, functions: functions, logger: logger)
/// let report = try await migrator.migrate(ownerConfiguration)
/// ```
///
/// The tables `tenure_migration` and `tenure_function` record what was applied with the SHA-256 of its text, which the
/// server computes. Each migration is one transaction together with its record. Everything happens under one session
/// advisory lock, so that programs that start together do not race.
///
/// The text of a function does not say whether it is older or newer. So a program has a revision of its functions, which
/// grows with each change of one, and which is recorded with each function that it applies. A program never replaces a
/// function of a later revision.
public struct Migrator: Sendable {
    let migrations: [Migration]
    let functions: [ReplaceableScript]
    let revision: Int
    let schema: String
    let routineOwner: RoutineOwner?
    let lockTimeout: Duration
    let logger: Logger

    /// The key of the advisory lock: the bytes of "tenure_m".
    static let lockKey: Int64 = 0x7465_6E75_7265_5F6D

    /// A migrator for a program's migrations and functions.
    ///
    /// - Parameters:
    ///   - migrations: In the order in which they are applied.
    ///   - functions: Applied after the migrations, in this order, if new or changed.
    ///   - revision: The revision of the functions, which grows whenever one of them changes.
    ///   - schema: The schema of the two tables; it must exist.
    ///   - routineOwner: The role that applies and owns the functions, and the schema that they lie in. The migrating
    ///     role must be that role, a member of it or a superuser. With `nil` functions belong to the migrating role.
    ///   - lockTimeout: How long to wait for another program that is migrating.
    ///   - logger: Logs each migration and function that is applied.
    public init(
        migrations: [Migration], functions: [ReplaceableScript], revision: Int = 0, schema: String = "public",
        routineOwner: RoutineOwner? = nil, lockTimeout: Duration = .seconds(60), logger: Logger
    ) {
        self.migrations = migrations
        self.functions = functions
        self.revision = revision
        self.schema = schema
        self.routineOwner = routineOwner
        self.lockTimeout = lockTimeout
        self.logger = logger
    }

    /// A migrator whose functions are pairs of name and script.
    public init(
        migrations: [Migration], functions: [(name: String, sql: [UInt8])], revision: Int = 0,
        schema: String = "public", routineOwner: RoutineOwner? = nil, logger: Logger
    ) {
        self.init(
            migrations: migrations, functions: functions.map { ReplaceableScript(name: $0.name, sql: $0.sql) },
            revision: revision, schema: schema, routineOwner: routineOwner, logger: logger)
    }

    /// Applies everything that is missing, over a new connection of the owner without a statement timeout.
    ///
    /// - Throws: As ``migrate(on:)``.
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
    /// - Throws: ``MigrationError`` before anything is applied if the history does not match, if a newer program has
    ///   replaced a function, or if the role may not migrate this database, ``MigrationError/Code/failed`` if the server refuses a script, and ``PostgresError`` if the connection fails.
    ///   Migrations applied before the failing one stay.
    @discardableResult
    public func migrate(on connection: inout PostgresConnection) async throws -> MigrationReport {
        try checkNames()
        try await lock(&connection)
        do {
            let report = try await apply(on: &connection)
            try await unlock(&connection)
            return report
        } catch {
            // The lock belongs to the session, so closing it always releases the lock.
            do { try await unlock(&connection) } catch { connection.close() }
            throw error
        }
    }

    private func apply(on connection: inout PostgresConnection) async throws -> MigrationReport {
        let status = try await status(on: &connection)
        try check(status)
        try await requirePermission(status, on: &connection)
        try await createTables(&connection)
        // At once, if the role exists: should this run fail, another role may go on.
        try await shareRecords(&connection)
        var report = MigrationReport()
        for migration in migrations where status.pending.contains(migration.name) {
            try await apply(migration.name, migration.sql, as: nil, &connection) { [self] in record(migration) }
            report.migrations.append(migration.name)
            logger.info("migration applied", metadata: ["migration": "\(migration.name)"])
        }
        report.changedOwners = try await changeOwners(&connection)
        try await shareRecords(&connection)
        for function in functions where status.staleFunctions.contains(function.name) {
            try await apply(function.name, function.sql, as: routineOwner?.role, &connection) { [self] in
                record(function)
            }
            report.functions.append(function.name)
            logger.info("function applied", metadata: ["function": "\(function.name)"])
        }
        return report
    }

    private func apply(
        _ name: String, _ sql: [UInt8], as role: String?, _ connection: inout PostgresConnection, record: () -> SQL
    ) async throws {
        guard let script = String(validating: sql, as: UTF8.self), !sql.contains(0) else {
            throw MigrationError(.malformedScript, name)
        }
        do {
            try await connection.withTransaction { connection in
                if let role { try await connection.execute("SET LOCAL ROLE \(identifier: role)") }
                try await connection.executeScript(script)
                guard connection.session.isInTransaction else { throw MigrationError(.endsTransaction, name) }
                // The two tables belong to the migrating role.
                if role != nil { try await connection.execute("RESET ROLE") }
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
        if let name = status.otherHistory { throw MigrationError(.historyMismatch, name) }
        if let name = status.unknown.first { throw MigrationError(.unknownMigration, name) }
        if let name = status.newerFunctions.first { throw MigrationError(.newerFunction, name) }
        let applied = migrations.prefix(status.appliedCount).map(\.name)
        if let name = status.pending.first(where: applied.contains) { throw MigrationError(.outOfOrder, name) }
    }
}

/// The scripts that a run of ``Migrator/migrate(_:)`` applied.
public struct MigrationReport: Sendable, Hashable {
    /// The migrations, in order.
    public internal(set) var migrations: [String] = []
    /// The functions, in order.
    public internal(set) var functions: [String] = []
    /// The existing functions that were given to their owner, with schema and argument types, sorted.
    public internal(set) var changedOwners: [String] = []

    /// Whether the database was up to date, so that nothing changed.
    public var isEmpty: Bool { migrations.isEmpty && functions.isEmpty && changedOwners.isEmpty }
}

extension Migrator {
    var migrationTable: SQL { "\(identifier: schema).tenure_migration" }
    var functionTable: SQL { "\(identifier: schema).tenure_function" }

    /// Compares the database with this program. Any role may do so, because everyone may read the tables.
    ///
    /// - Throws: ``PostgresError``.
    public func status(on connection: inout PostgresConnection) async throws -> MigrationStatus {
        var status = MigrationStatus()
        let known = try await checksums(&connection, migrations.map { ($0.name, $0.sql) })
        let applied = try await applied(&connection, "tenure_migration", migrationTable)
        for migration in migrations {
            guard let checksum = applied[migration.name] else {
                status.pending.append(migration.name)
                continue
            }
            if checksum != known[migration.name] { status.changed.append(migration.name) }
        }
        status.unknown = applied.keys.filter { known[$0] == nil }.sorted()
        status.appliedCount = applied.count
        let texts = try await checksums(&connection, functions.map { ($0.name, $0.sql) })
        let present = try await self.applied(&connection, "tenure_function", functionTable)
        let revisions = try await revisions(&connection)
        let different = functions.map(\.name).filter { present[$0] == nil || present[$0] != texts[$0] }
        status.newerFunctions = different.filter { revisions[$0, default: 0] > revision }
        status.staleFunctions = different.filter { revisions[$0, default: 0] <= revision }
        return status
    }

    func record(_ migration: Migration) -> SQL {
        "INSERT INTO \(migrationTable) (name, checksum) VALUES (\(migration.name), sha256(\(migration.sql)))"
    }

    func record(_ function: ReplaceableScript) -> SQL {
        """
        INSERT INTO \(functionTable) AS f (name, checksum, revision)
        VALUES (\(function.name), sha256(\(function.sql)), \(revision))
        ON CONFLICT (name) DO UPDATE
        SET checksum = excluded.checksum, revision = excluded.revision, applied_at = clock_timestamp()
        """
    }

    private func checksums(
        _ connection: inout PostgresConnection, _ scripts: [(name: String, sql: [UInt8])]
    ) async throws(PostgresError) -> [String: [UInt8]] {
        let rows = try await connection.query(
            "SELECT name, sha256(sql) FROM unnest(\(scripts.map(\.name)), \(scripts.map(\.sql))) AS script (name, sql)")
        return try Self.pairs(rows)
    }

    private func applied(
        _ connection: inout PostgresConnection, _ name: String, _ table: SQL
    ) async throws(PostgresError) -> [String: [UInt8]] {
        guard try await hasTable(name, &connection) else { return [:] }
        return try Self.pairs(try await connection.query("SELECT name, checksum FROM \(table)"))
    }

    private static func pairs(_ rows: [PostgresRow]) throws(PostgresError) -> [String: [UInt8]] {
        var pairs: [String: [UInt8]] = [:]
        for row in rows {
            let (name, checksum) = try row.decode(String.self, [UInt8].self)
            pairs[name] = checksum
        }
        return pairs
    }

    // MARK: The lock

    /// Takes the lock by polling. A statement waiting inside the server would hold a snapshot, and `CREATE INDEX
    /// CONCURRENTLY` of the other program would wait for that.
    func lock(_ connection: inout PostgresConnection) async throws {
        let deadline = ContinuousClock.now + lockTimeout
        while true {
            let rows = try await connection.query("SELECT pg_try_advisory_lock(\(Self.lockKey))")
            if try rows.first?.decode(Bool.self) ?? false { return }
            guard ContinuousClock.now < deadline else { throw MigrationError(.lockTimeout, "tenure_migration") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    func unlock(_ connection: inout PostgresConnection) async throws(PostgresError) {
        try await connection.session.command("SELECT pg_advisory_unlock(\(Self.lockKey))", isCancellable: false)
    }
}

extension Session {
    /// Whether statements run inside a transaction that has not failed.
    var isInTransaction: Bool { transactionStatus == PQTRANS_INTRANS }
}

extension Migrator {
    /// Refuses to begin if the role lacks a privilege that the migrations need, and says which role has it.
    ///
    /// It asks for nothing if nothing has to be applied.
    func requirePermission(
        _ status: MigrationStatus, on connection: inout PostgresConnection
    ) async throws {
        guard !status.isCurrent else { return }
        let place = try await place(&connection)
        guard !place.isSuperuser else { return }
        let owner = routineOwner?.role
        if let owner, place.ownerExists, !place.isMember, !place.createsRoles {
            throw refusal(
                place, "is not a member of \(owner)",
                "Migrate as \(owner), or as a superuser run: GRANT \(owner) TO \(place.role)")
        }
        if let owner, !place.ownerExists, !place.createsRoles {
            throw refusal(
                place, "may not create the role \(owner)",
                "Migrate as a superuser or as a role with CREATEROLE, or create the three roles first.")
        }
        if !place.hasRecords || (!place.schemaExists && owner != nil) {
            let missing = [
                place.createsSchemas || owner == nil || place.schemaExists ? nil : "CREATE on the database",
                place.createsTables || place.hasRecords ? nil : "CREATE on the schema \(schema)",
            ].compactMap { $0 }
            guard missing.isEmpty else {
                throw refusal(
                    place, "lacks \(missing.joined(separator: " and "))",
                    """
                    Migrate as \(place.databaseOwner), to whom the database belongs, or as a superuser run: \
                    ALTER DATABASE \(place.database) OWNER TO \(place.role)
                    """)
            }
        }
        if place.hasRecords, !place.recordsMigrations {
            throw refusal(
                place, "may not write public.tenure_migration, which belongs to \(place.recordsOwner)",
                "Migrate once as \(place.recordsOwner) or as a superuser; after that every member of "
                    + "\(owner ?? place.recordsOwner) may.")
        }
    }

    private func refusal(_ place: Place, _ what: String, _ remedy: String) -> MigrationError {
        MigrationError(
            .notPermitted, "role \(place.role) \(what), so it may not migrate database \(place.database)",
            remedy: remedy)
    }

    /// What the migrating role is and may, in one look.
    private struct Place {
        var role = "", database = "", databaseOwner = "", recordsOwner = ""
        var isSuperuser = false, createsRoles = false, ownerExists = false, isMember = false, schemaExists = false
        var createsSchemas = false, createsTables = false, hasRecords = false, recordsMigrations = false
    }

    private func place(_ connection: inout PostgresConnection) async throws(PostgresError) -> Place {
        var place = Place()
        let owner = routineOwner?.role, routines = routineOwner?.schema
        let names = try await connection.query(
            """
            SELECT quote_ident(current_user), quote_ident(d.datname), quote_ident(pg_get_userbyid(d.datdba)),
                coalesce((SELECT quote_ident(tableowner) FROM pg_tables
                    WHERE schemaname = \(schema) AND tablename = 'tenure_migration'), '')
            FROM pg_database AS d WHERE d.datname = current_database()
            """)
        if let row = names.first {
            (place.role, place.database, place.databaseOwner, place.recordsOwner) = try row.decode(
                String.self, String.self, String.self, String.self)
        }
        let rights = try await connection.query(
            """
            SELECT r.rolsuper, r.rolcreaterole, EXISTS (SELECT FROM pg_roles WHERE rolname = \(owner)),
                coalesce((SELECT pg_has_role(o.oid, 'USAGE') FROM pg_roles AS o WHERE o.rolname = \(owner)), false),
                EXISTS (SELECT FROM pg_namespace WHERE nspname = \(routines)),
                has_database_privilege(current_database(), 'CREATE'),
                coalesce(has_schema_privilege(to_regnamespace(quote_ident(\(schema))), 'CREATE'), false)
            FROM pg_roles AS r WHERE r.rolname = current_user
            """)
        if let row = rights.first {
            let values = try row.decode(
                Bool.self, Bool.self, Bool.self, Bool.self, Bool.self, Bool.self, Bool.self)
            (place.isSuperuser, place.createsRoles, place.ownerExists, place.isMember) = (
                values.0, values.1, values.2, values.3
            )
            (place.schemaExists, place.createsSchemas, place.createsTables) = (values.4, values.5, values.6)
        }
        place.hasRecords = !place.recordsOwner.isEmpty
        let records = try await connection.query(
            """
            SELECT has_table_privilege(c.oid, 'INSERT') FROM pg_class AS c
            WHERE c.relnamespace = to_regnamespace(quote_ident(\(schema))) AND c.relname = 'tenure_migration'
            """)
        place.recordsMigrations = try records.first?.decode(Bool.self) ?? true
        return place
    }
}

extension Migrator {
    /// Creates the two tables of records.
    func createTables(_ connection: inout PostgresConnection) async throws(PostgresError) {
        let tables: [(name: String, table: SQL, revision: SQL)] = [
            ("tenure_migration", migrationTable, ""),
            ("tenure_function", functionTable, ", revision integer NOT NULL"),
        ]
        for (name, table, revision) in tables {
            // Without a look first, CREATE TABLE IF NOT EXISTS would need the right to create tables here.
            guard try await !hasTable(name, &connection) else { continue }
            try await connection.execute(
                """
                CREATE TABLE IF NOT EXISTS \(table) (
                    name text PRIMARY KEY,
                    checksum bytea NOT NULL CHECK (octet_length(checksum) = 32),
                    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()\(revision)
                )
                """)
            try await connection.execute("GRANT SELECT ON \(table) TO PUBLIC")
        }
    }

    /// Lets the owner of the functions, and every member of that role, record what it applies. So the role that migrates
    /// next need not be the one that migrated first.
    func shareRecords(_ connection: inout PostgresConnection) async throws(PostgresError) {
        guard let owner = routineOwner else { return }
        let lacking = try await connection.query(
            """
            SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class AS c JOIN pg_roles AS o ON o.rolname = \(owner.role)
            WHERE c.relnamespace = to_regnamespace(quote_ident(\(schema)))
                AND c.relname IN ('tenure_migration', 'tenure_function')
                AND NOT has_table_privilege(o.oid, c.oid, 'INSERT, UPDATE')
            """)
        for row in lacking where try !row.decode(Bool.self) { return }
        guard !lacking.isEmpty else { return }
        for table in [migrationTable, functionTable] {
            try await connection.execute("GRANT INSERT, UPDATE ON \(table) TO \(identifier: owner.role)")
        }
    }

    /// The revision of each function that is applied.
    func revisions(_ connection: inout PostgresConnection) async throws(PostgresError) -> [String: Int] {
        guard try await hasTable("tenure_function", &connection) else { return [:] }
        var revisions: [String: Int] = [:]
        for row in try await connection.query("SELECT name, revision FROM \(functionTable)") {
            let (name, revision) = try row.decode(String.self, Int32.self)
            revisions[name] = Int(revision)
        }
        return revisions
    }

    /// Whether a table of records exists.
    func hasTable(_ name: String, _ connection: inout PostgresConnection) async throws(PostgresError) -> Bool {
        let exists = try await connection.query(
            "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = \(schema) AND tablename = \(name))")
        return try exists.first?.decode(Bool.self) ?? false
    }
}
