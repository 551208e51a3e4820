/// Who has which connection and who waits: the pool's decisions, without connections, tasks or time.
///
/// Callers are served in the order they came. A slot is one place for a connection; it is in exactly one of the sets.
struct PoolStateMachine<Waiter: Hashable> {
    struct Slot: Hashable, Sendable { let number: UInt64 }

    enum AcquireAction: Equatable {
        case lend(Slot)
        /// Wait; when a slot is given, open a connection for it.
        case wait(opening: Slot?)
        case refuse(Refusal)
    }
    enum Refusal: Equatable { case stopped, tooManyWaiting }
    enum OfferAction: Equatable {
        case handTo(Waiter)
        case keepIdle
        /// Close the connection; when a slot is given, open another one for it.
        case discard(opening: Slot?)
    }
    enum FailureAction: Equatable {
        /// Nobody needs the connection any more.
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
    /// How many attempts to connect have failed since the last one that did not.
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

    /// Somebody wants a connection.
    mutating func acquire(_ waiter: Waiter) -> AcquireAction {
        if isStopped { return .refuse(.stopped) }
        // The most recently used connection first: the others may rest. While somebody waits there is no idle one.
        if places.isEmpty, let slot = idle.popLast() {
            lent.insert(slot)
            return .lend(slot)
        }
        guard places.count < maximumWaiting else { return .refuse(.tooManyWaiting) }
        places[waiter] = queue.count
        queue.append(waiter)
        return .wait(opening: openIfNeeded())
    }

    /// A waiter gives up. False: it was handed a connection already, or never waited.
    mutating func abandon(_ waiter: Waiter) -> Bool {
        guard let place = places.removeValue(forKey: waiter) else { return false }
        queue[place] = nil
        return true
    }

    /// A connection was opened.
    mutating func opened(_ slot: Slot) -> OfferAction {
        guard opening.remove(slot) != nil else { return .discard(opening: nil) }
        failures = 0
        return offer(slot)
    }

    /// A connection could not be opened.
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

    /// Nobody will open a connection for this slot any more.
    mutating func abandonOpening(_ slot: Slot) { opening.remove(slot) }

    /// A lent connection comes back.
    mutating func release(_ slot: Slot, isReusable: Bool) -> OfferAction {
        guard lent.remove(slot) != nil else { return .discard(opening: nil) }
        guard isReusable else { return .discard(opening: openIfNeeded()) }
        return offer(slot)
    }

    /// No more lending; returns the idle connections to close and the waiters to turn away.
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

    /// Whether the pool has stopped and every connection is back.
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

    /// Drops the served half of the queue, so that its memory is bounded by those who wait.
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
