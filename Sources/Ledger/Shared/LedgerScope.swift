import Canonical
public import Postgres

/// The ledgers that a transaction of the application role may touch.
///
/// ```swift
/// try await pool.withTransaction(in: [ledger]) { connection in      // sets the scope together with BEGIN
///     let rows = try await connection.query("SELECT size FROM tenure.ledger WHERE ledger_id = \(ledger.uuid)")
/// }
/// ```
///
/// Row-level security hides the rows of all other ledgers and refuses writes to them. A statement that meets a row
/// without a scope fails with SQLSTATE 42501. A scope ends with its transaction. The reader role sees all ledgers and
/// needs none.
public enum LedgerScope {
    /// Returns the statement that sets the scope of its transaction. A later one replaces it. The transaction must have
    /// begun with BEGIN.
    ///
    /// - Parameter waits: Whether the commit waits for the disk, whatever the server's or the role's default is. If not,
    ///   a crash of the server may lose the transactions of the last second. A later commit that waits makes them
    ///   durable too, because the disk receives them in order. Use `false` only for what may be lost in this way.
    public static func statement(_ ledgers: some Sequence<LedgerID>, waits: Bool = true) -> SQL {
        let list = "{" + ledgers.map(\.uuid.lowercased).joined(separator: ",") + "}"
        return "SELECT tenure.enter_scope(\(list), \(waits))"
    }
}

extension PostgresConnection {
    /// Runs one statement in its own transaction in the scope of `ledgers`, in one round trip.
    ///
    /// - Throws: `PostgresError`, as ``PostgresConnection/transaction(_:)`` does.
    public mutating func query(
        _ sql: SQL, in ledgers: some Sequence<LedgerID>
    ) async throws(PostgresError) -> [PostgresRow] {
        try await transaction([LedgerScope.statement(ledgers), sql]).last ?? []
    }
}

extension PostgresPool {
    /// Runs one statement in its own transaction in the scope of `ledgers`, in one round trip.
    ///
    /// - Throws: `PostgresError`: from the statement, or from ``PostgresPool/withConnection(_:)``.
    public func query(_ sql: SQL, in ledgers: some Sequence<LedgerID> & Sendable) async throws -> [PostgresRow] {
        try await withConnection { connection in try await connection.query(sql, in: ledgers) }
    }

    /// Runs statements in one transaction in the scope of `ledgers`, in one round trip, and returns the rows of each.
    /// If one fails, none takes effect.
    ///
    /// - Parameter waits: Whether the commit waits for the disk; see ``LedgerScope/statement(_:waits:)``.
    /// - Throws: `PostgresError`: from a statement, or from ``PostgresPool/withConnection(_:)``.
    public func pipeline(
        _ statements: [SQL], in ledgers: some Sequence<LedgerID> & Sendable, waits: Bool = true
    ) async throws -> [[PostgresRow]] {
        let scoped = [LedgerScope.statement(ledgers, waits: waits)] + statements
        let rows = try await withConnection { connection in try await connection.transaction(scoped) }
        return Array(rows.dropFirst())
    }

    /// Runs `body` in a transaction in the scope of `ledgers`, with the retries of
    /// ``PostgresPool/withTransaction(_:retries:_:)``.
    ///
    /// - Throws: `PostgresError`, and what `body` throws.
    public func withTransaction<Result>(
        in ledgers: some Sequence<LedgerID> & Sendable, _ mode: TransactionMode = .readCommitted,
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(in: ledgers, mode, opening: []) { connection, _ in try await body(&connection) }
    }

    /// Runs `body` in a transaction like ``withTransaction(in:_:_:)``. The `opening` statements are sent together with
    /// BEGIN in one round trip, and `body` gets the rows of each.
    ///
    /// - Throws: `PostgresError`, and what `body` throws.
    public func withTransaction<Result>(
        in ledgers: some Sequence<LedgerID> & Sendable, _ mode: TransactionMode = .readCommitted,
        opening statements: [SQL], _ body: (inout PostgresConnection, [[PostgresRow]]) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(mode, opening: [LedgerScope.statement(ledgers)] + statements) { connection, rows in
            try await body(&connection, Array(rows.dropFirst()))
        }
    }
}

/// The database roles of the service, with a check that row-level security applies to a connection.
///
/// Row-level security is defence in depth between tenants. It does not apply to a superuser, to a role that bypasses
/// it, to the owner of the tables, who can switch it off, and to any role that can become one of these.
public enum DatabaseRole: Sendable {
    /// The role that sees and changes the rows of the ledgers that a transaction names.
    case application
    /// The role that sees all rows, for projections, verification and replay.
    case reader

    /// Checks what the role of a pool's connections may do.
    ///
    /// - Throws: ``UnsafeRole`` with the first privilege that it must not have, and `PostgresError`.
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

/// A database role with a privilege that makes row-level security void.
public struct UnsafeRole: Error, Sendable, Equatable, CustomStringConvertible {
    /// The role that connects.
    public let role: String
    /// The role that it can become, or `nil` if it has the privilege itself.
    public let member: String?
    /// The privilege, such as `is a superuser`.
    public let what: String

    /// A sentence for the operator's terminal or log. It names roles of the database.
    public var description: String {
        member.map { "the database role \(role) is a member of \($0), which \(what)" }
            ?? "the database role \(role) \(what)"
    }
}
