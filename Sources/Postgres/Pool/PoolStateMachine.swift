/// Decides which caller gets which connection, without touching connections, tasks or time.
///
/// Callers are served in the order of arrival. A slot is one place for a connection and is in exactly one of the sets.
struct PoolStateMachine<Waiter: Hashable> {
    struct Slot: Hashable, Sendable { let number: UInt64 }

    enum AcquireAction: Equatable {
        case lend(Slot)
        /// Wait. If a slot is given, open a connection for it.
        case wait(opening: Slot?)
        case refuse(Refusal)
    }
    enum Refusal: Equatable { case stopped, tooManyWaiting }
    enum OfferAction: Equatable {
        case handTo(Waiter)
        case keepIdle
        /// Close the connection. If a slot is given, open another one for it.
        case discard(opening: Slot?)
    }
    enum FailureAction: Equatable {
        /// The connection is no longer needed.
        case giveUp
        /// Wait a little, then ask ``retry(_:)``.
        case backOff(attempt: Int)
    }

    let capacity: Int
    let maximumWaiting: Int
    private(set) var idle: [Slot] = []
    private(set) var lent: Set<Slot> = []
    private(set) var opening: Set<Slot> = []
    private(set) var isStopped = false
    /// How many attempts to connect have failed since the last success.
    private(set) var failures = 0
    private var queue: [Waiter?] = []
    private var queueHead = 0
    private var places: [Waiter: Int] = [:]
    private var nextSlot: UInt64 = 1

    init(capacity: Int, maximumWaiting: Int) {
        self.capacity = max(1, capacity)
        self.maximumWaiting = max(1, maximumWaiting)
    }

    var waitingCount: Int { places.count }
    var connectionCount: Int { idle.count + lent.count + opening.count }

    /// Requests a connection.
    mutating func acquire(_ waiter: Waiter) -> AcquireAction {
        if isStopped { return .refuse(.stopped) }
        // The most recently used connection comes first, so that the others may rest. While callers wait, none is idle.
        if places.isEmpty, let slot = idle.popLast() {
            lent.insert(slot)
            return .lend(slot)
        }
        guard places.count < maximumWaiting else { return .refuse(.tooManyWaiting) }
        places[waiter] = queue.count
        queue.append(waiter)
        return .wait(opening: openIfNeeded())
    }

    /// Removes a waiter. Returns `false` if it already has a connection, or never waited.
    mutating func abandon(_ waiter: Waiter) -> Bool {
        guard let place = places.removeValue(forKey: waiter) else { return false }
        queue[place] = nil
        return true
    }

    /// Notes that a connection was opened.
    mutating func opened(_ slot: Slot) -> OfferAction {
        guard opening.remove(slot) != nil else { return .discard(opening: nil) }
        failures = 0
        return offer(slot)
    }

    /// Notes that a connection could not be opened.
    mutating func openFailed(_ slot: Slot) -> FailureAction {
        failures += 1
        guard opening.contains(slot), !isStopped, places.count >= opening.count else {
            opening.remove(slot)
            return .giveUp
        }
        return .backOff(attempt: failures)
    }

    /// Whether a failed slot should be tried again after its pause.
    mutating func retry(_ slot: Slot) -> Bool {
        guard opening.contains(slot), !isStopped, places.count >= opening.count else {
            opening.remove(slot)
            return false
        }
        return true
    }

    /// Gives up opening a connection for this slot.
    mutating func abandonOpening(_ slot: Slot) { opening.remove(slot) }

    /// Takes a lent connection back.
    mutating func release(_ slot: Slot, isReusable: Bool) -> OfferAction {
        guard lent.remove(slot) != nil else { return .discard(opening: nil) }
        guard isReusable else { return .discard(opening: openIfNeeded()) }
        return offer(slot)
    }

    /// Stops lending. Returns the idle connections to close and the waiters to refuse.
    mutating func stop() -> (close: [Slot], refuse: [Waiter]) {
        isStopped = true
        defer {
            idle = []
            queue = []
            queueHead = 0
            places = [:]
        }
        return (idle, queue[queueHead...].compactMap { $0 })
    }

    /// Whether the pool has stopped and every connection was given back.
    var isDrained: Bool { isStopped && lent.isEmpty && opening.isEmpty }

    private mutating func offer(_ slot: Slot) -> OfferAction {
        if isStopped { return .discard(opening: nil) }
        guard let waiter = popWaiter() else {
            idle.append(slot)
            return .keepIdle
        }
        lent.insert(slot)
        return .handTo(waiter)
    }

    private mutating func popWaiter() -> Waiter? {
        while queueHead < queue.count {
            let waiter = queue[queueHead]
            queueHead += 1
            if let waiter {
                places[waiter] = nil
                compact()
                return waiter
            }
        }
        queue = []
        queueHead = 0
        return nil
    }

    /// Drops the served half of the queue, so that its memory is bounded by the number of waiters.
    private mutating func compact() {
        guard queueHead > 64, queueHead * 2 > queue.count else { return }
        queue.removeFirst(queueHead)
        for waiter in places.keys { places[waiter]? -= queueHead }
        queueHead = 0
    }

    private mutating func openIfNeeded() -> Slot? {
        guard !isStopped, places.count > opening.count, connectionCount < capacity else { return nil }
        let slot = Slot(number: nextSlot)
        nextSlot += 1
        opening.insert(slot)
        return slot
    }
}

/// The state guarded by the pool's lock: the state machine and the connections.
struct PoolState {
    var machine: PostgresPool.Machine
    /// The connections that are idle or handed over but not yet taken.
    var connections: [PostgresPool.Slot: PooledConnection] = [:]
    /// The slots handed to waiters that have not taken them yet.
    var handed: [Reactor.Ticket: PostgresPool.Slot] = [:]
    /// The failure of the last attempt to connect, until one succeeds.
    var lastFailure: PostgresError?
    /// Whether `run()` is running.
    var isRunning = false
    /// How many callers have waited, how long together, and how many of them got no connection.
    var waits = 0
    var waited = Duration.zero
    var givenUp = 0

    init(machine: PostgresPool.Machine) { self.machine = machine }
}

/// A request to `run()`.
enum PoolCommand: Sendable {
    case open(PostgresPool.Slot)
    /// Check whether every connection was given back.
    case checkDrained
}

/// An idle connection of the pool. It is a class, because a dictionary cannot hold a type that cannot be copied.
final class PooledConnection: @unchecked Sendable {
    // Proof of @unchecked: only the caller that removes it from `PoolState.connections`, under the pool's lock, reads
    // `connection`.
    private var connection: PostgresConnection?
    /// The time from which the connection is too old to be kept.
    let expiry: Reactor.Instant
    /// The time at which it last answered.
    let lastUse = Reactor.Instant.now

    init(_ connection: consuming PostgresConnection, expiry: Reactor.Instant) {
        self.connection = consume connection
        self.expiry = expiry
    }

    /// Takes the connection out. A second call returns `nil`.
    func take() -> PostgresConnection? { connection.take() }
}

/// A connection that is lent to a caller.
struct BorrowedConnection: ~Copyable {
    let slot: PostgresPool.Slot
    let expiry: Reactor.Instant
    var connection: PostgresConnection
}
