import ArgumentParser
import Canonical
import Foundation
import Ledger
import Projections
import Testing
import TestSupport

@testable import tenure

@Suite struct LogEndTests {
    private let end = LogEnd(position: 21, time: Timestamp("2026-11-23T20:16:09.000000Z"))
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    @Test func `a position past the end is an error that says where the log ends`() {
        let failure = #expect(throws: CommandFailure.self) { try end.note([.position(22)], now: now) }
        #expect(failure?.exitCode == .notFound)
        #expect(
            failure?.message == "there is no position 22: the log ends at 2026-11-23 20:16:09 UTC, position 21")
    }

    @Test func `each of two moments is checked`() {
        #expect(throws: CommandFailure.self) { try end.note([.position(3), .position(22)], now: now) }
    }

    @Test func `a time in the future gets a note`() throws {
        let note = try end.note([.time(now.adding(.seconds(60)))], now: now)
        #expect(note?.contains("is in the future; the log ends at 2026-11-23 20:16:09 UTC, position 21") == true)
    }

    @Test func `a moment that the log has reached gets no note`() throws {
        let first = try end.note([.position(1), .position(21)], now: now)
        let second = try end.note([.time(now), .now], now: now)
        #expect(first == nil && second == nil)
    }

    @Test func `the end of all ledgers has a time only`() throws {
        let all = LogEnd(position: nil, time: end.time)
        let note = try all.note([.time(now.adding(.seconds(1)))], now: now)
        #expect(note?.contains("the log ends at 2026-11-23 20:16:09 UTC, and") == true)
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct LogEndReadingTests {
    @Test func `the end is that of the selected ledger`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            try await database.withAppender { appender, _ in
                _ = try await appender.append(.test(.test(ledger), events: 3))
            }
            try await database.withPool(as: .reader) { pool in
                let log = EventLog(pool: pool, codes: .test, keys: nil)
                var selection = ReplaySelection(ledgers: try await log.ledgers())
                let all = try await LogEnd.read(selection, pool)
                selection.limit(to: ledger, nil)
                let one = try await LogEnd.read(selection, pool)
                let page = try await log.reader.ledger(ledger)
                let last = try #require(page.events.last)
                #expect(one == LogEnd(position: 3, time: last.time))
                #expect(all == LogEnd(position: nil, time: last.time))
            }
        }
    }
}
