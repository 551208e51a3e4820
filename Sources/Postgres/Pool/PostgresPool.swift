public import Logging
public import ServiceLifecycle

/// A bounded set of connections, lent one caller at a time in the order of arrival.
///
/// ``run()`` opens the connections and must be running; callers that come earlier wait for it. A connection goes back to
/// the pool when the body ends and is closed instead when it is lost, is still in a transaction, listens, or has reached
/// its age. Session state set by the body (`SET`, session advisory locks, temporary tables) is not undone: do not set any.
public final class PostgresPool: Service {
    typealias Machine = PoolStateMachine<Reactor.Ticket>
    typealias Slot = Machine.Slot

    let configuration: PostgresConfiguration
    let acquireTimeout: Duration
    let logger: Logger
    let state: Lock<PoolState>
    let commands: AsyncStream<PoolCommand>
    let commander: AsyncStream<PoolCommand>.Continuation

    /// A pool of at most `maximumConnections`; none is open before somebody asks.
    ///
    /// A caller that waits longer than `acquireTimeout` gets `.poolExhausted`, as does one that finds 4096 waiting.
    public init(
        configuration: PostgresConfiguration, maximumConnections: Int, acquireTimeout: Duration = .seconds(10),
        logger: Logger
    ) {
        self.configuration = configuration
        self.acquireTimeout = acquireTimeout
        self.logger = logger
        state = Lock(PoolState(machine: Machine(capacity: maximumConnections, maximumWaiting: 4096)))
        (commands, commander) = AsyncStream.makeStream()
    }

    /// The pool's numbers at this moment.
    public var health: PostgresPoolHealth {
        state.withLock { state in
            PostgresPoolHealth(
                isRunning: state.isRunning && !state.machine.isStopped, idle: state.machine.idle.count,
                lent: state.machine.lent.count, opening: state.machine.opening.count,
                waiting: state.machine.waitingCount, consecutiveFailures: state.machine.failures)
        }
    }

    /// Lends a connection to `body`.
    ///
    /// Throws `.poolExhausted` when none is free in time, `.connection` when the server refused the last attempt to
    /// connect, `.cancelled`, and whatever `body` throws.
    @discardableResult
    public func withConnection<Result>(
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        var lease = try await acquire()
        do {
            let result = try await body(&lease.connection)
            giveBack(lease)
            return result
        } catch {
            giveBack(lease)
            throw error
        }
    }

    /// Runs `body` in a transaction on a lent connection, and again, at most `retries` times, when it fails with 40001
    /// or 40P01; between two attempts it waits a random time that grows.
    ///
    /// The body may run several times: it must have no effect outside the transaction. It must let the database's errors
    /// pass; an error it wraps is not retried.
    @discardableResult
    public func withTransaction<Result>(
        _ mode: TransactionMode = .readCommitted, retries: Int = 5,
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(mode, retries: retries, opening: []) { connection, _ in try await body(&connection) }
    }

    /// The same with statements that are sent together with BEGIN, in one round trip; `body` gets the rows of each.
    @discardableResult
    public func withTransaction<Result>(
        _ mode: TransactionMode = .readCommitted, retries: Int = 5, opening statements: [SQL],
        _ body: (inout PostgresConnection, [[PostgresRow]]) async throws -> Result
    ) async throws -> Result {
        var attempt = 0
        while true {
            do {
                return try await withConnection { connection in
                    try await connection.withTransaction(mode, opening: statements, body)
                }
            } catch let error as PostgresError where error.isRetryable && attempt < retries {
                attempt += 1
                let ceiling = min(Duration.milliseconds(5) * (1 << min(attempt, 10)), .milliseconds(500))
                do { try await Task.sleep(for: ceiling * Double.random(in: 0.2...1)) } catch {
                    throw PostgresError(.cancelled, "the task was cancelled between two attempts")
                }
            }
        }
    }
}

/// Runs a pool beside `body` and stops it afterwards: for tests and command-line tools.
@discardableResult
public func withPostgresPool<Result>(
    configuration: PostgresConfiguration, maximumConnections: Int = 4, acquireTimeout: Duration = .seconds(10),
    logger: Logger, _ body: (PostgresPool) async throws -> Result
) async throws -> Result {
    let pool = PostgresPool(
        configuration: configuration, maximumConnections: maximumConnections, acquireTimeout: acquireTimeout,
        logger: logger)
    // Leaving the scope cancels `run()` and waits for it.
    async let _: Void = pool.run()
    return try await body(pool)
}
