import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AppenderTests {
    @Test func `events get positions and versions in order`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let reader = LedgerReader(pool: pool)
                let stream = StreamID.test()
                let first = Append.test(stream, events: 3)
                let appended = try await appender.append(first)
                #expect(first.events.map { appended.positions[$0.id] } == [1, 2, 3])
                #expect(appended.last == [stream.ledger: 3] && !appended.wasDuplicate)
                let other = StreamID.test(stream.ledger)
                #expect(try await appender.append(.test(other)).last == [stream.ledger: 4])
                #expect(try await appender.append(.test(stream, expecting: 3)).last == [stream.ledger: 5])
                let events = try await reader.stream(stream)
                #expect(events.map(\.position) == [1, 2, 3, 5] && events.map(\.streamVersion) == [1, 2, 3, 4])
                #expect(events.prefix(3).map(\.id) == first.events.map(\.id))
                #expect(events[0].data == first.events[0].data && events[0].time == appended.time)
            }
        }
    }

    @Test func `a version conflict reports the actual version and leaves no trace`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), fresh = StreamID.test()
                _ = try await appender.append(.test(stream, events: 2))
                for (target, expected, actual) in [(stream, 0, 2), (stream, 1, 2), (stream, 3, 2), (fresh, 1, 0)] {
                    let error = await #expect(throws: LedgerError.self) {
                        try await appender.append(.test(target, expecting: expected))
                    }
                    #expect(error?.code == .versionConflict)
                    #expect(error?.conflict == .init(stream: target, expected: expected, actual: actual))
                }
                let reader = LedgerReader(pool: pool)
                #expect(try await reader.head(stream.ledger)?.size == 2)
                #expect(try await reader.head(fresh.ledger) == nil)
                #expect(try await appender.append(.test(stream, expecting: 2)).last == [stream.ledger: 3])
            }
        }
    }

    @Test func `an append is refused if a guarded stream has changed`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let guarded = StreamID.test(), stream = StreamID.test()
                var append = Append.test(stream)
                append.expectations[guarded] = 1
                let error = await #expect(throws: LedgerError.self) { try await appender.append(append) }
                #expect(error?.conflict == .init(stream: guarded, expected: 1, actual: 0))
                _ = try await appender.append(.test(guarded))
                let appended = try await appender.append(append)
                #expect(appended.last == [stream.ledger: 1])
                #expect(try await LedgerReader(pool: pool).stream(guarded).count == 1)
            }
        }
    }

    @Test func `an append over several ledgers is all or nothing`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let one = StreamID.test(), two = StreamID.test()
                var append = Append.test(one)
                append.events += Append.test(two).events
                append.expectations[two] = 1
                await #expect(throws: LedgerError.self) { try await appender.append(append) }
                let head = try await LedgerReader(pool: pool).head(one.ledger)
                #expect(head == nil)
                append.expectations[two] = 0
                let appended = try await appender.append(append)
                #expect(appended.last == [one.ledger: 1, two.ledger: 1])
            }
        }
    }

    @Test func `a retry with the same events returns the first outcome, even with another time`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test()
                var append = Append.test(stream, events: 2)
                append.effects = { _ in
                    ["INSERT INTO tenure.purpose_key VALUES ('once', 1, '\\x00112233445566778899aabbccddeeff')"]
                }
                let first = try await appender.append(append)
                _ = try await appender.append(.test(stream, expecting: 2))
                for time in [append.time, append.time.adding(.seconds(-5)), append.time.adding(.seconds(5))] {
                    append.time = time
                    let again = try await appender.append(append)
                    #expect(again.wasDuplicate && again.positions == first.positions && again.time == first.time)
                }
                #expect(try await LedgerReader(pool: pool).head(stream.ledger)?.size == 3)
            }
        }
    }

    @Test func `a known event id with other content is refused`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test()
                let append = Append.test(stream, events: 2)
                _ = try await appender.append(append)
                var other = append, part = append, more = append, moved = append
                other.events[1].data = ["note": "another"]
                part.events.removeLast()
                more.events += Append.test(stream).events
                moved.events[0].stream = StreamID.test(stream.ledger)
                moved.expectations[moved.events[0].stream] = 0
                for (append, code) in [
                    (other, LedgerError.Code.eventIdReused), (more, .eventIdReused), (moved, .eventIdReused),
                ] {
                    let error = await #expect(throws: LedgerError.self) { try await appender.append(append) }
                    #expect(error?.code == code)
                }
                // A prefix of an append is not that append, but every event of it is recorded with these bytes.
                #expect(try await appender.append(part).wasDuplicate)
                #expect(try await LedgerReader(pool: pool).head(stream.ledger)?.size == 2)
            }
        }
    }

    @Test func `time never runs backwards within a ledger`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), apart = StreamID.test()
                let late = Timestamp.now().adding(.seconds(50)), early = late.adding(.seconds(-50))
                #expect(try await appender.append(.test(stream, time: late)).time == late)
                let raised = try await appender.append(.test(stream, expecting: 1, time: early))
                #expect(raised.time == late)
                #expect(try await appender.append(.test(apart, time: early)).time == early)
                var both = Append.test(stream, expecting: 2, time: early)
                both.events += Append.test(apart).events
                both.expectations[apart] = 1
                #expect(try await appender.append(both).time == late)
                let reader = LedgerReader(pool: pool)
                #expect(try await reader.stream(stream).map(\.time) == [late, late, late])
                #expect(try await reader.stream(apart).map(\.time) == [early, late])
                #expect(try await reader.head(apart.ledger)?.time == late)
            }
        }
    }

    @Test func `malformed appends are refused without the database`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, _ in
                let stream = StreamID.test()
                let key = ClaimKey(ledger: stream.ledger, kind: "email", digest: Array(repeating: 1, count: 32))
                let claim = Claim(key: key, owner: UUID())
                let changes: [(inout Append) -> Void] = [
                    { $0.events = [] }, { $0.expectations = [:] }, { $0.expectations[stream] = -1 },
                    { $0.events += $0.events }, { $0.claims = [claim, claim] },
                    {
                        $0.claims = [
                            Claim(key: ClaimKey(ledger: stream.ledger, kind: "email", digest: []), owner: UUID())
                        ]
                    },
                    { $0.claims = [Claim(key: key, owner: UUID(), value: Array(repeating: 0, count: 4_097))] },
                    { $0.releases = [ClaimRelease(key: key), ClaimRelease(key: key)] },
                    { $0.expectations[StreamID(ledger: stream.ledger, kind: "No", id: UUID())] = 0 },
                ]
                for (index, change) in changes.enumerated() {
                    var append = Append.test(stream)
                    change(&append)
                    let error = await #expect(throws: LedgerError.self, "\(index)") {
                        try await appender.append(append)
                    }
                    #expect(error?.code == .invalidEvent, "\(index)")
                }
            }
        }
    }

    @Test func `a stopped appender refuses appends`() async throws {
        try await TestDatabase.with { database in
            let stopped = try await database.withAppender { appender, _ in appender }
            let error = await #expect(throws: LedgerError.self) { try await stopped.append(.test(.test())) }
            #expect(error?.code == .unavailable)
        }
    }
}
