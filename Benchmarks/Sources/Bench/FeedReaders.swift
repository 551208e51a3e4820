import Ledger

/// Readers that follow ledgers with a cursor each, as projections do.
struct FeedReaders: Sendable {
    static let count = 4
    /// Between two looks: the pace of the service's own projections while there is something to read.
    private static let pause = Duration.milliseconds(50)

    let reader: LedgerReader
    let ledgers: Set<LedgerID>
    /// Whether the bytes of every event are parsed and hashed, or only received.
    var decoding = false

    /// The sizes at this moment: where following starts.
    func heads() async throws -> [LedgerID: Int64] {
        let sizes = try await reader.changedLedgers(since: [:], among: ledgers)
        return Dictionary(uniqueKeysWithValues: ledgers.map { ($0, sizes[$0] ?? 0) })
    }

    /// Follows until the deadline and tells how many events all readers have seen, and in how many looks.
    func run(
        from heads: [LedgerID: Int64], until deadline: ContinuousClock.Instant
    ) async throws -> (events: Int, looks: Int) {
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for _ in 0..<Self.count { group.addTask { try await follow(from: heads, until: deadline) } }
            return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        }
    }

    /// Reads the first events of all ledgers again and again at the same pace, `limit` at each look.
    func reread(limit: Int, until deadline: ContinuousClock.Instant) async throws {
        let start = Dictionary(uniqueKeysWithValues: ledgers.map { ($0, Int64(0)) })
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.count {
                group.addTask {
                    while ContinuousClock.now < deadline {
                        for page in try await reader.entries(after: start, limit: limit).values where decoding {
                            _ = try page.decoded()
                        }
                        try await Task.sleep(for: Self.pause)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func follow(
        from heads: [LedgerID: Int64], until deadline: ContinuousClock.Instant
    ) async throws -> (Int, Int) {
        var cursors = heads, count = 0, looks = 0
        while ContinuousClock.now < deadline {
            looks += 1
            for (ledger, page) in try await reader.entries(after: cursors, limit: 16_000) {
                let cursor = cursors[ledger] ?? 0
                let expected = (cursor + 1)..<(cursor + 1 + Int64(page.entries.count))
                guard page.entries.map(\.position).elementsEqual(expected) else {
                    throw BenchError("the feed of a ledger has a gap after \(cursor)")
                }
                cursors[ledger] = page.cursor
                if decoding { _ = try page.decoded() }
                count += page.entries.count
            }
            try await Task.sleep(for: Self.pause)
        }
        return (count, looks)
    }
}
