public import Postgres

/// Refuses a database role that row-level security does not hold.
///
/// Row-level security is the second wall between companies. It is none for a superuser, for a role that bypasses it, for
/// the owner of the tables, who can switch it off, and for whoever can become one of these.
public enum DatabaseRole: Sendable {
    /// Sees and changes the rows of the ledgers that a transaction names.
    case application
    /// Sees all rows, for projections, verification and replay.
    case reader

    /// Asks the database what the role of a pool's connections may do.
    ///
    /// - Throws: ``UnsafeRole`` with the first thing that it may and must not, and `PostgresError`.
    public func check(_ pool: PostgresPool) async throws {
        let seesAll: SQL =
            switch self {
            case .application:
                "UNION ALL SELECT oid, 6, 'sees all companies' FROM pg_roles WHERE rolname = 'tenure_reader'"
            case .reader: ""
            }
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                WITH strong (oid, rank, what) AS (
                    SELECT oid, 1, 'is a superuser' FROM pg_roles WHERE rolsuper
                    UNION ALL SELECT oid, 2, 'bypasses row-level security' FROM pg_roles WHERE rolbypassrls
                    UNION ALL SELECT nspowner, 3, 'owns the schema' FROM pg_namespace WHERE nspname = 'tenure'
                    UNION ALL SELECT relowner, 3, 'owns the table ' || relname FROM pg_class
                        WHERE relnamespace = 'tenure'::regnamespace
                    UNION ALL SELECT oid, 4, 'can make itself a member of other roles' FROM pg_roles WHERE rolcreaterole
                    UNION ALL SELECT oid, 5, 'reaches the server''s files and programs' FROM pg_roles WHERE rolname IN
                        ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
                    \(seesAll)
                )
                SELECT me.rolname::text, s.rolname::text, strong.what
                FROM pg_roles AS me JOIN strong ON pg_has_role(me.oid, strong.oid, 'MEMBER')
                    JOIN pg_roles AS s ON s.oid = strong.oid
                WHERE me.rolname IN (session_user, current_user)
                ORDER BY me.oid <> strong.oid, strong.rank, s.rolname LIMIT 1
                """)
        }
        guard let row = rows.first else { return }
        let (role, strong, what) = try row.decode(String.self, String.self, String.self)
        throw UnsafeRole(role: role, member: strong == role ? nil : strong, what: what)
    }
}

/// A database role that may do what would make row-level security void.
public struct UnsafeRole: Error, Sendable, Equatable, CustomStringConvertible {
    /// The role that connects.
    public let role: String
    /// The role it can become, when it is not itself the one.
    public let member: String?
    /// What that one may, such as `is a superuser`.
    public let what: String

    /// For the operator's terminal or log; it names roles of the database.
    public var description: String {
        member.map { "the database role \(role) is a member of \($0), which \(what)" }
            ?? "the database role \(role) \(what)"
    }
}
