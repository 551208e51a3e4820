import Foundation
import Ledger
import Postgres
import Testing
import TestSupport

/// Whole streams, the ends of streams and the first event of a ledger in one statement.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct StreamsQueryTests {
    @Test func `a tail begins with the last event of its types`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let reader = LedgerReader(pool: pool), stream = StreamID.test(), other = StreamID.test(stream.ledger)
                for (version, type) in ["Made", "Noted", "Changed", "Noted", "Changed", "Noted", "Noted"].enumerated() {
                    _ = try await appender.append(.test(stream, expecting: version, type: type))
                    _ = try await appender.append(.test(other, expecting: version, type: type))
                }
                func versions(_ types: [String]) async throws -> [Int]? {
                    let read = try await reader.read(StreamsQuery([], tail: .init(stream, fromLast: types, .test)))
                    #expect(Set(read.streams.keys) == [stream] && read.founding == nil)
                    return read.streams[stream]?.map(\.streamVersion)
                }
                #expect(try await versions(["Made", "Changed"]) == [5, 6, 7])
                #expect(try await versions(["Made"]) == [1, 2, 3, 4, 5, 6, 7])
                #expect(try await versions(["Noted"]) == [7])
                #expect(try await versions(["Unheard"]) == [1, 2, 3, 4, 5, 6, 7])
                let missing = StreamID.test(stream.ledger)
                let read = try await reader.read(StreamsQuery([], tail: .init(missing, fromLast: ["Made"], .test)))
                #expect(read.streams == [missing: []])
            }
        }
    }

    @Test func `whole streams, a tail and a founding event come in one read`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let founder = StreamID.test(), second = StreamID.test(founder.ledger), elsewhere = StreamID.test()
                _ = try await appender.append(.test(founder, events: 2))
                _ = try await appender.append(.test(second, events: 3))
                _ = try await appender.append(.test(elsewhere, events: 3, type: "Made"))
                let query = StreamsQuery(
                    [founder, second], tail: .init(elsewhere, fromLast: ["Made"], .test), foundingOf: founder.ledger)
                #expect(query.ledgers == [founder.ledger, elsewhere.ledger])
                let read = try await LedgerReader(pool: pool).read(query)
                #expect(read.founding?.position == 1 && read.founding?.stream == founder)
                #expect(read.streams[founder]?.map(\.position) == [1, 2])
                #expect(read.streams[second]?.map(\.position) == [3, 4, 5])
                #expect(read.streams[elsewhere]?.map(\.streamVersion) == [3])
                let none = try await LedgerReader(pool: pool).read(StreamsQuery([], foundingOf: LedgerID(UUID())))
                #expect(none.founding == nil && none.streams.isEmpty)
            }
        }
    }
}
