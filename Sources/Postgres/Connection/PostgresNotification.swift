import CLibPQ

/// A message sent by `NOTIFY`. It is only a hint to look, because it is lost while no session listens.
public struct PostgresNotification: Sendable, Hashable {
    /// The channel.
    public let channel: String
    /// The payload, at most 8000 bytes; empty when none was given.
    public let payload: String
    /// The id of the sender's server process.
    public let processID: Int32
}

extension PostgresConnection {
    /// Starts to listen on a channel.
    ///
    /// ```swift
    /// try await connection.listen("tenure_feed")
    /// while true { handle(try await connection.nextNotification()) }
    /// ```
    ///
    /// A pool closes a listening connection when it is given back.
    ///
    /// - Throws: ``PostgresError/Code/usage`` for a name of more than 63 bytes, which the server would cut, and
    ///   ``PostgresError`` as the type describes.
    public mutating func listen(_ channel: String) async throws(PostgresError) {
        guard (1...63).contains(channel.utf8.count) else {
            throw PostgresError(.usage, "a channel name has 1 to 63 bytes")
        }
        session.isListening = true
        try await session.command("LISTEN \(SQL.quoted(channel))")
    }

    /// Waits for the next notification without a time limit. Cancellation leaves the connection usable.
    ///
    /// - Throws: ``PostgresError/Code/cancelled`` or ``PostgresError/Code/connection``.
    public mutating func nextNotification() async throws(PostgresError) -> PostgresNotification {
        while true {
            if let notification = try await session.nextNotification(until: nil) { return notification }
        }
    }

    /// Waits for the next notification and returns `nil` after `timeout`. Cancellation leaves the connection usable.
    ///
    /// - Throws: ``PostgresError/Code/cancelled`` or ``PostgresError/Code/connection``.
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
            // Notifications read before the loss of the connection were returned above.
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
