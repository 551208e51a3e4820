import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// The last events of streams, and the beginning of a stream that a claim names.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct StreamHeadsQueryTests {
    @Test func `a head is the last event of its stream, and moves with the next one`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let first = StreamID.test(), second = StreamID.test(first.ledger), elsewhere = StreamID.test()
                let missing = StreamID.test(first.ledger)
                _ = try await appender.append(.test(first, events: 2))
                _ = try await appender.append(.test(second, events: 3))
                _ = try await appender.append(.test(elsewhere, events: 1))
                let query = StreamHeadsQuery([first, second, elsewhere, missing])
                #expect(query.ledgers == [first.ledger, elsewhere.ledger])
                func heads() async throws -> [StreamID: StreamHead] {
                    try query.read(try await pool.query(query.sql, in: query.ledgers))
                }
                let found = try await heads()
                #expect(found.mapValues(\.version) == [first: 2, second: 3, elsewhere: 1])
                let events = try await LedgerReader(pool: pool).stream(second)
                #expect(found[second] == StreamHead(events) && StreamHead([]) == nil)
                _ = try await appender.append(.test(second, expecting: 3))
                let later = try await heads()
                #expect(later[second]?.version == 4 && later[first] == found[first])
                let hidden = try query.read(try await pool.query(query.sql, in: [elsewhere.ledger]))
                #expect(Set(hidden.keys) == [elsewhere])
            }
        }
    }

    @Test func `the beginning is that of the claim's owner, else of the other`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let owner = StreamID.test(), other = StreamID.test(owner.ledger)
                let key = ClaimKey(ledger: owner.ledger, kind: "employee", digest: Array(repeating: 1, count: 32))
                let free = ClaimKey(ledger: owner.ledger, kind: "employee", digest: Array(repeating: 2, count: 32))
                var append = Append.test(owner, events: 2)
                append.claims = [Claim(key: key, owner: owner.id)]
                _ = try await appender.append(append)
                _ = try await appender.append(.test(other, events: 2))
                func beginning(_ claim: ClaimKey, _ other: UUID?) async throws -> RecordedEvent? {
                    let query = OwnerBeginningQuery(claim, kind: owner.kind, otherwise: other)
                    return try query.read(try await pool.query(query.sql, in: [owner.ledger]))
                }
                let owned = try await beginning(key, other.id)
                #expect(owned?.stream == owner && owned?.streamVersion == 1)
                let instead = try await beginning(free, other.id)
                #expect(instead?.stream == other && instead?.streamVersion == 1)
                let none = [try await beginning(free, nil), try await beginning(free, UUID())]
                #expect(none == [nil, nil])
            }
        }
    }
}
