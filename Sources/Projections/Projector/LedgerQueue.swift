import Ledger

/// The ledgers that are to be followed, each once, in the order in which they were found.
struct LedgerQueue: Sendable {
    private var order: [LedgerID] = []
    private var members: Set<LedgerID> = []
    /// Ledgers that are left alone until a moment.
    private var resting: [LedgerID: ContinuousClock.Instant] = [:]

    var isEmpty: Bool { order.isEmpty }
    var count: Int { order.count }

    /// Adds a ledger unless it is there.
    mutating func add(_ ledger: LedgerID) {
        if members.insert(ledger).inserted { order.append(ledger) }
    }

    /// Adds a ledger once a moment has come.
    mutating func add(_ ledger: LedgerID, at moment: ContinuousClock.Instant) { resting[ledger] = moment }

    /// Adds those whose moment has come.
    mutating func wake(at now: ContinuousClock.Instant) {
        for (ledger, moment) in resting where moment <= now {
            resting[ledger] = nil
            add(ledger)
        }
    }

    /// Takes all ledgers out.
    mutating func removeAll() -> [LedgerID] {
        defer {
            order = []
            members = []
        }
        return order
    }
}
