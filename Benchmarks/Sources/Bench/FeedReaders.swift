import Ledger

/// Readers that follow ledgers with a cursor each, as projections do.
struct FeedReaders: Sendable {
    static let count = 4

    let reader: LedgerReader
    let ledgers: Set<LedgerID>

    /// The sizes at this moment: where following starts.
    func heads() async throws -> [LedgerID: Int64] { try await reader.changedLedgers(since: [:], among: ledgers) }

    /// Follows until the deadline and tells how many events all readers have seen.
    func run(from heads: [LedgerID: Int64], until deadline: ContinuousClock.Instant) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.count { group.addTask { try await follow(from: heads, until: deadline) } }
            return try await group.reduce(0, +)
        }
    }

    private func follow(from heads: [LedgerID: Int64], until deadline: ContinuousClock.Instant) async throws -> Int {
        var cursors = heads, count = 0
        while ContinuousClock.now < deadline {
            let changed = try await reader.changedLedgers(since: cursors, among: ledgers)
            if changed.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            for ledger in changed.keys {
                let cursor = cursors[ledger] ?? 0
                let page = try await reader.ledger(ledger, after: cursor)
                let expected = (cursor + 1)..<(cursor + 1 + Int64(page.events.count))
                guard page.events.map(\.position).elementsEqual(expected) else {
                    throw BenchError("the feed of a ledger has a gap after \(cursor)")
                }
                cursors[ledger] = page.cursor
                count += page.events.count
            }
        }
        return count
    }
}
