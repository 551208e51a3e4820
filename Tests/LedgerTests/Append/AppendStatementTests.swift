import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// An append that a transaction sends together with other statements.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AppendStatementTests {
    /// Whether it was recorded.
    private func run(_ append: Append, _ pool: PostgresPool) async throws -> Bool {
        do {
            try await pool.withTransaction(in: append.ledgers) { connection in
                var head = LockedHead(size: 0, time: Timestamp(microseconds: 0))
                for ledger in append.ledgers {
                    if let row = try await connection.query(Appender.lockingHead(ledger)).first {
                        head = try LockedHead(row)
                    }
                }
                let statement = try AppendStatement(append, after: head)
                _ = try await connection.commit(after: [statement.sql])
            }
            return true
        } catch let error as PostgresError {
            guard error.sqlState == .requirementFailed || error.sqlState == .serializationFailure else { throw error }
            #expect(error.statementIndex == 0)
            return false
        }
    }

    @Test func `a single statement records the same as an appender`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let first = StreamID.test(), second = StreamID.test(first.ledger)
                _ = try await appender.append(.test(first, events: 2))
                let append = Append.test(second, events: 3)
                let isRecorded = try await run(append, pool)
                #expect(isRecorded)
                #expect(try await appender.append(.test(first, expecting: 2)).last == [first.ledger: 6])
                let events = try await LedgerReader(pool: pool).stream(second)
                #expect(events.map(\.id) == append.events.map(\.id) && events.map(\.streamVersion) == [1, 2, 3])
                #expect(events.map(\.position) == [3, 4, 5])
            }
        }
    }

    @Test func `a missing head or an earlier time fails and records nothing`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test()
                let appended = try await appender.append(.test(stream, time: Timestamp(microseconds: 2_000_000)))
                let early = Append.test(.test(stream.ledger), time: Timestamp(microseconds: 1_000_000))
                var isRecorded = try await run(early, pool)
                #expect(!isRecorded)
                let unknown = StreamID.test()
                isRecorded = try await run(.test(unknown), pool)
                #expect(!isRecorded)
                let reader = LedgerReader(pool: pool)
                let head = try await reader.head(stream.ledger)
                #expect(head?.size == 1 && head?.time == appended.time)
                #expect(try await reader.head(unknown.ledger) == nil)
            }
        }
    }

    @Test func `an existing stream or event fails and records nothing`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let known = Append.test(.test())
                _ = try await appender.append(known)
                var again = Append.test(.test(known.events[0].stream.ledger))
                again.events[0].id = known.events[0].id
                for append in [Append.test(known.events[0].stream), again] {
                    let error = await #expect(throws: PostgresError.self) { _ = try await run(append, pool) }
                    #expect(error?.sqlState == .uniqueViolation)
                }
                let head = try await LedgerReader(pool: pool).head(known.events[0].stream.ledger)
                #expect(head?.size == 1)
            }
        }
    }

    @Test func `a rolled back statement leaves no trace, and a concurrent one no gap`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let ledger = StreamID.test().ledger
                let first = try await appender.append(.test(.test(ledger)))
                let late = Append.test(.test(ledger), events: 2, time: .now().adding(.seconds(30)))
                try await pool.withTransaction(in: [ledger]) { connection in
                    let head = try LockedHead(try await connection.query(Appender.lockingHead(ledger))[0])
                    let undone = try AppendStatement(late, after: head)
                    _ = try await connection.commit(after: [
                        "SAVEPOINT charged", undone.sql, "ROLLBACK TO SAVEPOINT charged",
                    ])
                }
                let reader = LedgerReader(pool: pool)
                #expect(try await reader.head(ledger)?.size == 1)
                #expect(try await reader.head(ledger)?.time == first.time)
                // Times are those of the lock, so that none runs backwards.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<12 {
                        group.addTask {
                            try await pool.withTransaction(in: [ledger]) { connection in
                                let head = try LockedHead(try await connection.query(Appender.lockingHead(ledger))[0])
                                let time = head.time.adding(.seconds(1))
                                let statement = try AppendStatement(
                                    .test(.test(ledger), events: 2, time: time), after: head)
                                _ = try await connection.commit(after: [statement.sql])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let rows = try await pool.query(
                    "SELECT count(*), max(position) FROM tenure.event WHERE ledger_id = \(ledger.uuid)", in: [ledger])
                let (count, last) = try rows[0].decode(Int64.self, Int64.self)
                #expect(count == 25 && last == 25)
                #expect(try await reader.head(ledger)?.size == 25)
            }
        }
    }

    @Test func `only an append to new streams of one ledger is a single statement`() {
        let stream = StreamID.test()
        var guarding = Append.test(stream)
        guarding.expectations[.test(stream.ledger)] = 0
        var two = Append.test(stream)
        two.events += Append.test(.test()).events
        two.expectations[two.events[1].stream] = 0
        for append in [Append.test(stream, expecting: 5), guarding, two] {
            let error = #expect(throws: LedgerError.self) {
                try AppendStatement(append, after: LockedHead(size: 0, time: append.time))
            }
            #expect(error?.code == .invalidEvent)
        }
    }

    @Test func `heads are created once, and existing ones are unchanged`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let ledgers = (0..<3).map { _ in LedgerID(UUID()) }
                _ = try await appender.append(.test(.test(ledgers[1])))
                for _ in 0..<2 { _ = try await pool.query(Appender.makingHeads(ledgers), in: ledgers) }
                let rows = try await pool.query(
                    "SELECT size FROM tenure.ledger WHERE ledger_id = ANY (\(ledgers.map(\.uuid))) ORDER BY size",
                    in: ledgers)
                #expect(try rows.map { try $0.decode(Int64.self) } == [0, 0, 1])
            }
        }
    }

    @Test func `locking heads returns their latest time and creates missing ones`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let ledgers = (0..<3).map { _ in LedgerID(UUID()) }
                let times = [5_000_000, 7_000_000].map { Timestamp(microseconds: $0) }
                for (ledger, time) in zip(ledgers, times) {
                    _ = try await appender.append(.test(.test(ledger), time: time))
                }
                let rows = try await pool.query(Appender.lockingHeads(ledgers + ledgers), in: ledgers)
                let latest = try #require(rows.first).decode(PostgresTimestamp.self)
                #expect(latest.microsecondsSinceUnixEpoch == 7_000_000)
                let heads = try await pool.query(
                    "SELECT ledger_id FROM tenure.ledger WHERE ledger_id = ANY (\(ledgers.map(\.uuid)))", in: ledgers)
                #expect(heads.count == 3)
            }
        }
    }

    @Test func `an append with a claim is not a single statement`() {
        var append = Append.test(.test())
        let key = ClaimKey(ledger: .directory(1), kind: "email", digest: Array(repeating: 1, count: 32))
        append.claims = [Claim(key: key, owner: UUID())]
        let error = #expect(throws: LedgerError.self) {
            try AppendStatement(append, after: LockedHead(size: 0, time: append.time))
        }
        #expect(error?.code == .invalidEvent)
    }
}
