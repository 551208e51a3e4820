import Logging

/// The role that owns every routine of a schema: functions, procedures and aggregates.
public struct RoutineOwner: Sendable, Hashable {
    /// The role.
    public let role: String
    /// The schema whose routines belong to the role.
    public let schema: String

    /// Each parameter sets the property of the same name.
    public init(role: String, schema: String) {
        self.role = role
        self.schema = schema
    }
}

/// A routine that belongs to another role than it should.
private struct ForeignRoutine {
    /// The name with schema and argument types, as the server quotes it.
    let name: String
    let owner: String
    /// Whether the migrating role may give the routine away.
    let canChange: Bool
}

extension Migrator {
    /// Gives the routines of the schema to the owner and returns their names, sorted.
    ///
    /// A migrating role that is neither a superuser nor a member of a routine's owner cannot do that. Such a routine
    /// stays as it is and is logged, because it works as long as its text stays.
    func changeOwners(_ connection: inout PostgresConnection) async throws -> [String] {
        guard let owner = routineOwner else { return [] }
        let foreign = try await foreignRoutines(of: owner, &connection)
        for routine in foreign where !routine.canChange {
            logger.warning(
                "a function belongs to another role, and only a member of that role or a superuser can change that",
                metadata: ["function": "\(routine.name)", "owner": "\(routine.owner)", "wanted": "\(owner.role)"])
        }
        let changing = foreign.filter(\.canChange).map(\.name)
        guard !changing.isEmpty else { return [] }
        do {
            try await connection.withTransaction { connection in
                for name in changing {
                    // The server printed the name, quoted where it has to be.
                    let statement: SQL = "ALTER ROUTINE \(unsafeSQL: name) OWNER TO \(identifier: owner.role)"
                    try await connection.execute(statement)
                }
            }
        } catch let error as PostgresError where error.code == .server || error.code == .timeout {
            throw MigrationError(.failed, "owner of functions", error)
        }
        logger.info("functions given to their owner", metadata: ["functions": "\(changing)"])
        return changing
    }

    private func foreignRoutines(
        of owner: RoutineOwner, _ connection: inout PostgresConnection
    ) async throws(PostgresError) -> [ForeignRoutine] {
        let rows = try await connection.query(
            """
            SELECT p.oid::regprocedure::text, pg_get_userbyid(p.proowner)::text,
                pg_has_role(p.proowner, 'USAGE') AND pg_has_role(o.oid, 'USAGE')
            FROM pg_proc AS p JOIN pg_roles AS o ON o.rolname = \(owner.role)
            WHERE p.pronamespace = to_regnamespace(quote_ident(\(owner.schema))) AND p.proowner <> o.oid
                AND NOT EXISTS (SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
            ORDER BY 1
            """)
        var routines: [ForeignRoutine] = []
        for row in rows {
            let (name, role, canChange) = try row.decode(String.self, String.self, Bool.self)
            routines.append(ForeignRoutine(name: name, owner: role, canChange: canChange))
        }
        return routines
    }
}
