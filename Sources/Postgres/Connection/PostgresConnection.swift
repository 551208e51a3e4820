import CLibPQ
public import Logging

/// One session with the server.
///
/// ```swift
/// var connection = try await PostgresConnection.connect(configuration, logger: logger)
/// let rows = try await connection.query("SELECT id, name FROM person WHERE active = \(true)")
/// for row in rows { let (id, name) = try row.decode(UUID.self, String.self) }
/// connection.close()
/// ```
///
/// A connection can be moved and lent, but not copied, and every command is `mutating`: two simultaneous commands on
/// one connection do not compile. No call blocks a thread of the cooperative pool. Services use a ``PostgresPool``
/// instead.
///
/// If the task is cancelled, the connection asks the server to stop the statement and throws
/// ``PostgresError/Code/cancelled``. It stays usable, or is closed if the server does not answer within seconds or the
/// session uses TLS. A statement that finishes before the request arrives returns its result.
///
/// Every command throws ``PostgresError``: ``PostgresError/Code/server`` if the server refuses it,
/// ``PostgresError/Code/timeout``, ``PostgresError/Code/cancelled``, ``PostgresError/Code/connection`` if the session
/// is lost, ``PostgresError/Code/encoding`` for values that cannot be sent, and ``PostgresError/Code/usage``.
public struct PostgresConnection: ~Copyable, Sendable {
    let session: Session

    /// Runs one statement and returns its rows, all of them in memory.
    ///
    /// - Throws: ``PostgresError``, as the type describes.
    public mutating func query(_ sql: SQL) async throws(PostgresError) -> [PostgresRow] {
        try await session.run(sql)?.rows ?? []
    }

    /// Runs one statement and returns how many rows it affected.
    ///
    /// - Throws: ``PostgresError``, as the type describes.
    @discardableResult
    public mutating func execute(_ sql: SQL) async throws(PostgresError) -> Int {
        try await session.run(sql)?.affectedRows ?? 0
    }

    /// Runs a script of several statements without parameters, as one transaction unless it contains its own.
    ///
    /// Use it for migrations. The first failure ends the script. Results are dropped.
    ///
    /// - Throws: ``PostgresError``, as the type describes.
    public mutating func executeScript(_ sql: String) async throws(PostgresError) {
        try await session.command(sql)
    }

    /// Sends all statements at once and returns the rows of each, in one round trip.
    ///
    /// Outside a transaction the statements form one: if one fails, none takes effect.
    ///
    /// - Throws: ``PostgresError``, as the type describes. Its ``PostgresError/statementIndex`` says which statement
    ///   failed.
    @discardableResult
    public mutating func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [[PostgresRow]] {
        if statements.isEmpty { return [] }
        return try await session.pipeline(statements)
    }

    /// Passes the rows to `body` one by one, so that a result of any size needs the memory of one row.
    ///
    /// If `body` throws, the statement is cancelled. The server's statement timeout includes the time that `body`
    /// takes.
    ///
    /// - Throws: ``PostgresError``, as the type describes, and what `body` throws.
    public mutating func forEachRow(_ sql: SQL, _ body: (PostgresRow) throws -> Void) async throws {
        try await session.forEachRow(sql, body)
    }

    /// The id of the server process, as in `pg_stat_activity`.
    public var processID: Int32 { session.processID }

    /// Whether the connection can still be used, as far as is known without asking the server.
    public var isOpen: Bool { session.isOpen }

    /// Ends the session; further commands throw. This also happens when the connection goes out of scope.
    public mutating func close() { session.close() }
}

extension PostgresConnection {
    /// Runs `body` in a transaction. Commits when it returns, and rolls back when it throws.
    ///
    /// ```swift
    /// try await connection.withTransaction { connection in
    ///     try await connection.execute("DELETE FROM person WHERE id = \(id)")
    /// }
    /// ```
    ///
    /// Cancellation does not interrupt COMMIT, so its outcome is known. If the connection is lost during COMMIT, the
    /// error has ``PostgresError/isOutcomeUnknown`` set.
    ///
    /// - Throws: What `body` throws, ``PostgresError/Code/usage`` inside another transaction, and
    ///   ``PostgresError/Code/transactionAborted`` if `body` returns although a statement in it failed: nothing is
    ///   committed then.
    @discardableResult
    public mutating func withTransaction<Result>(
        _ mode: TransactionMode = .readCommitted,
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(mode, opening: []) { connection, _ in try await body(&connection) }
    }

    /// Runs `body` in a transaction like ``withTransaction(_:_:)``. The `opening` statements are sent together with
    /// BEGIN in one round trip, and `body` gets the rows of each.
    ///
    /// - Throws: As ``withTransaction(_:_:)``.
    @discardableResult
    public mutating func withTransaction<Result>(
        _ mode: TransactionMode = .readCommitted, opening statements: [SQL],
        _ body: (inout PostgresConnection, [[PostgresRow]]) async throws -> Result
    ) async throws -> Result {
        guard !session.isInsideTransaction, !session.isOpen || session.transactionStatus == PQTRANS_IDLE else {
            throw PostgresError(.usage, "a transaction is already open on this connection")
        }
        session.isInsideTransaction = true
        defer {
            session.isInsideTransaction = false
            session.hasCommitted = false
        }
        let result: Result
        do {
            let answers = try await session.begin(mode, statements)
            result = try await body(&self, answers)
        } catch {
            guard session.hasCommitted else {
                await session.rollback()
                throw error
            }
            // What the body's last statements committed stays, whatever failed afterwards. The transaction must not run
            // again.
            guard var failure = error as? PostgresError else { throw error }
            failure.isCommitted = true
            throw failure
        }
        if !session.hasCommitted { try await session.commit() }
        return result
    }

