public import Logging
public import ServiceLifecycle

/// A bounded set of connections, lent in the order of arrival.
///
/// ```swift
/// let pool = PostgresPool(configuration: configuration, maximumConnections: 8, logger: logger)
/// // `run()` must be running, usually in a `ServiceGroup`.
/// let rows = try await pool.withConnection { connection in try await connection.query("SELECT 1") }
/// let count = try await pool.withTransaction { connection in
///     try await connection.execute("DELETE FROM flow WHERE expires_at < \(now)")
/// }
/// ```
///
/// ``run()`` opens the connections; callers that arrive earlier wait for it. A connection returns to the pool when the
/// body ends. It is closed instead if it is lost, is still in a transaction, listens, or is too old. The pool does not
/// undo session state set by the body (`SET`, session advisory locks, temporary tables), so do not set any.
public final class PostgresPool: Service {
    typealias Machine = PoolStateMachine<Reactor.Ticket>
    typealias Slot = Machine.Slot

    let configuration: PostgresConfiguration
    let acquireTimeout: Duration
    let logger: Logger
    let state: Lock<PoolState>
    let commands: AsyncStream<PoolCommand>
    let commander: AsyncStream<PoolCommand>.Continuation

    /// A pool of at most `maximumConnections`. It opens a connection only when a caller needs one.
    ///
    /// A caller that waits longer than `acquireTimeout` gets ``PostgresError/Code/poolExhausted``, as does one that
    /// finds 4096 callers waiting.
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

    /// The state of the pool at this moment.
    public var health: PostgresPoolHealth {
        state.withLock { state in
            PostgresPoolHealth(
                isRunning: state.isRunning && !state.machine.isStopped, idle: state.machine.idle.count,
                lent: state.machine.lent.count, opening: state.machine.opening.count,
                waiting: state.machine.waitingCount, consecutiveFailures: state.machine.failures,
                waits: state.waits, waited: state.waited, givenUp: state.givenUp)
        }
    }

    /// Lends a connection to `body`.
    ///
    /// - Throws: ``PostgresError/Code/poolExhausted`` if none is free in time, ``PostgresError/Code/connection`` if the
    ///   last attempt to connect failed, ``PostgresError/Code/cancelled``, and what `body` throws.
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

    /// Runs `body` in a transaction on a lent connection. After 40001 or 40P01 it retries, at most `retries` times,
    /// with growing random pauses.
    ///
    /// The body may run several times, so it must have no effect outside the transaction. It must not wrap the
    /// database's errors: a wrapped error is not retried.
    ///
    /// - Throws: As ``withConnection(_:)`` and ``PostgresConnection/withTransaction(_:_:)``.
    @discardableResult
    public func withTransaction<Result>(
        _ mode: TransactionMode = .readCommitted, retries: Int = 5,
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withTransaction(mode, retries: retries, opening: []) { connection, _ in try await body(&connection) }
    }

    /// Runs `body` in a transaction like ``withTransaction(_:retries:_:)``. The `opening` statements are sent together
    /// with BEGIN in one round trip, and `body` gets the rows of each.
    ///
    /// - Throws: As ``withTransaction(_:retries:_:)``.
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

/// Runs a pool during `body` and stops it afterwards. For tests and command-line tools.
///
/// ```swift
/// let count = try await withPostgresPool(configuration: configuration, logger: logger) { pool in
///     try await pool.withConnection { connection in try await connection.execute("ANALYZE") }
/// }
/// ```
///
/// - Throws: What `body` throws.
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

extension PostgresPool {
    /// The age from which a connection is not lent again, so that a moved server is found and memory does not grow.
    static let maximumAge: Duration = .seconds(3600)

    /// Opens connections as needed, until the task is cancelled or a graceful shutdown begins. Call it once.
    ///
    /// A graceful shutdown stops lending and waits for lent connections. Cancellation does not wait; a connection that
    /// is given back later is closed then. It throws nothing.
    public func run() async throws {
        state.withLock { $0.isRunning = true }
        await withTaskCancellationOrGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await command in commands {
                    switch command {
                    case .open(let slot): group.addTask { await self.open(slot) }
                    case .checkDrained: if state.withLock({ $0.machine.isDrained }) { commander.finish() }
                    }
                    // The stream of a cancelled task ends by itself.
                }
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            self.shutDown()
        }
        shutDown()
        state.withLock { $0.isRunning = false }
    }

