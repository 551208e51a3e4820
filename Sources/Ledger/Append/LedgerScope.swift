import Canonical
public import Postgres

/// Which ledgers a transaction of the application role may touch.
///
/// Row-level security hides the rows of all other ledgers and refuses to write any; without a scope no row is seen and
/// no error is raised. A scope ends with its transaction. The reader role sees all ledgers and needs none.
public enum LedgerScope {
    /// The statement that sets the scope of the transaction it runs in; a later one replaces it.
    public static func statement(_ ledgers: some Sequence<LedgerID>) -> SQL {
        "SELECT set_config('tenure.ledgers', \(list(ledgers)), true)"
    }

    /// The same for a transaction whose commit does not wait for the disk: for what may be lost with the crash of a server
    /// within its last second, as long as nothing that waited came after it. A later commit that waits makes it durable
    /// too, because the disk gets them in order.
    public static func unwaitedStatement(_ ledgers: some Sequence<LedgerID>) -> SQL {
        """
        SELECT set_config('tenure.ledgers', \(list(ledgers)), true),
            set_config('synchronous_commit', 'off', true)
        """
    }

    /// The source of one row, for the first statement of a transaction that inserts from it: it sets the scope before the row
    /// is held against it. The commit does not wait for the disk: a crash of the server may lose the transaction, but none
    /// that a later commit waited for, because the disk gets them in order.
    ///
    /// One statement less than ``statement(_:)`` is worth it where every request begins so. If the server ever asked for
    /// the scope earlier, it would find none and refuse the row.
    public static func source(_ ledgers: some Sequence<LedgerID>) -> SQL {
        """
        (SELECT set_config('tenure.ledgers', \(list(ledgers)), true) AS ledgers,
            set_config('synchronous_commit', 'off', true) AS wait OFFSET 0) AS scope
        """
    }
}

extension LedgerScope {
    /// The setting's value: an array of ids as text, so that the server need not make the text of it.
    private static func list(_ ledgers: some Sequence<LedgerID>) -> String {
        "{" + ledgers.map(\.uuid.lowercased).joined(separator: ",") + "}"
    }
}

extension PostgresConnection {
    /// Runs one statement in a transaction of its own that may touch `ledgers`: one round trip.
    public mutating func query(
        _ sql: SQL, in ledgers: some Sequence<LedgerID>
    ) async throws(PostgresError) -> [PostgresRow] {
        try await pipeline([LedgerScope.statement(ledgers), sql]).last ?? []
    }
}

extension PostgresPool {
    /// Runs one statement in a transaction of its own that may touch `ledgers`: one round trip.
    ///
    /// Throws what ``PostgresPool/withConnection(_:)`` throws.
    public func query(_ sql: SQL, in ledgers: some Sequence<LedgerID> & Sendable) async throws -> [PostgresRow] {
        try await withConnection { connection in try await connection.query(sql, in: ledgers) }
    }

    /// Runs statements in one transaction of their own that may touch `ledgers`, and returns the rows of each: one round
    /// trip. A failure undoes all of them.
    ///
    /// - Parameter waits: Whether the commit waits for the disk; see ``LedgerScope/unwaitedStatement(_:)``.
    ///
    /// Throws what ``PostgresPool/withConnection(_:)`` throws.
    public func pipeline(
        _ statements: [SQL], in ledgers: some Sequence<LedgerID> & Sendable, waits: Bool = true
    ) async throws -> [[PostgresRow]] {
        let scope = waits ? LedgerScope.statement(ledgers) : LedgerScope.unwaitedStatement(ledgers)
        let scoped = [scope] + statements
        let rows = try await withConnection { connection in try await connection.pipeline(scoped) }
        return Array(rows.dropFirst())
    }

    /// Runs `body` in a transaction that may touch `ledgers`; retried like ``PostgresPool/withTransaction(_:retries:_:)``.
    public func withTransaction<Result>(
        in ledgers: some Sequence<LedgerID> & Sendable, _ mode: TransactionMode = .readCommitted,
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(in: ledgers, mode, opening: []) { connection, _ in try await body(&connection) }
    }

    /// The same with statements that are sent together with BEGIN, in one round trip; `body` gets the rows of each.
    public func withTransaction<Result>(
        in ledgers: some Sequence<LedgerID> & Sendable, _ mode: TransactionMode = .readCommitted,
        opening statements: [SQL], _ body: (inout PostgresConnection, [[PostgresRow]]) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(mode, opening: [LedgerScope.statement(ledgers)] + statements) { connection, rows in
            try await body(&connection, Array(rows.dropFirst()))
        }
    }
}
