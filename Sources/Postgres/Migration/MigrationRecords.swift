extension Migrator {
    /// Creates the two tables of records, or what an older program did not create in them.
    func createTables(_ connection: inout PostgresConnection) async throws(PostgresError) {
        for (name, table) in [("tenure_migration", migrationTable), ("tenure_function", functionTable)] {
            // Without a look first, CREATE TABLE IF NOT EXISTS would need the right to create tables here.
            guard try await !hasTable(name, &connection) else { continue }
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
        // A role that may not alter the table has nothing to record either; see requirePermission.
        guard try await stateOfRevisions(&connection) == .canAdd else { return }
        try await connection.execute("ALTER TABLE \(functionTable) ADD COLUMN revision integer NOT NULL DEFAULT 0")
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

    /// The revision of each function that records one.
    func revisions(_ connection: inout PostgresConnection) async throws(PostgresError) -> [String: Int] {
        guard try await stateOfRevisions(&connection) == .has else { return [:] }
        var revisions: [String: Int] = [:]
        for row in try await connection.query("SELECT name, revision FROM \(functionTable)") {
            let (name, revision) = try row.decode(String.self, Int32.self)
            revisions[name] = Int(revision)
        }
        return revisions
    }

    /// Whether the records of functions have a revision. A program from before there were revisions did not add it.
    enum Revisions: Equatable {
        case has
        case canAdd
        case cannotAdd
    }

    func stateOfRevisions(_ connection: inout PostgresConnection) async throws(PostgresError) -> Revisions {
        let rows = try await connection.query(
            """
            SELECT EXISTS (SELECT FROM pg_attribute AS a
                    WHERE a.attrelid = c.oid AND a.attname = 'revision' AND NOT a.attisdropped),
                pg_has_role(c.relowner, 'USAGE')
            FROM pg_class AS c
            WHERE c.relnamespace = to_regnamespace(quote_ident(\(schema))) AND c.relname = 'tenure_function'
            """)
        guard let (has, canAdd) = try rows.first?.decode(Bool.self, Bool.self) else { return .canAdd }
        return has ? .has : canAdd ? .canAdd : .cannotAdd
    }

    /// Whether a table of records exists.
    func hasTable(_ name: String, _ connection: inout PostgresConnection) async throws(PostgresError) -> Bool {
        let exists = try await connection.query(
            "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = \(schema) AND tablename = \(name))")
        return try exists.first?.decode(Bool.self) ?? false
    }
}
