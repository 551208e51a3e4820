import CLibPQ
import Glibc
import Logging

extension Session {
    /// Opens a session.
    ///
    /// Every step runs on a helper thread, because libpq resolves names, reads files and computes SCRAM in these calls,
    /// and blocks meanwhile. A step that exceeds the deadline keeps the session alive until it returns; its thread then
    /// closes the session.
    static func connect(
        _ configuration: PostgresConfiguration, until deadline: Reactor.Instant, logger: Logger
    ) async throws(PostgresError) -> Session {
        guard let reactor = Reactor.shared else {
            throw PostgresError(.connection, "the system could not create an epoll, an eventfd or a thread")
        }
        let begun = try await begin(configuration, reactor, deadline, logger)
        let session = begun.session
        var polling = begun.polling
        while polling != PGRES_POLLING_OK {
            guard polling != PGRES_POLLING_FAILED else { throw session.connectFailure() }
            // Each step may use another socket, so ask for it every time.
            let readiness: Reactor.Readiness = polling == PGRES_POLLING_READING ? .read : .write
            let outcome = await reactor.wait(for: readiness, of: session.socket, until: deadline, cancellable: true)
            try check(outcome)
            polling = try await onHelperThread(reactor, deadline) { session.connectPoll() }
        }
        guard session.makeNonBlocking() else { throw session.connectFailure() }
        // The server tells it with every log-in, so the check costs nothing.
        if let encoding = session.databaseEncoding, encoding != "UTF8" {
            throw PostgresError(.databaseEncoding, "the database stores text as \(encoding) and not as UTF-8")
        }
        return session
    }

    /// A connection being opened, and what it waits for.
    struct Begun: Sendable {
        let session: Session
        let polling: PostgresPollingStatusType
    }

    /// Begins to connect. Where connecting takes no time, as with a Unix socket, it also sends the first message.
    ///
    /// The server waits a minute for that message, and a busy process might resume this task later than that.
    static func begin(
        _ configuration: PostgresConfiguration, _ reactor: Reactor, _ deadline: Reactor.Instant, _ logger: Logger
    ) async throws(PostgresError) -> Begun {
        let parameters = try configuration.connectParameters()
        let keywords = parameters.map(\.keyword), values = parameters.map(\.value)
        let begun: Begun? = try await onHelperThread(reactor, deadline) {
            let pointer = unsafe withCStrings(keywords) { keywords in
                unsafe withCStrings(values) { values in unsafe PQconnectStartParams(keywords, values, 0) }
            }
            return unsafe pointer.map {
                let session = unsafe Session(
                    pointer: $0, reactor: reactor, configuration: configuration, logger: logger)
                return Begun(session: session, polling: session.firstPoll())
            }
        }
        guard let begun else { throw PostgresError(.connection, "out of memory") }
        return begun
    }

    /// Continues at once if the socket already accepts data, and otherwise reports that it must be waited for.
    private func firstPoll() -> PostgresPollingStatusType {
        guard !hasFailed else { return PGRES_POLLING_FAILED }
        var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&descriptor, 1, 0) > 0 else { return PGRES_POLLING_WRITING }
        return connectPoll()
    }

    /// The encoding in which the database stores text; `nil` if a proxy does not tell it.
    private var databaseEncoding: String? {
        unsafe PQparameterStatus(pointer, "server_encoding").map { unsafe String(cString: $0) }
    }

    private var hasFailed: Bool { unsafe PQstatus(pointer) == CONNECTION_BAD }
    private func connectPoll() -> PostgresPollingStatusType { unsafe PQconnectPoll(pointer) }
    private func makeNonBlocking() -> Bool { unsafe PQsetnonblocking(pointer, 1) == 0 }

    /// The error for a refused connection. libpq 15 reports no SQLSTATE for it, only text.
    private func connectFailure() -> PostgresError {
        var error = PostgresError(.connection, "the connection could not be opened", serverMessage: errorMessage)
        error.isConnectionLost = true
        return error
    }

    private static func check(_ outcome: Reactor.Outcome) throws(PostgresError) {
        switch outcome {
        case .ready: return
        case .cancelled: throw PostgresError(.cancelled, "the task was cancelled while connecting")
        case .timedOut: throw PostgresError(.timeout, "the connection was not established in time")
        case .failed(let errno): throw PostgresError(.connection, "the socket could not be watched (errno \(errno))")
        }
    }

    private static func onHelperThread<Value: Sendable>(
        _ reactor: Reactor, _ deadline: Reactor.Instant, _ body: @escaping @Sendable () -> Value
    ) async throws(PostgresError) -> Value {
        let answer = Lock<Value?>(nil), ticket = reactor.issueTicket()
        let started = HelperThread.start {
            let value = body()
            answer.withLock { $0 = value }
            reactor.signal(ticket)
        }
        if !started { reactor.signal(ticket) }
        try check(await reactor.park(ticket, until: deadline, cancellable: true))
        guard let value = answer.withLock({ $0 }) else {
            throw PostgresError(.connection, "the system could not create a thread")
        }
        return value
    }
}

