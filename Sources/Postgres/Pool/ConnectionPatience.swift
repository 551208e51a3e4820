/// The time that one call may wait for connections, over all of its waits together.
///
/// A call makes several statements, each on a connection of its own. While the database is away each would wait for the
/// pool's whole acquire timeout. Bound to a task, the patience makes the waits share one limit:
///
/// ```swift
/// try await ConnectionPatience.$current.withValue(ConnectionPatience(.seconds(5))) { try await answer(request) }
/// ```
///
/// A connection that is free is lent whatever is left. A pool's own acquire timeout holds too.
public final class ConnectionPatience: Sendable {
    /// The patience of the current task; `nil` if only the pool's limit holds.
    @TaskLocal public static var current: ConnectionPatience?

    private let rest: Lock<Duration>

    /// A patience of this length, not used yet.
    public init(_ length: Duration) { rest = Lock(max(.zero, length)) }

    /// What is left.
    public var left: Duration { rest.withLock { $0 } }

    /// Gives a new length, because what is asked now is worth a longer wait.
    public func grant(_ length: Duration) { rest.withLock { $0 = max($0, length) } }

    func spend(_ wait: Duration) { rest.withLock { $0 = max(.zero, $0 - wait) } }
}
