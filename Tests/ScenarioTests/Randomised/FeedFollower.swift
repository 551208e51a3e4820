import FoundationEssentials
import Ledger
import Postgres
import Testing

/// Follows all ledgers of a database while others write, are killed and start again, as a projection does: by what
/// changed since its last look, from one cursor for each ledger.
actor FeedFollower {
    private let reader: LedgerReader
    private var mark: FeedMark?
    private var cursors: [LedgerID: Int64] = [:]
    /// The ids of events in the order in which they were read.
    private(set) var seen: [LedgerID: [UUID]] = [:]
    /// What no reader may ever meet.
    private(set) var gaps: [String] = []

    /// Follows over a pool of the reader role.
    init(pool: PostgresPool) { reader = LedgerReader(pool: pool, storesTiles: false) }

    /// Looks again and again; a look whose connection is cut is made anew from the same cursors.
    func follow(until end: ContinuousClock.Instant) async throws {
        while ContinuousClock.now < end {
            do { try await look() } catch is LedgerError {}
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Reads everything that there is after nobody writes any more.
    func catchUp() async throws { try await look() }

    private func look() async throws {
        let changes = try await reader.changes(since: mark)
        let changed: [LedgerID: Int64]
        if let known = changes.ledgers {
            changed = known
        } else {
            changed = try await reader.changedLedgers(since: cursors)
        }
        for ledger in changed.keys { try await read(ledger) }
        // Only now: whatever failed before this is looked for again.
        mark = changes.mark
    }

    private func read(_ ledger: LedgerID) async throws {
        while true {
            let page = try await reader.ledger(ledger, after: cursors[ledger, default: 0], limit: 200)
            for event in page.events {
                let expected = cursors[ledger, default: 0] + 1
                if event.position != expected { gaps.append("\(ledger) \(expected) → \(event.position)") }
                cursors[ledger] = event.position
                seen[ledger, default: []].append(event.id)
            }
            guard page.hasMore else { return }
        }
    }
}
