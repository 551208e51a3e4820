import CLibPQ

extension PostgresConnection {
    /// Runs `body` in a transaction: commits when it returns, rolls back and passes the error on when it throws.
    ///
    /// COMMIT is not interrupted by cancellation, so its outcome is known; when the connection is lost while it is
    /// awaited, the error says `isOutcomeUnknown`. Transactions do not nest: a second one throws `.usage`. A body that
    /// returns although a statement in it failed gets `.transactionAborted`, because nothing was committed.
    @discardableResult
    public mutating func withTransaction<Result>(
        _ mode: TransactionMode = .readCommitted,
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(mode, opening: []) { connection, _ in try await body(&connection) }
    }

    /// The same with statements that are sent together with BEGIN, in one round trip; `body` gets the rows of each.
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
            // What was committed with the body's last statements stays, whatever failed afterwards: it must not run again.
            guard var failure = error as? PostgresError else { throw error }
            failure.isCommitted = true
            throw failure
        }
        if !session.hasCommitted { try await session.commit() }
        return result
    }

    /// Ends the transaction of ``withTransaction(_:_:)``: sends its last statements together with COMMIT, in one round
    /// trip, and returns the rows of each.
    ///
    /// A failure of any statement commits nothing, and its `statementIndex` says which one failed. Cancellation does not
    /// interrupt it; when the connection is lost, the error says `isOutcomeUnknown`. Until the body of the transaction has
    /// returned, the connection takes no more commands. What the statements answer is known only after the commit: a
    /// condition must be a statement that fails.
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

    fileprivate func commit() async throws(PostgresError) {
        guard !isOpen || transactionStatus == PQTRANS_INTRANS || transactionStatus == PQTRANS_INERROR else {
            throw PostgresError(.usage, "the body ended the transaction itself")
        }
        do throws(PostgresError) {
            // The server answers a COMMIT of a failed transaction with ROLLBACK and no error.
            guard try await command("COMMIT", isCancellable: false) == "COMMIT" else {
                throw PostgresError(.transactionAborted, "a statement had failed; nothing was committed")
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

    /// Never throws: a connection on which ROLLBACK fails is closed, which rolls back too.
    fileprivate func rollback() async {
        guard isOpen, transactionStatus != PQTRANS_IDLE else { return }
        do { try await command("ROLLBACK", isCancellable: false) } catch { close() }
    }
}
