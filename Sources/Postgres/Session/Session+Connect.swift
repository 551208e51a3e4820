import CLibPQ
import Glibc
import Logging

extension Session {
    /// Opens a session within the configuration's time.
    ///
    /// Every step runs on a helper thread: libpq resolves names, reads files and computes SCRAM in these calls, and
    /// blocks while it does. A step that outlives the deadline keeps the session alive until it returns; the session
    /// is then closed by that thread.
    static func connect(
        _ configuration: PostgresConfiguration, logger: Logger
    ) async throws(PostgresError) -> Session {
        guard let reactor = Reactor.shared else {
            throw PostgresError(.connection, "the system gave no epoll, eventfd or thread")
        }
        let deadline = Reactor.Instant.now + configuration.connectTimeout
        let begun = try await begin(configuration, reactor, deadline, logger)
        let session = begun.session
        var polling = begun.polling
        while polling != PGRES_POLLING_OK {
            guard polling != PGRES_POLLING_FAILED else { throw session.connectFailure() }
            // The socket may be another one after each step: ask every time.
            let readiness: Reactor.Readiness = polling == PGRES_POLLING_READING ? .read : .write
            let outcome = await reactor.wait(for: readiness, of: session.socket, until: deadline, cancellable: true)
            try check(outcome)
            polling = try await onHelperThread(reactor, deadline) { session.connectPoll() }
        }
        guard session.makeNonBlocking() else { throw session.connectFailure() }
        return session
    }

    /// A connection on its way, and what it waits for.
    struct Begun: Sendable {
        let session: Session
        let polling: PostgresPollingStatusType
    }

    /// Begins to connect. Where that takes no time, as with a Unix socket, the first message is sent as well: the server
    /// gives who connects a minute for what it has to say, and a busy process may come back to it later than that.
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

    /// Goes on at once where the socket takes something already; otherwise waits until it does.
    private func firstPoll() -> PostgresPollingStatusType {
        guard !hasFailed else { return PGRES_POLLING_FAILED }
        var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&descriptor, 1, 0) > 0 else { return PGRES_POLLING_WRITING }
        return connectPoll()
    }

    private var hasFailed: Bool { unsafe PQstatus(pointer) == CONNECTION_BAD }
    private func connectPoll() -> PostgresPollingStatusType { unsafe PQconnectPoll(pointer) }
    private func makeNonBlocking() -> Bool { unsafe PQsetnonblocking(pointer, 1) == 0 }

    /// libpq 15 reports no SQLSTATE for a refused connection, only text.
    private func connectFailure() -> PostgresError {
        var error = PostgresError(.connection, "the connection could not be opened", serverMessage: errorMessage)
        error.isConnectionLost = true
        return error
    }

    private static func check(_ outcome: Reactor.Outcome) throws(PostgresError) {
        switch outcome {
        case .ready: return
        case .cancelled: throw PostgresError(.cancelled, "the task was cancelled while connecting")
        case .timedOut: throw PostgresError(.timeout, "the connection was not open in time")
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
            throw PostgresError(.connection, "the system gave no thread")
        }
        return value
    }
}

/// Lends a null-terminated list of C strings.
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
