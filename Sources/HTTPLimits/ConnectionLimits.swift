/// The limits of connections: how many there are, how long they may do nothing, and how many bytes they leave unread.
package struct ConnectionLimits: Sendable {
    /// The maximum number of open connections. Further connections wait in the backlog.
    package var connections: Int
    /// The maximum number of open connections of one address, trusted proxies excepted. Further connections are closed
    /// at once.
    package var connectionsPerAddress: Int
    /// The time that a connection may be idle, or take to send a head.
    package var idleTimeout: Duration
    /// The time that a body may take to arrive.
    package var bodyTimeout: Duration
    /// The time that a connection or a stream with unsent bytes may take for its next 16 KB. Then it is closed.
    package var stallTimeout: Duration = .seconds(10)
    /// The maximum number of unsent bytes of one connection. A connection beyond it is closed.
    package var unsentPerConnection = 512 * 1_024
    /// The maximum number of unsent bytes of one address, trusted proxies excepted. Beyond it, the connection of the
    /// address that has made no progress for the longest time is closed.
    package var unsentPerAddress = 16 * 1_024 * 1_024
    /// The maximum number of unsent bytes in all. Beyond it, the connection that has made no progress for the longest
    /// time is closed.
    package var unsentInAll = 128 * 1_024 * 1_024
    /// The time after which a shutdown closes an HTTP/2 connection without a request, whether or not the client
    /// answers.
    package var drainDelay: Duration = .seconds(1)

    /// Describes limits. The defaults are the documented ones of the service.
    package init(
        connections: Int = 4_096, connectionsPerAddress: Int = 512, idleTimeout: Duration = .seconds(60),
        bodyTimeout: Duration = .seconds(10)
    ) {
        self.connections = connections
        self.connectionsPerAddress = connectionsPerAddress
        self.idleTimeout = idleTimeout
        self.bodyTimeout = bodyTimeout
    }

    /// The part of the stall timeout that a connection on which a stream has stalled gets no more.
    package var secondStall: Duration { max(.zero, stallTimeout - .seconds(2)) }

    /// Whether every limit is positive.
    package var isPositive: Bool {
        [connections, connectionsPerAddress, unsentPerConnection, unsentPerAddress, unsentInAll].allSatisfy { $0 > 0 }
            && [idleTimeout, bodyTimeout, stallTimeout, drainDelay].allSatisfy { $0 > .zero }
    }
}
