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

extension Session {
    /// Runs one statement with binary parameters and results. Prepares it if the cache may hold statements.
    func run(_ sql: SQL) async throws(PostgresError) -> QueryResult? {
        var last: QueryResult?
        try await stream(sql, isSingleRow: false) { (result: QueryResult) in last = result }
        return last
    }

    /// Runs a statement and passes on each result as it arrives. Prepares a stale prepared statement again, once.
    func stream(
        _ sql: SQL, isSingleRow: Bool, stop: StopRequest? = nil, _ body: (QueryResult) -> Void
    ) async throws(PostgresError) {
        try sql.parameters.check()
        let key = StatementCache.Key(sql)
        do { try await attempt(sql, key, isSingleRow, stop, body) } catch {
            guard error.isStaleStatement, isOpen, transactionStatus == PQTRANS_IDLE else { throw error }
            try await attempt(sql, key, isSingleRow, stop, body)
        }
    }

    private func attempt(
        _ sql: SQL, _ key: StatementCache.Key, _ isSingleRow: Bool, _ stop: StopRequest?,
        _ body: (QueryResult) -> Void
    ) async throws(PostgresError) {
        var exchange = try beginExchange()
        let cached = cache.name(for: key)
        var name = cached
        if name == nil { name = try await prepare(sql, key) }
        guard send(sql, name: name) else { throw sendFailure() }
        if isSingleRow { unsafe PQsetSingleRowMode(pointer) }
        do { try await receive(&exchange, stop, body) } catch {
            var error = error
            if cached != nil, error.sqlState == .invalidStatementName || error.sqlState == .featureNotSupported {
                error.isStaleStatement = true
                try await forget(key)
            }
            throw error
        }
    }

    private func receive(
        _ exchange: inout Exchange, _ stop: StopRequest? = nil, _ body: (QueryResult) -> Void
    ) async throws(PostgresError) {
        try await flush(&exchange)
        var failure: PostgresError?
        while let result = try await nextResult(&exchange) {
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                body(result)
                if stop?.isRequested ?? false, !exchange.wasCancelled { try await requestCancel(&exchange) }
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                failure = PostgresError(.usage, "COPY needs copyIn or copyOut")
                try await refuseCopy(result.status, &exchange)
            default: failure = failure ?? result.failure()
            }
        }
        try conclude(exchange, failure)
    }

    /// Puts one execution into libpq's buffer: of the statement prepared under `name`, or parsed for this execution.
    func send(_ sql: SQL, name: String?) -> Bool {
        let count = Int32(sql.parameters.types.count)
        return unsafe sql.parameters.withPointers { types, values, lengths, formats in
            if let name {
                unsafe PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1) == 1
            } else {
                unsafe PQsendQueryParams(pointer, sql.text, count, types, values, lengths, formats, 1) == 1
            }
        }
    }

    /// Puts a PREPARE into libpq's buffer.
    func sendPrepare(_ sql: SQL, name: String) -> Bool {
        let types = sql.parameters.types.map(\.rawValue)
        return unsafe PQsendPrepare(pointer, name, sql.text, Int32(types.count), types) == 1
    }

    /// Prepares a statement. Returns `nil` if it must run unprepared. Throws the server's error about the text.
    private func prepare(_ sql: SQL, _ key: StatementCache.Key) async throws(PostgresError) -> String? {
        _ = try sql.checkedText()
        // A failed transaction accepts neither DEALLOCATE nor PREPARE, but the statement may be its ROLLBACK.
        guard cache.capacity > 0, transactionStatus != PQTRANS_INERROR else { return nil }
        if cache.isFull, let old = cache.evict() { try await deallocate(old) }
        var exchange = try beginExchange()
        let name = cache.makeName()
        guard sendPrepare(sql, name: name) else { throw sendFailure() }
        try await receive(&exchange) { _ in }
        cache.insert(key, name: name)
        return name
    }

    /// Forgets a prepared statement that the server called stale.
    ///
    /// In a failed transaction the server cannot drop its half. That costs a little memory but never causes a wrong
    /// answer, because names are used once.
    func forget(_ key: StatementCache.Key) async throws(PostgresError) {
        guard let name = cache.remove(key), isOpen, transactionStatus != PQTRANS_INERROR else { return }
        do { try await deallocate(name) } catch { if error.isConnectionLost { throw error } }
    }

    private func deallocate(_ name: String) async throws(PostgresError) { try await command("DEALLOCATE \(name)") }

    /// Ends an unexpected COPY: drops its data, or tells the server that none will come.
    func refuseCopy(_ status: ExecStatusType, _ exchange: inout Exchange) async throws(PostgresError) {
        if status == PGRES_COPY_IN {
            let ended = unsafe PQputCopyEnd(pointer, "this call does not send COPY data")
            // Without this libpq would report the same COPY again and again.
            if ended != 1 { exchange.isLost = true }
            try await flush(&exchange)
        } else {
            while try await nextCopyData(&exchange) != nil {}
        }
    }

    /// Runs fixed text or a script of several statements over the simple protocol, and returns the last command tag.
    @discardableResult
    func command(_ text: String, isCancellable: Bool = true) async throws(PostgresError) -> String {
        guard !text.utf8.contains(0) else { throw PostgresError(.usage, "the statement contains NUL") }
        var exchange = try beginExchange(isCancellable: isCancellable)
        guard unsafe PQsendQuery(pointer, text) == 1 else { throw sendFailure() }
        var tag = ""
        try await receive(&exchange) { (result: QueryResult) in tag = result.commandTag }
        return tag
    }
}

extension Session {
    /// The statement that an answer of a pipeline belongs to.
    private enum Step {
        case prepare(StatementCache.Key, name: String, index: Int)
        case execute(StatementCache.Key, isCached: Bool, index: Int)

