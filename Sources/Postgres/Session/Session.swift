import CLibPQ
import Glibc
import Logging

/// Owns one `PGconn`: the only file-scope where the pointer is known, and the state that belongs to it.
@safe
final class Session: @unchecked Sendable {
    // Proof of @unchecked: libpq allows any thread, one at a time (manual §34.20). A session is reached only through the
    // `PostgresConnection` that owns it, which cannot be copied and whose commands are `mutating`, or through what such a
    // command lends; while it connects, only by the one helper thread it waits for.
    private(set) var pointer: OpaquePointer?
    let reactor: Reactor
    let logger: Logger
    let notices: NoticeReceiver
    var cache: StatementCache
    /// How long one wait for the server may take; nil waits for ever.
    private let configuredAnswerTimeout: Duration?
    /// A shorter time for one command.
    var answerTimeoutOverride: Duration?
    var answerTimeout: Duration? { answerTimeoutOverride ?? configuredAnswerTimeout }
    /// Whether LISTEN was used: such a session must not go back to a pool.
    var isListening = false
    /// Whether `withTransaction` is running.
    var isInsideTransaction = false
    /// Whether that transaction has ended already, so that nothing may follow in it.
    var hasCommitted = false

    init(pointer: OpaquePointer, reactor: Reactor, configuration: PostgresConfiguration, logger: Logger) {
        unsafe self.pointer = unsafe pointer
        self.reactor = reactor
        self.logger = logger
        notices = NoticeReceiver(logger: logger)
        cache = StatementCache(capacity: configuration.statementCacheCapacity)
        configuredAnswerTimeout = configuration.statementTimeout.map { $0 + configuration.responseGrace }
        unsafe notices.install(on: pointer)
    }

    deinit { close() }

    /// Ends the session. Does not wait: the socket is non-blocking by now.
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

    /// libpq's own text about the connection; it may name hosts and users, so it goes into debug descriptions only.
    var errorMessage: String {
        unsafe PQerrorMessage(pointer).map { unsafe String(cString: $0) } ?? ""
    }

    /// Whether the server has neither closed its end nor said that it will. One system call, no round trip.
    func isAlive() -> Bool {
        guard isOpen else { return false }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN | 0x2000 /* POLLRDHUP */), revents: 0)
        guard unsafe poll(&descriptor, 1, 0) > 0 else { return true }
        guard Int32(descriptor.revents) & ~POLLIN == 0 else { return false }
        // Something was said while the connection was idle, such as a notice, or that it ends: that is said a moment
        // before the server closes its end.
        guard unsafe PQconsumeInput(pointer) == 1 else { return false }
        _ = unsafe PQisBusy(pointer)
        return isOpen && notices.fatal == nil
    }

    /// Whether a pool may lend this session to somebody else.
    var isReusable: Bool { isOpen && !isListening && transactionStatus == PQTRANS_IDLE }

    static func closedError() -> PostgresError {
        var error = PostgresError(.connection, "the connection is closed")
        error.isConnectionLost = true
        return error
    }
}