    /// Refuses waiting callers and closes idle connections.
    func shutDown() {
        let (closing, refused) = state.withLock { state -> ([PooledConnection], [Reactor.Ticket]) in
            let (slots, waiters) = state.machine.stop()
            return (slots.compactMap { state.connections.removeValue(forKey: $0) }, waiters)
        }
        for ticket in refused { Reactor.shared?.signal(ticket) }
        // A connection closes when its last reference is released.
        _ = consume closing
        commander.yield(.checkDrained)
    }

    private func open(_ slot: Slot) async {
        while true {
            do throws(PostgresError) {
                let connection = try await PostgresConnection.connect(configuration, logger: logger)
                // Ages vary, so that connections opened together are not all replaced together.
                let expiry = Reactor.Instant.now + Self.maximumAge * Double.random(in: 0.8...1)
                return offer(PooledConnection(connection, expiry: expiry), slot)
            } catch {
                let failure = error
                let action = state.withLock { state in
                    state.lastFailure = failure
                    return state.machine.openFailed(slot)
                }
                guard case .backOff(let attempt) = action, failure.code != .cancelled else { return abandon(slot) }
                var metadata: Logger.Metadata = ["error": "\(failure)", "attempt": "\(attempt)"]
                if let cause = failure.cause { metadata["cause"] = "\(cause)" }
                logger.warning("the database cannot be reached", metadata: metadata)
                let pause = min(Duration.milliseconds(25) * (1 << min(attempt, 8)), .seconds(2))
                do { try await Task.sleep(for: pause * Double.random(in: 0.5...1)) } catch { return abandon(slot) }
                guard state.withLock({ $0.machine.retry(slot) }) else { return abandon(slot) }
            }
        }
    }

    private func offer(_ connection: PooledConnection, _ slot: Slot) {
        let action = state.withLock { state in
            state.lastFailure = nil
            state.connections[slot] = connection
            let action = state.machine.opened(slot)
            state.apply(action, slot)
            return action
        }
        carryOut(action)
    }

    /// Gives up opening a connection for this slot.
    private func abandon(_ slot: Slot) {
        let isDrained = state.withLock { state in
            state.machine.abandonOpening(slot)
            return state.machine.isDrained
        }
        if isDrained { commander.yield(.checkDrained) }
    }
}

/// A snapshot of the pool, for health checks and metrics.
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
    /// How many attempts to connect have failed since the last success.
    public let consecutiveFailures: Int
    /// How many callers have waited for a connection so far.
    public let waits: Int
    /// The time that they waited together.
    public let waited: Duration
    /// How many of them got none.
    public let givenUp: Int

    /// Whether the pool lends, and the last attempt to connect succeeded.
    public var isHealthy: Bool { isRunning && consecutiveFailures == 0 }
}

extension PostgresPool {
    /// The idle time after which a connection is pinged before it is lent.
    static let restBeforePing: Duration = .seconds(30)
    /// How long the answer to the ping may take.
    static let pingTimeout: Duration = .seconds(2)

    /// Returns a healthy connection within the acquire timeout and the task's ``ConnectionPatience``.
    func acquire() async throws(PostgresError) -> BorrowedConnection {
        guard let reactor = Reactor.shared else {
            throw PostgresError(.connection, "the system could not create an epoll, an eventfd or a thread")
        }
        let patience = ConnectionPatience.current, began = Reactor.Instant.now
        let deadline = began + min(acquireTimeout, patience?.left ?? acquireTimeout)
        defer { patience?.spend(Reactor.Instant.now - began) }
        while true {
            let slot = try await acquireSlot(reactor, deadline)
            guard let resting = state.withLock({ $0.connections.removeValue(forKey: slot) }),
                let connection = resting.take()
            else {
                perform(slot, isReusable: false)
                continue
            }
            var lease = BorrowedConnection(slot: slot, expiry: resting.expiry, connection: connection)
            if await isHealthy(&lease.connection, restingSince: resting.lastUse) { return lease }
            // Closed before the next try, so that the pool does not exceed the server's connection limit.
            lease.connection.close()
            perform(slot, isReusable: false)
        }
    }

