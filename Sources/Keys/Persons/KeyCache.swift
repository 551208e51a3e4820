#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Person keys that were used a moment ago: bounded in number and in time, and pure.
///
/// All entries live equally long, so the order in which they came is the order in which they expire, and the oldest
/// makes room. Forgetting marks the moment: what was read before it, and comes after it, is not taken in.
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
    /// The entries in order; a place whose ticket is not the entry's any more stands for nothing.
    private var order: [(reference: Reference, ticket: Int)] = []
    private var oldest = 0
    private var tickets = 0
    /// How often something was forgotten.
    private(set) var generation = 0

    init(capacity: Int, lifetime: Duration) {
        self.capacity = max(0, capacity)
        self.lifetime = lifetime
    }

    var count: Int { entries.count }
    /// How much the order of the entries takes, places that stand for nothing included.
    var places: Int { order.count }

    /// The key, unless it is unknown or its time is over.
    func key(_ reference: Reference, at now: Instant) -> PersonKey? {
        guard let entry = entries[reference], now < entry.expiry else { return nil }
        return entry.key
    }

    /// Remembers a key that was read at `now` or later, unless something was forgotten since `generation`.
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

    /// Drops what has expired and, from the oldest on, as many more as one new entry needs.
    private mutating func makeRoom(at now: Instant) {
        while oldest < order.count {
            let place = order[oldest]
            if let entry = entries[place.reference], entry.ticket == place.ticket {
                guard entry.expiry <= now || entries.count >= capacity else { break }
                entries[place.reference] = nil
            }
            oldest += 1
        }
        // Places that stand for nothing go once they are the greater part.
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