/// Passes a null-terminated list of C strings to `body`.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    let buffers = strings.map { Array($0.utf8CString) }
    let bytes = Array(buffers.joined())
    return unsafe bytes.withUnsafeBufferPointer { storage in
        var offset = 0
        var pointers: [UnsafePointer<CChar>?] = unsafe []
        for buffer in buffers {
            unsafe pointers.append(storage.baseAddress.map { unsafe $0 + offset })
            offset += buffer.count
        }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}

extension Session {
    /// Asks the server to stop the running command until the grace period ends, then closes the connection and throws.
    ///
    /// `PQcancel` blocks on a connection of its own, so it runs on a helper thread. That connection is not encrypted. A
    /// session under TLS is therefore closed instead. The server checks for lost clients every second
    /// (`client_connection_check_interval`) and stops the statement.
    func requestCancel(_ exchange: inout Exchange) async throws(PostgresError) {
        var until = Reactor.Instant.now + Exchange.cancelGrace
        var attempt = 0
        if case .requested(let end, let count) = exchange.cancellation { (until, attempt) = (end, count) }
        exchange.cancellation = .requested(until: until, attempt: attempt + 1)
        guard !isEncrypted, Reactor.Instant.now < until, await sendCancelRequest(until: until) else {
            close()
            var error = PostgresError(.cancelled, "the task was cancelled; the connection was closed")
            error.isConnectionLost = true
            throw error
        }
    }

    /// Sends one cancel request. Returns `false` if it may still be under way at `until`: it could then hit a later
    /// statement.
    private func sendCancelRequest(until: Reactor.Instant) async -> Bool {
        guard let handle = unsafe PQgetCancel(pointer) else { return false }
        let request = unsafe CancelRequest(handle), reactor = reactor
        let ticket = reactor.issueTicket()
        let started = HelperThread.start {
            request.send()
            reactor.signal(ticket)
        }
        if !started { reactor.signal(ticket) }
        return await reactor.park(ticket, until: until, cancellable: false) == .ready && started
    }
}

/// Owns a `PGcancel`.
@safe
private final class CancelRequest: @unchecked Sendable {
    // Proof of @unchecked: only the helper thread calls `send`; PQcancel does not touch the PGconn.
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = unsafe handle }
    deinit { unsafe PQfreeCancel(handle) }

    /// Sends the request. A failed delivery is no error: the request is repeated, and finally the connection is closed.
    func send() {
        var message = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(handle, &message, Int32(message.count))
    }
}

/// Passes the server's notices to the logger. By default libpq prints them to standard error.
///
/// It also keeps the reason for which the server ended an idle session. libpq takes a FATAL that arrives between two
/// commands for a notice, and reports the loss at the next command without it.
final class NoticeReceiver: Sendable {
    private let logger: Logger
    private let reason = Lock<PostgresError?>(nil)

    /// The reason for which the server ended the session, if it said so between two commands.
    var fatal: PostgresError? { reason.withLock { $0 } }

    init(logger: Logger) { self.logger = logger }

    /// Installs the receiver, which must outlive the connection.
    func install(on connection: OpaquePointer) {
        _ = unsafe PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context = unsafe context, let result = unsafe result else { return }
                unsafe Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receive(_ notice: OpaquePointer) {
        if let failure = unsafe QueryResult.fatal(notice) { reason.withLock { $0 = failure } }
        let severity = unsafe QueryResult.field(CLIBPQ_DIAG_SEVERITY, of: notice) ?? "NOTICE"
        let level: Logger.Level = ["WARNING", "ERROR", "FATAL"].contains(severity) ? .warning : .debug
        // The message may quote data, so it is separate metadata that a log handler can drop.
        logger.log(
            level: level, "notice from the database",
            metadata: [
                "severity": "\(severity)",
                "sqlstate": "\(unsafe QueryResult.field(CLIBPQ_DIAG_SQLSTATE, of: notice) ?? "")",
                "notice": "\(unsafe QueryResult.field(CLIBPQ_DIAG_MESSAGE, of: notice) ?? "")",
            ])
    }
}
