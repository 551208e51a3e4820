import CLibPQ

extension Session {
    /// Asks the server to stop the running command, as long as its grace lasts; then closes the connection and throws.
    ///
    /// `PQcancel` opens a connection of its own and blocks, so it runs on a helper thread. It is not encrypted: a
    /// connection under TLS is closed instead, and the server, which looks for lost clients every second
    /// (`client_connection_check_interval`), stops the statement.
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

    /// False when the request is not known to be over by `until`: it might still hit a later statement.
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

    /// A failure to deliver is not an error: the request is sent again, and then the connection is closed.
    func send() {
        var message = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(handle, &message, Int32(message.count))
    }
}
