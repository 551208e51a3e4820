import FoundationEssentials

/// A cache of recently used person keys, bounded in number and in time.
///
/// All entries live equally long, so they expire in the order of insertion, and the oldest is evicted first. Forgetting
/// starts a new generation: a key that was read before it is not inserted after it.
struct KeyCache: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Reference: Sendable, Hashable {
        var ledger: UUID
        var id: UUID
    }

    private struct Entry: Sendable {
        var key: PersonKey
        var expiry: Instant
        var ticket: Int
    }

    let capacity: Int
    let lifetime: Duration
    private var entries: [Reference: Entry] = [:]
    /// The entries in order of insertion. A place whose ticket is no longer the entry's is void.
    private var order: [(reference: Reference, ticket: Int)] = []
    private var oldest = 0
    private var tickets = 0
    /// How often a key was forgotten.
    private(set) var generation = 0

    init(capacity: Int, lifetime: Duration) {
        self.capacity = max(0, capacity)
        self.lifetime = lifetime
    }

    var count: Int { entries.count }
    /// The length of the order, including void places.
    var places: Int { order.count }

    /// Returns a key unless it is unknown or has expired.
    func key(_ reference: Reference, at now: Instant) -> PersonKey? {
        guard let entry = entries[reference], now < entry.expiry else { return nil }
        return entry.key
    }

    /// Inserts a key that was read at `now` or later, unless a key was forgotten since `generation`.
    mutating func insert(_ key: PersonKey, as reference: Reference, readAt now: Instant, generation: Int) {
        guard generation == self.generation, capacity > 0 else { return }
        entries[reference] = nil
        makeRoom(at: now)
        tickets += 1
        entries[reference] = Entry(key: key, expiry: now + lifetime, ticket: tickets)
        order.append((reference, tickets))
    }

    /// Drops one key.
    mutating func forget(_ reference: Reference) {
        generation += 1
        entries[reference] = nil
    }

    /// Drops every key.
    mutating func forgetAll() {
        generation += 1
        entries = [:]
        order = []
        oldest = 0
    }

    /// Drops expired entries, and as many of the oldest as a new entry needs.
    private mutating func makeRoom(at now: Instant) {
        while oldest < order.count {
            let place = order[oldest]
            if let entry = entries[place.reference], entry.ticket == place.ticket {
                guard entry.expiry <= now || entries.count >= capacity else { break }
                entries[place.reference] = nil
            }
            oldest += 1
        }
        // Void places are removed once they are the majority.
        if oldest > 64, oldest > order.count / 2 {
            order.removeFirst(oldest)
            oldest = 0
        }
        if order.count > 64, order.count > 4 * (entries.count + 1) {
            order = order[oldest...].filter { entries[$0.reference]?.ticket == $0.ticket }
            oldest = 0
        }
    }
}
