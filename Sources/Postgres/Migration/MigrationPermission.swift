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
        if try await stateOfRevisions(&connection) == .cannotAdd { place.recordsMigrations = false }
        return place
    }
}
