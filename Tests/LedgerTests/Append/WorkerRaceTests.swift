import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport

/// Two processes of the operating system race over one database.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"), .serialized)
struct WorkerRaceTests {
    /// Runs `count` workers that begin at the same instant; all lines they printed.
    private func race(
        _ mode: String, _ database: TestDatabase, count: Int = 2, _ options: [String]
    ) async throws -> [[String]] {
        let start = Timestamp.now().adding(.seconds(1)).microseconds
        let workers = try (0..<count).map { _ in
            try ChildProcess(
                "LedgerWorkerProcess", [mode, database.url, database.name, "start=\(start)"] + options)
        }
        var lines: [[String]] = []
        for worker in workers {
            let (status, output) = await worker.finish()
            #expect(status == 0)
            lines.append(output)
        }
        return lines
    }

    @Test func `of many writers with the same expected version exactly one wins`() async throws {
        try await TestDatabase.with { database in
            for _ in 0..<3 {
                let stream = StreamID.test()
                let won = try await race(
                    "same-version", database,
                    ["tasks=100", "ledger=\(stream.ledger)", "stream=\(stream.id.lowercased)"])
                #expect(won.joined().count == 1)
                try await database.withPool { pool in
                    let events = try await LedgerReader(pool: pool).ledger(stream.ledger).events
                    #expect(events.count == 1)
                }
            }
        }
    }

    @Test func `of two hundred claimants exactly one wins`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID()), claims = LedgerID.directory(7)
            let won = try await race("claim", database, ["tasks=100", "ledger=\(ledger)", "claims=\(claims)"])
            #expect(won.joined().count == 1)
            try await database.withPool { pool in
                let reader = LedgerReader(pool: pool)
                let events = try await reader.ledger(ledger).events
                #expect(events.count == 1)
                let key = ClaimKey(ledger: claims, kind: "email", digest: [UInt8](repeating: 7, count: 32))
                let claim = try await reader.claim(key)
                #expect(claim?.owner == events.first?.stream.id)
            }
        }
    }

    @Test func `a claim has one owner at a time`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            let lines = try await race(
                "claim-cycle", database, ["rounds=60", "ledger=\(ledger)", "claims=\(LedgerID.directory(7))"])
            let took = lines.joined().count { $0 == "took" }
            #expect(took > 0 && took == lines.joined().count { $0 == "gave" })
            // All events are of one ledger, so their order is the order in which the claim changed hands.
            try await database.withPool { pool in
                let events = try await LedgerReader(pool: pool).ledger(ledger, limit: 10_000).events
                #expect(events.count == 2 * took)
                for pair in stride(from: 0, to: events.count - 1, by: 2) {
                    #expect(events[pair].stream == events[pair + 1].stream)
                    #expect(events[pair].streamVersion == 1 && events[pair + 1].streamVersion == 2)
                }
            }
        }
    }

    @Test func `concurrent large appends do not interleave`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            let won = try await race("large", database, ["tasks=4", "events=1000", "ledger=\(ledger)"])
            #expect(won.joined().count == 8)
            try await database.withPool { pool in
                let reader = LedgerReader(pool: pool)
                var cursor: Int64 = 0
                for _ in 0..<8 {
                    let page = try await reader.ledger(ledger, after: cursor, limit: 1_000)
                    #expect(Set(page.events.map(\.stream)).count == 1)
                    #expect(page.events.map(\.streamVersion) == Array(1...1_000))
                    cursor = page.cursor
                }
                let head = try await reader.head(ledger)
                #expect(head?.size == 8_000 && cursor == 8_000)
            }
        }
    }

    @Test func `unordered batches over many ledgers finish without deadlock or gap`() async throws {
        try await TestDatabase.with { database in
            let before = try await database.deadlocks()
            let lines = try await race("load", database, ["tasks=16", "appends=30", "ledgers=12"])
            try await database.expectGapless(acknowledged: lines.joined().map { $0 })
            let after = try await database.deadlocks()
            #expect(after == before)
        }
    }

    @Test func `after kills of processes every ledger is gapless and has every acknowledged event`() async throws {
        try await TestDatabase.with { database in
            for delay in [150, 400, 700] {
                let start = Timestamp.now().adding(.milliseconds(600)).microseconds
                let before = try await database.eventCount()
                let workers = try (0..<2).map { _ in
                    try ChildProcess(
                        "LedgerWorkerProcess",
                        [
                            "load", database.url, database.name, "start=\(start)", "tasks=16", "appends=100000",
                            "ledgers=6",
                        ])
                }
                let watcher = Task { try await database.watchFeed(ledgers: 6) }
                // However slow the machine is, the processes are killed in the middle of their work.
                while try await database.eventCount() < before + 50 { try await Task.sleep(for: .milliseconds(20)) }
                try await Task.sleep(for: .milliseconds(delay))
                for worker in workers { worker.kill() }
                var acknowledged: [String] = []
                for worker in workers {
                    let (status, lines) = await worker.finish()
                    #expect(status == -SIGKILL)
                    acknowledged += lines
                }
                #expect(!acknowledged.isEmpty)
                // Reads beside the writers never passed an event: what the watcher saw is what is there now.
                watcher.cancel()
                let seen = try await watcher.value
                #expect(!seen.isEmpty)
                try await database.expectGapless(acknowledged: acknowledged, seen: seen)
            }
        }
    }
}

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