    /// Runs all statements in one transaction, in one round trip, and returns the rows of each. If one fails, none takes
    /// effect.
    ///
    /// It differs from ``pipeline(_:)`` in that BEGIN and COMMIT are sent too, for statements such as `SET LOCAL` and
    /// for databases that distribute a transaction over several servers.
    ///
    /// - Throws: ``PostgresError``, as the type describes, and ``PostgresError/Code/usage`` inside another transaction.
    ///   ``PostgresError/statementIndex`` says which statement failed; it is the number of statements for COMMIT.
    @discardableResult
    public mutating func transaction(_ statements: [SQL]) async throws(PostgresError) -> [[PostgresRow]] {
        guard !session.isInsideTransaction else {
            throw PostgresError(.usage, "a transaction is already open on this connection")
        }
        return try await session.transaction(statements)
    }

    /// Sends the last statements of ``withTransaction(_:_:)`` together with COMMIT in one round trip, and returns the
    /// rows of each.
    ///
    /// If a statement fails, nothing is committed. Cancellation does not interrupt this call. The connection takes no
    /// more commands until the transaction's body returns. The rows are known only after the commit, so a condition
    /// must be a statement that fails.
    ///
    /// - Throws: ``PostgresError/Code/usage`` outside a transaction or after it was committed, and ``PostgresError`` as
    ///   the type describes. ``PostgresError/statementIndex`` says which statement failed.
    ///   ``PostgresError/isOutcomeUnknown`` is set if the connection was lost.
    public mutating func commit(after statements: [SQL]) async throws(PostgresError) -> [[PostgresRow]] {
        guard session.isInsideTransaction, !session.hasCommitted else {
            throw PostgresError(.usage, "no transaction is open on this connection")
        }
        return try await session.commit(after: statements)
    }
}

extension Session {
    fileprivate func begin(
        _ mode: TransactionMode, _ statements: [SQL]
    ) async throws(PostgresError) -> [[PostgresRow]] {
        guard !statements.isEmpty else {
            try await command(mode.beginStatement)
            return []
        }
        do {
            return Array(try await pipeline(["\(unsafeSQL: mode.beginStatement)"] + statements).dropFirst())
        } catch {
            var error = error
            error.statementIndex = error.statementIndex.map { $0 - 1 }
            throw error
        }
    }

    fileprivate func transaction(_ statements: [SQL]) async throws(PostgresError) -> [[PostgresRow]] {
        do throws(PostgresError) {
            return Array(try await pipeline(["BEGIN"] + statements + ["COMMIT"]).dropFirst().dropLast())
        } catch {
            await rollback()
            var error = error
            error.statementIndex = error.statementIndex.map { $0 - 1 }
            throw error
        }
    }

    fileprivate func commit() async throws(PostgresError) {
        guard !isOpen || transactionStatus == PQTRANS_INTRANS || transactionStatus == PQTRANS_INERROR else {
            throw PostgresError(.usage, "the body must not end the transaction itself")
        }
        do throws(PostgresError) {
            // The server answers a COMMIT of a failed transaction with ROLLBACK and no error.
            guard try await command("COMMIT", isCancellable: false) == "COMMIT" else {
                throw PostgresError(.transactionAborted, "an earlier statement failed; nothing was committed")
            }
        } catch {
            var error = error
            error.isOutcomeUnknown = error.isConnectionLost
            throw error
        }
    }

    fileprivate func commit(after statements: [SQL]) async throws(PostgresError) -> [[PostgresRow]] {
        guard !statements.isEmpty else {
            try await commit()
            hasCommitted = true
            return []
        }
        do throws(PostgresError) {
            let rows = try await pipeline(statements + ["COMMIT"], isCancellable: false)
            hasCommitted = true
            return rows.dropLast()
        } catch {
            var error = error
            error.isOutcomeUnknown = error.isConnectionLost
            throw error
        }
    }

    /// Rolls back. Never throws: if ROLLBACK fails, closing the connection rolls back too.
    fileprivate func rollback() async {
        guard isOpen, transactionStatus != PQTRANS_IDLE else { return }
        do { try await command("ROLLBACK", isCancellable: false) } catch { close() }
    }
}

extension PostgresConnection {
    /// Opens a session with the first host of the configuration that can be used.
    ///
    /// - Throws: ``PostgresError/Code/connection`` if no server can be reached or all refuse the session,
    ///   ``PostgresError/Code/timeout`` after ``PostgresConfiguration/connectTimeout``,
    ///   ``PostgresError/Code/serverBehind`` if the servers that answer are behind the newest one seen,
    ///   ``PostgresError/Code/cancelled``, and ``PostgresError/Code/usage`` for parameters that cannot be sent.
    public static func connect(
        _ configuration: PostgresConfiguration, logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        let hosts = configuration.eachHost, end = Reactor.Instant.now + configuration.connectTimeout
        var failures: [PostgresError] = []
        for (number, host) in hosts.enumerated() {
            let share = (end - .now) / (hosts.count - number)
            let deadline = Reactor.Instant.now + min(share, configuration.hostTimeout ?? share)
            do throws(PostgresError) { return try await admitted(host, until: deadline, logger) } catch {
                guard error.code != .cancelled, error.code != .usage else { throw error }
                failures.append(error)
            }
        }
        throw PostgresError(joining: failures)
    }

    private static func admitted(
        _ host: PostgresConfiguration, until deadline: Reactor.Instant, _ logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        let session = try await Session.connect(host, until: deadline, logger: logger)
        var connection = PostgresConnection(session: session)
        guard let newest = host.newestServer else { return connection }
        session.answerTimeoutOverride = max(deadline - .now, .milliseconds(1))
        session.server = try await newest.admit(&connection)
        session.answerTimeoutOverride = nil
        return connection
    }
}
