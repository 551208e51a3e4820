import CLibPQ

extension Session {
    /// Begins a command: refuses a closed connection and a task that is cancelled already.
    func beginExchange(isCancellable: Bool = true) throws(PostgresError) -> Exchange {
        guard isOpen else {
            close()
            throw Session.closedError()
        }
        guard !hasCommitted else { throw PostgresError(.usage, "the transaction has been committed") }
        if isCancellable, Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled") }
        return Exchange(isCancellable: isCancellable)
    }

    /// Sends what libpq has buffered. Reading meanwhile is what keeps a full pipeline from deadlocking.
    func flush(_ exchange: inout Exchange) async throws(PostgresError) {
        while !exchange.isLost {
            switch unsafe PQflush(pointer) {
            case 0: return
            case 1: try await progress(.readOrWrite, &exchange)
            default: exchange.isLost = true
            }
        }
    }

    /// The next result; nil at the end of a statement.
    func nextResult(_ exchange: inout Exchange) async throws(PostgresError) -> QueryResult? {
        while !exchange.isLost, unsafe PQisBusy(pointer) == 1 { try await progress(.read, &exchange) }
        // After a loss libpq still hands out what it had read, such as the server's reason. It does not block: the
        // socket is closed by then. Where it is not, nothing more is read.
        if exchange.isLost, unsafe PQstatus(pointer) != CONNECTION_BAD { return nil }
        guard let result = unsafe PQgetResult(pointer) else { return nil }
        return unsafe QueryResult(takingOwnershipOf: result)
    }

    /// Waits until the socket is ready and lets libpq read. Throws only after it has closed the connection.
    func progress(_ readiness: Reactor.Readiness, _ exchange: inout Exchange) async throws(PostgresError) {
        switch await wait(readiness, exchange) {
        case .ready:
            if unsafe PQconsumeInput(pointer) == 0 { exchange.isLost = true }
        case .cancelled:
            try await requestCancel(&exchange)
        case .timedOut:
            if exchange.wasCancelled { return try await requestCancel(&exchange) }
            close()
            var error = PostgresError(.timeout, "the server did not answer; the connection was closed")
            error.isConnectionLost = true
            throw error
        case .failed(let errno):
            close()
            var error = PostgresError(.connection, "the socket could not be watched (errno \(errno))")
            error.isConnectionLost = true
            throw error
        }
    }

    private func wait(_ readiness: Reactor.Readiness, _ exchange: Exchange) async -> Reactor.Outcome {
        switch exchange.cancellation {
        case .allowed, .ignored:
            let deadline = answerTimeout.map { Reactor.Instant.now + $0 }
            var isCancellable = false
            if case .allowed = exchange.cancellation { isCancellable = true }
            return await reactor.wait(for: readiness, of: socket, until: deadline, cancellable: isCancellable)
        case .requested(let until, let attempt):
            let next = min(until, .now + Exchange.pause(afterAttempt: attempt))
            return await reactor.wait(for: readiness, of: socket, until: next, cancellable: false)
        }
    }

    /// Reads until libpq has nothing more to say; returns the results that are no COPY.
    func drain(_ exchange: inout Exchange) async throws(PostgresError) -> [QueryResult] {
        var results: [QueryResult] = []
        while let result = try await nextResult(&exchange) {
            switch result.status {
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: try await refuseCopy(result.status, &exchange)
            default: results.append(result)
            }
        }
        return results
    }

    /// The end of a command: turns what happened into an error, and closes a connection that is lost.
    func conclude(_ exchange: Exchange, _ failure: PostgresError?) throws(PostgresError) {
        let isFatal = failure?.severity == .fatal || failure?.severity == .panic
        if exchange.isLost || isFatal || !isOpen {
            var error = failure ?? PostgresError(.connection, "the connection is lost", serverMessage: errorMessage)
            // What libpq says of itself is less than what the server had said before.
            if error.sqlState == nil, let fatal = notices.fatal { error = fatal }
            error.code = .connection
            error.reason = "the connection is lost"
            error.isConnectionLost = true
            close()
            throw error
        }
        guard var error = failure else { return }
        if exchange.wasCancelled, error.sqlState == .queryCanceled {
            error.code = .cancelled
            error.reason = "the task was cancelled"
        }
        throw error
    }

    /// The failure of a call that only puts a command into libpq's buffer.
    func sendFailure() -> PostgresError {
        guard !isOpen else {
            return PostgresError(.usage, "the command could not be sent", serverMessage: errorMessage)
        }
        var error = notices.fatal ?? Session.closedError()
        error.serverMessage = error.serverMessage ?? errorMessage
        error.isConnectionLost = true
        close()
        return error
    }
}
