import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

extension TestDatabase {
    /// How many deadlocks the server has met in this database.
    func deadlocks() async throws -> Int64 {
        var connection = try await connect(as: .superuser)
        // Counters of other sessions arrive when those end, at the latest.
        _ = try await connection.query("SELECT pg_stat_force_next_flush()")
        let rows = try await connection.query("SELECT deadlocks FROM pg_stat_database WHERE datname = \(name)")
        return try rows.first?.decode(Int64.self) ?? -1
    }

    /// How many events there are, of all ledgers.
    func eventCount() async throws -> Int64 {
        var connection = try await connect(as: .reader)
        let rows = try await connection.query("SELECT count(*) FROM tenure.event")
        return try rows.first?.decode(Int64.self) ?? 0
    }

    /// Follows the feed of the first directories until cancelled: the ids in the order in which they were seen.
    func watchFeed(ledgers: Int) async throws -> [LedgerID: [UUID]] {
        try await withPool(as: .reader) { pool in
            let reader = LedgerReader(pool: pool, storesTiles: false)
            var cursors: [LedgerID: Int64] = [:]
            var seen: [LedgerID: [UUID]] = [:]
            do {
                while !Task.isCancelled {
                    for (ledger, size) in try await reader.changedLedgers(since: cursors) {
                        let page = try await reader.ledger(ledger, after: cursors[ledger] ?? 0, limit: 50)
                        // A size that was told is a promise: everything up to it is there.
                        #expect(page.size >= size && !page.events.isEmpty)
                        #expect(page.events.first?.position == (cursors[ledger] ?? 0) + 1)
                        seen[ledger, default: []] += page.events.map(\.id)
                        cursors[ledger] = page.cursor
                    }
                }
            } catch let error as LedgerError where error.code == .cancelled {}
            return seen
        }
    }

    /// Expects that every ledger has the positions 1 to its size, versions without gaps and times that never run
    /// backwards, that heads agree with events, and that all that was acknowledged or seen is there.
    func expectGapless(acknowledged: [String], seen: [LedgerID: [UUID]] = [:]) async throws {
        try await withPool(as: .reader) { pool in
            let reader = LedgerReader(pool: pool, storesTiles: false)
            var present: Set<String> = []
            for ledger in try await reader.changedLedgers(since: [:]).keys {
                // One snapshot: what a killed process had sent may still be committed by its backend.
                let page = try await reader.ledger(ledger, limit: 1_000_000)
                let events = page.events
                #expect(events.map(\.position) == Array(1...page.size))
                #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
                var versions: [StreamID: Int] = [:]
                for event in events {
                    #expect(event.streamVersion == (versions[event.stream] ?? 0) + 1)
                    versions[event.stream] = event.streamVersion
                    present.insert("\(ledger) \(event.position) \(event.id.lowercased)")
                }
                let known = seen[ledger] ?? []
                #expect(events.prefix(known.count).map(\.id) == known)
            }
            #expect(acknowledged.allSatisfy(present.contains))
            let torn = try await pool.withConnection { connection in
                try await connection.query(
                    """
                    SELECT 1 FROM (SELECT ledger_id, count(*) AS size, max(time) AS time FROM tenure.event GROUP BY 1)
                        AS e FULL JOIN tenure.ledger AS l USING (ledger_id)
                    WHERE coalesce(e.size, 0) <> l.size OR (l.size > 0 AND e.time <> l.time)
                    """)
            }
            #expect(torn.isEmpty)
        }
    }
}
