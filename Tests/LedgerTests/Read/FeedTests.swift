import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport

/// No reader ever passes an event that commits later.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct FeedTests {
    /// Starts a transaction that has appended, and ends it as told.
    private func open(
        _ append: Append, _ database: TestDatabase, _ whileOpen: (Int32) async throws -> Void, commit: Bool = true
    ) async throws {
        var connection = try await database.connect(as: .application)
        _ = try await connection.query("BEGIN")
        _ = try await connection.query(LedgerScope.statement(append.ledgers))
        _ = try await Appender.append([append], on: &connection)[0].get()
        try await whileOpen(connection.processID)
        if connection.isOpen {
            do { _ = try await connection.query(commit ? "COMMIT" : "ROLLBACK") } catch { #expect(!commit) }
        }
    }

    @Test func `an uncommitted event stops the feed of its ledger only`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let reader = LedgerReader(pool: pool)
                let slow = Append.test(.test()), ledger = slow.events[0].stream.ledger
                let fast = Append.test(.test(ledger)), apart = Append.test(.test())
                let waiting = Task { try await appender.append(fast) }
                _ = try await waiting.value
                let second = Append.test(.test(ledger))
                let queued = try await withThrowingTaskGroup(of: AppendReceipt.self) { group in
                    try await open(slow, database) { _ in
                        let other = Appender(pool: pool, logger: TestServer.logger())
                        group.addTask {
                            async let running: Void = other.run()
                            let appended = try await other.append(second)
                            other.stop()
                            try await running
                            return appended
                        }
                        // The other ledger goes on while this one waits for the open transaction.
                        _ = try await appender.append(apart)
                        try await Task.sleep(for: .milliseconds(200))
                        let page = try await reader.ledger(ledger)
                        #expect(page.events.map(\.id) == [fast.events[0].id])
                        #expect(page.cursor == 1 && page.size == 1 && !page.hasMore)
                    }
                    return try await group.next()
                }
                #expect(queued?.last[ledger] == 3)
                let page = try await reader.ledger(ledger, after: 1)
                #expect(page.events.map(\.id) == [slow.events[0].id, second.events[0].id])
            }
        }
    }

    @Test(.enabled(if: !TestServer.isDistributed, "Citus prepares transactions itself"))
    func `a prepared transaction stops its ledger until it ends, and is then read once`()
        async throws
    {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let reader = LedgerReader(pool: pool)
                let orphan = Append.test(.test()), ledger = orphan.events[0].stream.ledger
                var connection = try await database.connect(as: .application)
                let allowed = try await connection.query("SELECT current_setting('max_prepared_transactions')::int > 0")
                try #require(try allowed.first?.decode(Bool.self) == true, "the server allows no prepared transactions")
                _ = try await connection.query("BEGIN")
                _ = try await connection.query(LedgerScope.statement(orphan.ledgers))
                _ = try await Appender.append([orphan], on: &connection)[0].get()
                try await connection.executeScript("PREPARE TRANSACTION '\(database.name)'")
                connection.close()
                _ = try await appender.append(.test(.test()))
                let before = try await reader.ledger(ledger)
                #expect(before.events.isEmpty && before.size == 0)
                var other = try await database.connect(as: .application)
                try await other.executeScript("COMMIT PREPARED '\(database.name)'")
                let next = try await appender.append(.test(.test(ledger)))
                #expect(next.last[ledger] == 2)
                let page = try await reader.ledger(ledger)
                #expect(page.events.first?.id == orphan.events[0].id && page.events.count == 2)
            }
        }
    }

    @Test(arguments: [true, false])
    func `the position of a failed transaction is reused`(killed: Bool) async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let lost = Append.test(.test()), ledger = lost.events[0].stream.ledger
                try await open(
                    lost, database,
                    { process in
                        guard killed else { return }
                        var admin = try await database.connect(as: .superuser)
                        _ = try await admin.query("SELECT pg_terminate_backend(\(process))")
                    }, commit: false)
                let next = Append.test(.test(ledger))
                let appended = try await appender.append(next)
                #expect(appended.last[ledger] == 1)
                let page = try await LedgerReader(pool: pool).ledger(ledger)
                #expect(page.events.map(\.id) == [next.events[0].id])
            }
        }
    }

    @Test func `a filter never skips an event at the end of a page`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), reader = LedgerReader(pool: pool)
                for (index, type) in ["A", "B", "B", "A", "B", "A", "B", "B"].enumerated() {
                    _ = try await appender.append(.test(stream, expecting: index, type: type))
                }
                var cursor: Int64 = 0, seen: [Int64] = [], cursors: [Int64] = []
                repeat {
                    let page = try await reader.ledger(stream.ledger, after: cursor, limit: 2, types: ["A"])
                    seen += page.events.map(\.position)
                    cursor = page.cursor
                    cursors.append(cursor)
                } while cursor < 8
                #expect(seen == [1, 4, 6] && cursors == [4, 8])
                let all = try await reader.ledger(stream.ledger, after: 6, limit: 1)
                #expect(all.events.map(\.position) == [7] && all.cursor == 7 && all.hasMore)
                let end = try await reader.ledger(stream.ledger, after: 8)
                #expect(end.events.isEmpty && end.cursor == 8 && !end.hasMore)
                let nothing = try await reader.ledger(LedgerID(UUID()))
                #expect(nothing.events.isEmpty && nothing.cursor == 0 && nothing.size == 0)
                let none = try await reader.ledger(stream.ledger, types: [])
                #expect(none.events.isEmpty && none.cursor == 8)
            }
        }
    }

    @Test func `changed ledgers are those longer than their cursor`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let one = StreamID.test(), two = StreamID.test(), three = StreamID.test()
                for stream in [one, two, three] { _ = try await appender.append(.test(stream, events: 2)) }
                await #expect(throws: LedgerError.self) { try await appender.append(.test(.test(), expecting: 4)) }
                try await database.withPool(as: .reader) { pool in
                    let reader = LedgerReader(pool: pool, storesTiles: false)
                    let changed = try await reader.changedLedgers(since: [one.ledger: 2, two.ledger: 1])
                    #expect(changed == [two.ledger: 2, three.ledger: 2])
                }
                let reader = LedgerReader(pool: pool)
                let seen = try await reader.changedLedgers(since: [:], among: [one.ledger])
                #expect(seen == [one.ledger: 2])
                let hidden = try await reader.changedLedgers(since: [:])
                #expect(hidden.isEmpty)
            }
        }
    }

    @Test func `events and streams are found`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let reader = LedgerReader(pool: pool)
                let one = StreamID.test(), two = StreamID.test(), missing = StreamID.test()
                let append = Append.test(one, events: 5)
                _ = try await appender.append(append)
                _ = try await appender.append(.test(two))
                let streams = try await reader.streams([one, two, missing])
                #expect(streams[one]?.map(\.streamVersion) == [1, 2, 3, 4, 5] && streams[two]?.count == 1)
                #expect(streams[missing] == [])
                let part = try await reader.stream(one, after: 2, limit: 2)
                #expect(part.map(\.streamVersion) == [3, 4])
                let second = try await reader.event(one.ledger, at: 2)
                #expect(second?.id == append.events[1].id)
                let byID = try await reader.event(one.ledger, id: append.events[1].id)
                #expect(byID == second)
                let beyond = try await reader.event(one.ledger, at: 6)
                #expect(beyond == nil)
                // The same kind and id in another ledger is another stream.
                let twin = StreamID(ledger: two.ledger, kind: one.kind, id: one.id)
                let twins = try await reader.stream(twin)
                #expect(twins.isEmpty)
            }
        }
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct FeedPagesTests {
    @Test func `pages of several ledgers match the pages of each`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let streams = (0..<5).map { _ in StreamID.test() }
                for (number, stream) in streams.dropLast().enumerated() {
                    _ = try await appender.append(.test(stream, events: 3 + number))
                }
                try await database.withPool(as: .reader) { readers in
                    for reader in [LedgerReader(pool: readers, storesTiles: false), LedgerReader(pool: pool)] {
                        // The second ledger has been read to its end, and the last one has no events.
                        let cursors: [LedgerID: Int64] = [
                            streams[0].ledger: 1, streams[1].ledger: 4, streams[2].ledger: 0, streams[3].ledger: 2,
                            streams[4].ledger: 0,
                        ]
                        let pages = try await reader.pages(after: cursors, limit: 15)
                        #expect(Set(pages.keys) == [streams[0].ledger, streams[2].ledger, streams[3].ledger])
                        for (ledger, page) in pages {
                            let alone = try await reader.ledger(ledger, after: cursors[ledger] ?? 0, limit: 3)
                            #expect(page.events == alone.events && page.cursor == alone.cursor)
                            #expect(page.size == alone.size)
                        }
                        #expect(pages[streams[0].ledger]?.hasMore == false && pages[streams[2].ledger]?.hasMore == true)
                        let raw = try await reader.entries(after: cursors, limit: 15)
                        #expect(raw.mapValues { $0.entries.map(\.bytes) } == pages.mapValues { $0.events.map(\.entry) })
                        let none = try await reader.pages(after: [:])
                        #expect(none.isEmpty)
                    }
                }
            }
        }
    }
}