    private func isHealthy(_ connection: inout PostgresConnection, restingSince: Reactor.Instant) async -> Bool {
        guard connection.session.isAlive() else { return false }
        guard Reactor.Instant.now - restingSince > Self.restBeforePing else { return true }
        return await connection.session.answers(within: Self.pingTimeout)
    }

    private func acquireSlot(_ reactor: Reactor, _ deadline: Reactor.Instant) async throws(PostgresError) -> Slot {
        if Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled") }
        let ticket = reactor.issueTicket()
        let action = state.withLock { $0.machine.acquire(ticket) }
        switch action {
        case .lend(let slot):
            reactor.retire(ticket)
            return slot
        case .refuse(let refusal):
            reactor.retire(ticket)
            throw PostgresError(
                .poolExhausted,
                refusal == .stopped ? "the pool has stopped" : "too many callers are waiting for a connection")
        case .wait(let opening):
            if let opening { commander.yield(.open(opening)) }
        }
        let began = Reactor.Instant.now
        let outcome = await reactor.park(ticket, until: deadline, cancellable: true)
        let (slot, failure) = state.withLock { state -> (Slot?, PostgresError?) in
            state.waits += 1
            state.waited += Reactor.Instant.now - began
            if let slot = state.handed.removeValue(forKey: ticket) { return (slot, nil) }
            _ = state.machine.abandon(ticket)
            state.givenUp += 1
            return (nil, state.lastFailure)
        }
        if let slot {
            // The connection was handed over in the moment of cancellation: pass it to the next waiter.
            guard outcome == .cancelled else { return slot }
            putBackUnused(slot)
        }
        throw Self.refusal(outcome, failure)
    }

    private static func refusal(_ outcome: Reactor.Outcome, _ failure: PostgresError?) -> PostgresError {
        switch outcome {
        case .cancelled: return PostgresError(.cancelled, "the task was cancelled while it waited for a connection")
        case .ready: return failure ?? PostgresError(.poolExhausted, "the pool has stopped")
        case .timedOut, .failed:
            return failure ?? PostgresError(.poolExhausted, "no connection was free in time")
        }
    }

    /// Takes a connection back after use.
    func giveBack(_ lease: consuming BorrowedConnection) {
        let slot = lease.slot, expiry = lease.expiry
        var connection = lease.connection
        guard connection.session.isReusable, Reactor.Instant.now < expiry else {
            connection.close()
            return perform(slot, isReusable: false)
        }
        let resting = PooledConnection(connection, expiry: expiry)
        state.withLock { $0.connections[slot] = resting }
        perform(slot, isReusable: true)
    }

    private func putBackUnused(_ slot: Slot) { perform(slot, isReusable: true) }

    /// Tells the state machine that a slot is free, and carries out its decision.
    private func perform(_ slot: Slot, isReusable: Bool) {
        let action = state.withLock { state in
            let action = state.machine.release(slot, isReusable: isReusable)
            state.apply(action, slot)
            return action
        }
        carryOut(action)
    }

    /// The part of a decision that happens outside the lock.
    func carryOut(_ action: Machine.OfferAction) {
        switch action {
        case .handTo(let ticket): Reactor.shared?.signal(ticket)
        case .keepIdle: break
        case .discard(let opening): if let opening { commander.yield(.open(opening)) }
        }
        if state.withLock({ $0.machine.isDrained }) { commander.yield(.checkDrained) }
    }
}

extension PoolState {
    /// The part of a decision that must happen under the lock.
    mutating func apply(_ action: PostgresPool.Machine.OfferAction, _ slot: PostgresPool.Slot) {
        switch action {
        case .handTo(let ticket): handed[ticket] = slot
        case .keepIdle: break
        case .discard: connections[slot] = nil
        }
    }
}

extension Session {
    /// Whether the server answers an empty statement in time. Closes the connection if it does not.
    fileprivate func answers(within timeout: Duration) async -> Bool {
        answerTimeoutOverride = timeout
        defer { answerTimeoutOverride = nil }
        do { try await command("") } catch { return false }
        return true
    }
}
