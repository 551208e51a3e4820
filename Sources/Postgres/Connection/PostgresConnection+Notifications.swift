import CLibPQ

extension PostgresConnection {
    /// Starts to listen on a channel. A listening connection does not go back into a pool.
    ///
    /// Throws `.usage` for a name of more than 63 bytes, which the server would cut.
    public mutating func listen(_ channel: String) async throws(PostgresError) {
        guard (1...63).contains(channel.utf8.count) else {
            throw PostgresError(.usage, "a channel name has 1 to 63 bytes")
        }
        session.isListening = true
        try await session.command("LISTEN \(SQL.quoted(channel))")
    }

    /// Waits for the next notification, as long as it takes.
    public mutating func nextNotification() async throws(PostgresError) -> PostgresNotification {
        while true {
            if let notification = try await session.nextNotification(until: nil) { return notification }
        }
    }

    /// Waits for the next notification; nil after `timeout`. Cancellation leaves the connection usable.
    public mutating func nextNotification(timeout: Duration) async throws(PostgresError) -> PostgresNotification? {
        try await session.nextNotification(until: .now + timeout)
    }
}

extension Session {
    fileprivate func nextNotification(until deadline: Reactor.Instant?) async throws(PostgresError)
        -> PostgresNotification?
    {
        var exchange = try beginExchange()
        while true {
            if let notification = unsafe PQnotifies(pointer) {
                defer { unsafe PQfreemem(notification) }
                return unsafe PostgresNotification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra), processID: notification.pointee.be_pid)
            }
            // What was read before the loss has been handed out above.
            try conclude(exchange, nil)
            switch await reactor.wait(for: .read, of: socket, until: deadline, cancellable: true) {
            case .ready: if unsafe PQconsumeInput(pointer) == 0 { exchange.isLost = true }
            case .timedOut: return nil
            case .cancelled: throw PostgresError(.cancelled, "the task was cancelled")
            case .failed: exchange.isLost = true
            }
        }
    }
}
