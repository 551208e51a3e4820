import CLibPQ
import Glibc
import Logging

/// Owns one `PGconn` and its state. The pointer is known only in this file.
@safe
final class Session: @unchecked Sendable {
    // Proof of @unchecked: libpq allows any thread, one at a time (manual §34.20). A session is reached in three ways
    // only: through the `PostgresConnection` that owns it, which cannot be copied and whose commands are `mutating`;
    // through what such a command lends; and, while it connects, by the one helper thread that it waits for.
    private(set) var pointer: OpaquePointer?
    let reactor: Reactor
    let logger: Logger
    let notices: NoticeReceiver
    var cache: StatementCache
    /// How long one wait for the server may take, or `nil` for no limit.
    private let configuredAnswerTimeout: Duration?
    /// A shorter limit for a single command.
    var answerTimeoutOverride: Duration?
    var answerTimeout: Duration? { answerTimeoutOverride ?? configuredAnswerTimeout }
    private let newestServer: NewestServer?
    /// The server, once it was admitted.
    var server: ServerIdentity?
    /// Whether a newer timeline was seen since the server was admitted.
    var isSuperseded: Bool {
        guard let newestServer, let server else { return false }
        return !newestServer.isCurrent(server)
    }
    /// Whether LISTEN was used: such a session must not go back to a pool.
    var isListening = false
    /// Whether `withTransaction` is running.
    var isInsideTransaction = false
    /// Whether that transaction has already been committed, so that nothing may follow in it.
    var hasCommitted = false

    init(pointer: OpaquePointer, reactor: Reactor, configuration: PostgresConfiguration, logger: Logger) {
        unsafe self.pointer = unsafe pointer
        self.reactor = reactor
        self.logger = logger
        notices = NoticeReceiver(logger: logger)
        cache = StatementCache(capacity: configuration.statementCacheCapacity)
        configuredAnswerTimeout = configuration.statementTimeout.map { $0 + configuration.responseGrace }
        newestServer = configuration.newestServer
        unsafe notices.install(on: pointer)
    }

    deinit { close() }

    /// Ends the session without waiting: the socket is non-blocking by now.
    func close() {
        guard let pointer = unsafe pointer else { return }
        unsafe self.pointer = nil
        unsafe PQfinish(pointer)
    }

    var isOpen: Bool { unsafe pointer != nil && PQstatus(pointer) == CONNECTION_OK }
    var socket: Int32 { unsafe PQsocket(pointer) }
    var processID: Int32 { unsafe PQbackendPID(pointer) }
    var transactionStatus: PGTransactionStatusType { unsafe PQtransactionStatus(pointer) }
    var isEncrypted: Bool { unsafe PQsslInUse(pointer) == 1 }

    /// libpq's message about the connection. It may name hosts and users, so only debug descriptions show it.
    var errorMessage: String {
        unsafe PQerrorMessage(pointer).map { unsafe String(cString: $0) } ?? ""
    }

    /// Whether the server has neither closed its end nor announced it, and no newer one was seen. One system call, no
    /// round trip.
    func isAlive() -> Bool {
        guard isOpen, !isSuperseded else { return false }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN | 0x2000 /* POLLRDHUP */), revents: 0)
        guard unsafe poll(&descriptor, 1, 0) > 0 else { return true }
        guard Int32(descriptor.revents) & ~POLLIN == 0 else { return false }
        // The server sent something while the connection was idle: a notice, or the announcement that it ends the
        // session, which comes just before it closes its end.
        guard unsafe PQconsumeInput(pointer) == 1 else { return false }
        _ = unsafe PQisBusy(pointer)
        return isOpen && notices.fatal == nil
    }

    /// Whether a pool may lend this session again.
    var isReusable: Bool { isOpen && !isListening && transactionStatus == PQTRANS_IDLE }

    static func supersededError() -> PostgresError {
        var error = PostgresError(.serverBehind, "a newer primary was seen; the connection to the old one was closed")
        error.isConnectionLost = true
        return error
    }

    static func closedError() -> PostgresError {
        var error = PostgresError(.connection, "the connection is closed")
        error.isConnectionLost = true
        return error
    }
}

/// The state of one command while its answer is awaited.
struct Exchange {
    /// The effect of the task's cancellation on the command.
    enum Cancellation {
        /// The server is asked to stop, and the answer is awaited.
        case allowed
        /// Cancellation is ignored: COMMIT and ROLLBACK must finish.
        case ignored
        /// The server was asked to stop. The connection is closed after `until`.
        case requested(until: Reactor.Instant, attempt: Int)
    }

    var cancellation: Cancellation
    /// Whether the connection is lost. What libpq has already read may still be consumed.
    var isLost = false

    init(isCancellable: Bool = true) { cancellation = isCancellable ? .allowed : .ignored }

    var wasCancelled: Bool { if case .requested = cancellation { true } else { false } }

    /// How long the server may take to answer a cancel request before the connection is closed.
    static let cancelGrace: Duration = .seconds(5)
    /// How long to wait before a cancel request is repeated: one that arrives before its statement has no effect.
    static func pause(afterAttempt attempt: Int) -> Duration { .milliseconds(20 << min(attempt, 5)) }
}

extension Session {
    /// Begins a command. Refuses a closed connection and a cancelled task.
    func beginExchange(isCancellable: Bool = true) throws(PostgresError) -> Exchange {
        guard isOpen else {
            close()
            throw Session.closedError()
        }
        guard !isSuperseded else {
            close()
            throw Session.supersededError()
        }
        guard !hasCommitted else { throw PostgresError(.usage, "the transaction has been committed") }
        if isCancellable, Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled") }
        return Exchange(isCancellable: isCancellable)
    }

    /// Sends what libpq has buffered. It reads meanwhile, so that a full pipeline does not deadlock.
    func flush(_ exchange: inout Exchange) async throws(PostgresError) {
        while !exchange.isLost {
            switch unsafe PQflush(pointer) {
            case 0: return
            case 1: try await progress(.readOrWrite, &exchange)
            default: exchange.isLost = true
            }
        }
    }

    /// Returns the next result, or `nil` at the end of a statement.
    func nextResult(_ exchange: inout Exchange) async throws(PostgresError) -> QueryResult? {
        while !exchange.isLost, unsafe PQisBusy(pointer) == 1 { try await progress(.read, &exchange) }
        // After a loss libpq still returns what it has read, such as the server's reason. That does not block, because
        // the socket is closed by then. If it is not closed, nothing more is read.
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

    /// Reads all remaining results and returns those that are not a COPY.
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

    /// Ends a command: turns its state into an error, and closes a lost connection.
    func conclude(_ exchange: Exchange, _ failure: PostgresError?) throws(PostgresError) {
        let isFatal = failure?.severity == .fatal || failure?.severity == .panic
        if exchange.isLost || isFatal || !isOpen {
            var error = failure ?? PostgresError(.connection, "the connection is lost", serverMessage: errorMessage)
            // The server's earlier reason says more than libpq's own message.
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

    /// The error for a call that only puts a command into libpq's buffer.
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
