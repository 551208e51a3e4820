import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// What changed is found by its commit, whenever that comes, and nothing else is looked at.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ChangesTests {
    /// Looks at what changed, again and again from where it looked last.
    private struct Looks {
        let reader: LedgerReader
        var mark: FeedMark?

        mutating func next() async throws -> [LedgerID: Int64]? {
            let changes = try await reader.changes(since: mark)
            mark = changes.mark
            return changes.ledgers
        }
    }

    private func run(
        _ body: (TestDatabase, Appender, inout Looks) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, _ in
                try await database.withPool(as: .reader) { pool in
                    var looks = Looks(reader: LedgerReader(pool: pool, storesTiles: false))
                    let first = try await looks.next()
                    #expect(first == nil)
                    try await body(database, appender, &looks)
                }
            }
        }
    }

    /// A connection in a transaction that has appended.
    private func open(_ append: Append, _ database: TestDatabase) async throws -> PostgresConnection {
        var connection = try await database.connect(as: .application)
        _ = try await connection.query("BEGIN")
        _ = try await connection.query(LedgerScope.statement(append.ledgers))
        _ = try await Appender.append([append], on: &connection)[0].get()
        return connection
    }

    @Test func `an append that commits late is found when it commits`() async throws {
        try await run { database, appender, looks in
            let slow = Append.test(.test())
            var connection = try await open(slow, database)
            for _ in 0..<3 {
                let fast = Append.test(.test())
                _ = try await appender.append(fast)
                let seen = try await looks.next()
                #expect(seen == [fast.events[0].stream.ledger: 1])
            }
            _ = try await connection.query("COMMIT")
            let late = try await looks.next()
            #expect(late == [slow.events[0].stream.ledger: 1])
            let end = try await looks.next()
            #expect(end == [:])
        }
    }

    @Test(.enabled(if: !TestServer.isDistributed, "Citus prepares transactions itself"))
    func `aborted appends are no change, and a prepared one is a change once committed`()
        async throws
    {
        try await run { database, appender, looks in
            var aborted = try await open(.test(.test()), database)
            let killed = try await open(.test(.test()), database)
            let orphan = Append.test(.test())
            var prepared = try await open(orphan, database)
            var admin = try await database.connect(as: .superuser)
            let allowed = try await admin.query("SELECT current_setting('max_prepared_transactions')::int > 0")
            let canPrepare = try allowed.first?.decode(Bool.self) == true
            if canPrepare { try await prepared.executeScript("PREPARE TRANSACTION '\(database.name)'") }
            let during = Append.test(.test())
            _ = try await appender.append(during)
            let seen = try await looks.next()
            #expect(seen == [during.events[0].stream.ledger: 1])
            _ = try await aborted.query("ROLLBACK")
            _ = try await admin.query("SELECT pg_terminate_backend(\(killed.processID))")
            let nothing = try await looks.next()
            #expect(nothing == [:])
            if canPrepare {
                try await admin.executeScript("COMMIT PREPARED '\(database.name)'")
            } else {
                _ = try await prepared.query("COMMIT")
            }
            let late = try await looks.next()
            #expect(late == [orphan.events[0].stream.ledger: 1])
        }
    }

    @Test func `foreign transactions and long reads neither hide nor repeat changes`()
        async throws
    {
        try await TestDatabase.with { other in
            var foreign = try await other.connect(as: .superuser)
            _ = try await foreign.query("BEGIN")
            _ = try await foreign.query("SELECT pg_current_xact_id()")
            try await run { database, appender, looks in
                var long = try await database.connect(as: .reader)
                _ = try await long.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
                _ = try await long.query("SELECT count(*) FROM tenure.event")
                let stream = StreamID.test()
                for version in 0..<5 {
                    _ = try await appender.append(.test(stream, expecting: version))
                    let seen = try await looks.next()
                    #expect(seen == [stream.ledger: Int64(version + 1)])
                }
                let end = try await looks.next()
                #expect(end == [:])
                _ = try await foreign.query("COMMIT")
                let after = try await looks.next()
                #expect(after == [:])
            }
        }
    }

    @Test func `a poll costs only the changes, whatever the number of ledgers`() async throws {
        try await run { database, appender, looks in
            var admin = try await database.connect(as: .superuser)
            // In the order of time, of transactions that are long past.
            try await admin.execute(
                """
                INSERT INTO tenure.ledger (ledger_id, size, changed)
                SELECT gen_random_uuid(), 1, (number / 400)::text::xid8 FROM generate_series(1, 200000) AS number
                """)
            try await admin.executeScript("ANALYZE tenure.ledger")
            _ = try await looks.next()
            let snapshot = try await admin.query("SELECT pg_current_snapshot()::text")[0].decode(String.self)
            let changed = Append.test(.test())
            _ = try await appender.append(changed)
            let seen = try await looks.next()
            #expect(seen == [changed.events[0].stream.ledger: 1])
            let blocks = try await blocks(
                "SELECT * FROM tenure.changed_ledgers('\(unsafeSQL: snapshot)')", on: &admin)
            // The table has thousands of blocks; two walks down an index and a few rows are some dozens at most.
            #expect(blocks < 100, "a look read \(blocks) blocks")
        }
    }

    /// How many blocks a statement reads when it runs for the second time.
    private func blocks(_ sql: SQL, on connection: inout PostgresConnection) async throws -> Int {
        var text: [UInt8] = []
        for _ in 0..<2 {
            text =
                try await connection.query("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(sql)").first?
                .decode(PostgresJSON.self).bytes ?? []
        }
        struct Explained: Decodable {
            struct Plan: Decodable {
                let hit: Int
                let read: Int
                enum CodingKeys: String, CodingKey {
                    case hit = "Shared Hit Blocks"
                    case read = "Shared Read Blocks"
                }
            }
            let plan: Plan
            enum CodingKeys: String, CodingKey { case plan = "Plan" }
        }
        let plan = try #require(try JSONDecoder().decode([Explained].self, from: Data(text)).first?.plan)
        return plan.hit + plan.read
    }

    @Test(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"))
    func `a mark of another server is ignored`() async throws {
        try await run { _, _, looks in
            let here = looks.mark
            try await ThrowawayCluster.with { cluster in
                try await TestDatabase.with(on: cluster.url) { database in
                    try await database.withPool(as: .reader) { pool in
                        let reader = LedgerReader(pool: pool, storesTiles: false)
                        let changes = try await reader.changes(since: here)
                        #expect(changes.ledgers == nil)
                    }
                }
            }
        }
    }

    /// The server hands out the numbers again of transactions that nobody had waited for.
    @Test(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"))
    func `a mark from before a recovery is ignored without a restart`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await TestDatabase.with(on: cluster.url) { database in
                let append = Append.test(.test())
                let before = try await database.withAppender { appender, _ in
                    _ = try await appender.append(append)
                    return try await changes(database, since: nil)
                }
                let victim = try await database.connect(as: .superuser)
                let started = try await start(database), writer = try await writer(database)
                cluster.crash(backend: victim.processID)
                try await recovered(database, from: writer)
                #expect(try await start(database) == started)
                let after = try await changes(database, since: before.mark)
                #expect(after.ledgers == nil)
                let next = try await changes(database, since: after.mark)
                #expect(next.ledgers == [:])
            }
        }
    }

    private func changes(_ database: TestDatabase, since mark: FeedMark?) async throws -> FeedChanges {
        try await database.withPool(as: .reader) { pool in
            try await LedgerReader(pool: pool, storesTiles: false).changes(since: mark)
        }
    }

    private func start(_ database: TestDatabase) async throws -> PostgresTimestamp {
        var connection = try await database.connect(as: .superuser)
        return try await connection.query("SELECT pg_postmaster_start_time()")[0].decode(PostgresTimestamp.self)
    }

    /// The process that writes checkpoints: another one after every recovery.
    private func writer(_ database: TestDatabase) async throws -> Int32? {
        var connection = try await database.connect(as: .superuser)
        return try await connection.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
            .first?.decode(Int32.self)
    }

    /// Waits until the server has recovered and takes new sessions.
    private func recovered(_ database: TestDatabase, from before: Int32?) async throws {
        for _ in 0..<1_200 {
            try await Task.sleep(for: .milliseconds(50))
            if let now = try? await writer(database), now != before { return }
        }
        Issue.record("the server did not recover")
    }
}