        var index: Int {
            switch self {
            case .prepare(_, _, let index), .execute(_, _, let index): index
            }
        }
    }

    /// How many bytes of parameters may wait in libpq's buffer before they are sent.
    private static let mostUnsentBytes = 65_536

    /// Sends all statements, then reads all answers, in one round trip. Outside a transaction they form one.
    func pipeline(
        _ statements: [SQL], isCancellable: Bool = true
    ) async throws(PostgresError) -> [[PostgresRow]] {
        for sql in statements { try sql.parameters.check() }
        let keys = statements.map { StatementCache.Key($0) }
        // The text of a prepared statement was checked when it was prepared.
        for (sql, key) in zip(statements, keys) where !cache.contains(key) { _ = try sql.checkedText() }
        var exchange = try beginExchange(isCancellable: isCancellable)
        guard unsafe PQenterPipelineMode(pointer) == 1 else { throw sendFailure() }
        let steps = try await enqueue(statements, keys, &exchange)
        try await flush(&exchange)
        var rows = [[PostgresRow]](repeating: [], count: statements.count)
        let failure = try await collect(steps, &rows, &exchange)
        if !exchange.isLost, unsafe PQexitPipelineMode(pointer) != 1 { exchange.isLost = true }
        try conclude(exchange, failure)
        return rows
    }

    private func enqueue(
        _ statements: [SQL], _ keys: [StatementCache.Key], _ exchange: inout Exchange
    ) async throws(PostgresError) -> [Step] {
        var steps: [Step] = []
        var preparing: [StatementCache.Key: String] = [:]
        var unsent = 0
        for (index, sql) in statements.enumerated() {
            let key = keys[index]
            var name = cache.name(for: key)
            let isCached = name != nil
            if name == nil { name = preparing[key] }
            // A pipeline never evicts: when the cache is full, new statements run unprepared.
            if name == nil, cache.count + preparing.count < cache.capacity, transactionStatus != PQTRANS_INERROR {
                let new = cache.makeName()
                guard sendPrepare(sql, name: new) else { throw abandonPipeline() }
                steps.append(.prepare(key, name: new, index: index))
                preparing[key] = new
                name = new
            }
            guard send(sql, name: name) else { throw abandonPipeline() }
            steps.append(.execute(key, isCached: isCached, index: index))
            // All statements are sent with one system call, which also wakes the server once. What does not fit the
            // socket stays in libpq's buffer, and this bounds it to little more than the largest statement.
            unsent += sql.parameters.bytes.count
            guard unsent > Self.mostUnsentBytes else { continue }
            unsent = 0
            try await flush(&exchange)
        }
        guard unsafe PQpipelineSync(pointer) == 1 else { throw abandonPipeline() }
        return steps
    }

    /// Closes the connection, because no answer to half a pipeline can be awaited.
    private func abandonPipeline() -> PostgresError {
        var error = sendFailure()
        error.isConnectionLost = true
        close()
        return error
    }

    private func collect(
        _ steps: [Step], _ rows: inout [[PostgresRow]], _ exchange: inout Exchange
    ) async throws(PostgresError) -> PostgresError? {
        var failure: PostgresError?
        var current = 0
        while true {
            guard let result = try await nextResult(&exchange) else {
                // A nil separates two statements.
                if exchange.isLost { return failure }
                current += 1
                continue
            }
            let step = current < steps.count ? steps[current] : nil
            switch (result.status, step) {
            case (PGRES_PIPELINE_SYNC, _): return failure
            case (PGRES_COMMAND_OK, .prepare(let key, let name, _)?):
                if !cache.isFull { cache.insert(key, name: name) }
            case (PGRES_TUPLES_OK, .execute(_, _, let index)?), (PGRES_SINGLE_TUPLE, .execute(_, _, let index)?):
                // After `forEachRow` libpq returns the first statement's rows one by one, and then an empty result.
                rows[index] += result.rows
            case (PGRES_COMMAND_OK, _), (PGRES_EMPTY_QUERY, _), (PGRES_PIPELINE_ABORTED, _): break
            case (PGRES_COPY_IN, _), (PGRES_COPY_OUT, _), (PGRES_COPY_BOTH, _):
                // libpq cannot leave a COPY inside a pipeline (manual §34.5.1.1): the connection is given up.
                close()
                var error = PostgresError(.usage, "COPY in a pipeline; the connection was closed")
                error.isConnectionLost = true
                error.statementIndex = step?.index
                throw error
            default:
                guard failure == nil else { break }
                failure = self.failure(of: result, step)
            }
        }
    }

    private func failure(of result: QueryResult, _ step: Step?) -> PostgresError {
        var failure = result.failure()
        failure.statementIndex = step?.index
        if case .execute(let key, true, _)? = step,
            failure.sqlState == .invalidStatementName || failure.sqlState == .featureNotSupported
        {
            failure.isStaleStatement = true
            cache.remove(key)
        }
        return failure
    }
}

extension Session {
    /// Single-row mode: see ``PostgresConnection/forEachRow(_:_:)``.
    func forEachRow(_ sql: SQL, _ body: (PostgresRow) throws -> Void) async throws {
        var failure: (any Error)?
        let stop = StopRequest()
        do throws(PostgresError) {
            try await stream(sql, isSingleRow: true, stop: stop) { (result: QueryResult) in
                guard failure == nil else { return }
                do { for row in result.rows { try body(row) } } catch {
                    failure = error
                    stop.isRequested = true
                }
            }
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
    }

    /// Set by a body that wants no more rows.
    final class StopRequest { var isRequested = false }
}
