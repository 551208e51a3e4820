/// A look at the pool, for health checks and metrics.
public struct PostgresPoolHealth: Sendable, Hashable {
    /// Whether `run()` is running and the pool lends.
    public let isRunning: Bool
    /// Connections that are open and free.
    public let idle: Int
    /// Connections that are lent.
    public let lent: Int
    /// Connections being opened.
    public let opening: Int
    /// Callers waiting for a connection.
    public let waiting: Int
    /// How many attempts to connect have failed since the last one that succeeded.
    public let consecutiveFailures: Int

    /// Whether the pool lends and the server could be reached the last time it was tried.
    public var isHealthy: Bool { isRunning && consecutiveFailures == 0 }
}
