/// What the pool's lock guards: the decisions, and the connections they are about.
struct PoolState {
    var machine: PostgresPool.Machine
    /// The connections that are idle or handed over but not yet taken.
    var connections: [PostgresPool.Slot: PooledConnection] = [:]
    /// Which waiter was handed which slot.
    var handed: [Reactor.Ticket: PostgresPool.Slot] = [:]
    /// Why the last attempt to connect failed, until one succeeds.
    var lastFailure: PostgresError?
    /// Whether `run()` is running.
    var isRunning = false

    init(machine: PostgresPool.Machine) { self.machine = machine }
}

/// What `run()` is asked to do.
enum PoolCommand: Sendable {
    case open(PostgresPool.Slot)
    /// Look whether everything is back.
    case checkDrained
}

/// A connection at rest in the pool: a class, because a dictionary cannot hold what cannot be copied.
final class PooledConnection: @unchecked Sendable {
    // Proof of @unchecked: whoever removes it from `PoolState.connections`, under the pool's lock, is the only one that
    // takes; nobody else reads `connection`.
    private var connection: PostgresConnection?
    /// When the connection is too old to be kept.
    let expiry: Reactor.Instant
    /// When it was last known to answer.
    let lastUse = Reactor.Instant.now

    init(_ connection: consuming PostgresConnection, expiry: Reactor.Instant) {
        self.connection = consume connection
        self.expiry = expiry
    }

    /// The connection, once.
    func take() -> PostgresConnection? { connection.take() }
}

/// A connection on loan.
struct Lease: ~Copyable {
    let slot: PostgresPool.Slot
    let expiry: Reactor.Instant
    var connection: PostgresConnection
}
