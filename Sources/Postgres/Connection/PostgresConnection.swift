public import Logging

/// One session with the server.
///
/// A connection can be moved and lent, not copied, and every command is `mutating`: two commands at the same time on one
/// connection do not compile. No call blocks a thread of the cooperative pool.
///
/// Cancelling the task asks the server to stop the statement; the call throws `.cancelled` and the connection is usable
/// again, or, where the server does not answer within seconds or the session runs under TLS, closed. A statement that
/// finished before the request arrived returns its result.
public struct PostgresConnection: ~Copyable, Sendable {
    let session: Session

    /// Opens a session.
    ///
    /// Throws `.connection` when the server cannot be reached or refuses us, `.timeout` after
    /// ``PostgresConfiguration/connectTimeout``, `.cancelled`, and `.usage` for parameters that cannot be sent.
    public static func connect(
        _ configuration: PostgresConfiguration, logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        PostgresConnection(session: try await Session.connect(configuration, logger: logger))
    }

    /// Runs one statement and returns its rows, all of them in memory.
    public mutating func query(_ sql: SQL) async throws(PostgresError) -> [PostgresRow] {
        try await session.run(sql)?.rows ?? []
    }

    /// Runs one statement and returns how many rows it affected.
    @discardableResult
    public mutating func execute(_ sql: SQL) async throws(PostgresError) -> Int {
        try await session.run(sql)?.affectedRows ?? 0
    }

    /// Runs a script of several statements without parameters, as one transaction unless it says otherwise.
    ///
    /// For migrations. The first failure ends the script. Results are dropped.
    public mutating func executeScript(_ sql: String) async throws(PostgresError) {
        try await session.command(sql)
    }

    /// Sends all statements at once and returns the rows of each: one round trip.
    ///
    /// Outside a transaction they are one by themselves: a failure undoes all of them. The error's `statementIndex` says
    /// which one failed.
    @discardableResult
    public mutating func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [[PostgresRow]] {
        if statements.isEmpty { return [] }
        return try await session.pipeline(statements)
    }

    /// Hands over the rows one by one, so that a result of any size needs the memory of one row.
    ///
    /// When `body` throws, the statement is cancelled and the error passed on. The statement timeout of the server
    /// includes the time the body takes.
    public mutating func forEachRow(_ sql: SQL, _ body: (PostgresRow) throws -> Void) async throws {
        try await session.forEachRow(sql, body)
    }

    /// The process id of the server's side, as in `pg_stat_activity`.
    public var processID: Int32 { session.processID }

    /// Whether the connection can still be used, as far as is known without asking the server.
    public var isOpen: Bool { session.isOpen }

    /// Ends the session; further commands throw. Also happens when the connection goes out of scope.
    public mutating func close() { session.close() }
}
