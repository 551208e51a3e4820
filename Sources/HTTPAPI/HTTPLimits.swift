/// Bounds of one request and of one connection.
public struct HTTPLimits: Sendable {
    /// The largest body, in bytes.
    public var bodyBytes: Int
    /// How long a body may take to arrive.
    public var bodyTimeout: Duration
    /// How long a connection may be idle, or take to send a head.
    public var idleTimeout: Duration
    /// The largest sum of all header fields, in bytes.
    public var headerBytes: Int
    /// How many header fields there may be.
    public var headerFields: Int
    /// How many connections may be open; further ones wait in the backlog.
    public var connections: Int

    /// Describes bounds; the defaults are those of the documentation.
    public init(
        bodyBytes: Int = 65_536, bodyTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(60),
        headerBytes: Int = 16_384, headerFields: Int = 64, connections: Int = 4096
    ) {
        self.bodyBytes = bodyBytes
        self.bodyTimeout = bodyTimeout
        self.idleTimeout = idleTimeout
        self.headerBytes = headerBytes
        self.headerFields = headerFields
        self.connections = connections
    }
}

/// How many requests one address may send: a bucket of tokens that fills at a steady rate.
public struct RateLimit: Sendable {
    /// Requests per second that are always possible.
    public var perSecond: Double
    /// Requests at once after a pause.
    public var burst: Int
    /// How many addresses, or apps, are told apart; those beyond share one bucket.
    public var addresses: Int

    /// Describes a limit; an address is an IPv4 address or the first 64 bits of an IPv6 address.
    public init(perSecond: Double, burst: Int, addresses: Int = 16_384) {
        self.perSecond = perSecond
        self.burst = burst
        self.addresses = addresses
    }
}
