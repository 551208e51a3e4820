import CLibPQ

extension Migrator {
    private var migrationTable: SQL { "\(identifier: schema).tenure_migration" }
    private var functionTable: SQL { "\(identifier: schema).tenure_function" }

    /// Compares the database with the program. Needs no rights of the owner: the tables may be read by everybody.
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
        status.staleFunctions = functions.map(\.name).filter { present[$0] == nil || present[$0] != texts[$0] }
        return status
    }

    func createTables(_ connection: inout PostgresConnection) async throws(PostgresError) {
        for table in [migrationTable, functionTable] {
            try await connection.execute(
                """
                CREATE TABLE IF NOT EXISTS \(table) (
                    name text PRIMARY KEY,
                    checksum bytea NOT NULL CHECK (octet_length(checksum) = 32),
                    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
                )
                """)
            try await connection.execute("GRANT SELECT ON \(table) TO PUBLIC")
        }
    }

    func record(_ migration: Migration) -> SQL {
        "INSERT INTO \(migrationTable) (name, checksum) VALUES (\(migration.name), sha256(\(migration.sql)))"
    }

    func record(_ function: ReplaceableScript) -> SQL {
        """
        INSERT INTO \(functionTable) AS f (name, checksum) VALUES (\(function.name), sha256(\(function.sql)))
        ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = clock_timestamp()
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
        let exists = try await connection.query(
            "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = \(schema) AND tablename = \(name))")
        guard try exists.first?.decode(Bool.self) ?? false else { return [:] }
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

    /// Tries again and again instead of waiting inside the server: a waiting statement would hold a snapshot, on which
    /// `CREATE INDEX CONCURRENTLY` of the other program would wait in turn.
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
