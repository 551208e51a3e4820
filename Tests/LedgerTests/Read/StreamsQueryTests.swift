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
                    let read = try await reader.read(StreamsQuery([], tail: .init(stream, fromLast: types)))
                    #expect(Set(read.streams.keys) == [stream] && read.founding == nil)
                    return read.streams[stream]?.map(\.streamVersion)
                }
                #expect(try await versions(["Made", "Changed"]) == [5, 6, 7])
                #expect(try await versions(["Made"]) == [1, 2, 3, 4, 5, 6, 7])
                #expect(try await versions(["Noted"]) == [7])
                #expect(try await versions(["Unheard"]) == [1, 2, 3, 4, 5, 6, 7])
                let missing = StreamID.test(stream.ledger)
                let read = try await reader.read(StreamsQuery([], tail: .init(missing, fromLast: ["Made"])))
                #expect(read.streams == [missing: []])
            }
        }
    }

    @Test func `streams, a tail, a founding event and other statements are read in one query`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let founder = StreamID.test(), second = StreamID.test(founder.ledger), elsewhere = StreamID.test()
                _ = try await appender.append(.test(founder, events: 2))
                _ = try await appender.append(.test(second, events: 3))
                _ = try await appender.append(.test(elsewhere, events: 3, type: "Made"))
                let query = StreamsQuery(
                    [founder, second], tail: .init(elsewhere, fromLast: ["Made"]), foundingOf: founder.ledger)
                #expect(query.ledgers == [founder.ledger, elsewhere.ledger])
                let others: [SQL] = ["SELECT 1::bigint", "SELECT 2::bigint"]
                let read = try await LedgerReader(pool: pool).read(query, beside: others)
                #expect(read.founding?.position == 1 && read.founding?.stream == founder)
                #expect(read.streams[founder]?.map(\.position) == [1, 2])
                #expect(read.streams[second]?.map(\.position) == [3, 4, 5])
                #expect(read.streams[elsewhere]?.map(\.streamVersion) == [3])
                #expect(try read.rows.map { try $0.first?.decode(Int64.self) } == [1, 2])
                let none = try await LedgerReader(pool: pool).read(StreamsQuery([], foundingOf: LedgerID(UUID())))
                #expect(none.founding == nil && none.streams.isEmpty)
            }
        }
    }

    @Test func `another ledger's rows stay hidden from an adjacent statement`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let mine = StreamID.test(), foreign = StreamID.test()
                for stream in [mine, foreign] { _ = try await appender.append(.test(stream)) }
                let count: SQL = "SELECT count(*) FROM tenure.event"
                let reader = LedgerReader(pool: pool)
                let read = try await reader.read(StreamsQuery([mine]), beside: [count])
                #expect(try read.rows[0].first?.decode(Int64.self) == 1)
                let both = try await reader.read(StreamsQuery([mine]), beside: [count], in: [foreign.ledger])
                #expect(try both.rows[0].first?.decode(Int64.self) == 2)
            }
        }
    }
}

/// Those events of a stream that are of some types and hold some bytes.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct StreamSearchQueryTests {
    @Test func `a search by type finds the events with the given bytes, in version order`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), other = StreamID.test(stream.ledger)
                let notes = ["red", "a%b_c", "re", "blue", "ends", "red again"]
                for (version, note) in notes.enumerated() {
                    let type = note == "ends" ? "Ended" : "Noted"
                    for stream in [stream, other] {
                        _ = try await appender.append(.test(stream, expecting: version, type: type, note: note))
                    }
                }
                func versions(_ wanted: [String: String]) async throws -> [Int] {
                    let query = StreamSearchQuery(stream, wanted.mapValues { Array($0.utf8) })
                    let events = try query.read(try await pool.query(query.sql, in: [query.ledger]))
                    #expect(events.allSatisfy { $0.stream == stream })
                    return events.map(\.streamVersion)
                }
                #expect(try await versions(["Noted": "\"red"]) == [1, 6])
                #expect(try await versions(["Noted": "blue", "Ended": ""]) == [4, 5])
                // Bytes are bytes, and no pattern.
                #expect(try await versions(["Noted": "a%b_c"]) == [2])
                #expect(try await versions(["Noted": "%"]) == [2])
                #expect(try await versions(["Ended": "red", "Unheard": ""]).isEmpty)
                #expect(try await versions(["Noted": ""]) == [1, 2, 3, 4, 6])
                #expect(try await versions([:]).isEmpty)
            }
        }
    }

    @Test func `a search reads no event if its condition is false`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), claims = [UInt8(1), 2].map { [UInt8](repeating: $0, count: 32) }
                _ = try await pool.query(
                    """
                    INSERT INTO tenure.claim (ledger_id, kind, key, owner)
                    VALUES (\(stream.ledger.uuid), 'device', \(claims[0]), \(stream.id))
                    """, in: [stream.ledger])
                for version in 0..<20 {
                    _ = try await appender.append(.test(stream, expecting: version, type: "Noted", note: "red"))
                }
                // Whatever the settings of the server: what is read is counted, not what is planned.
                func read(_ claim: [UInt8]) async throws -> (events: Int, looked: Int64) {
                    let condition: SQL = """
                        EXISTS (SELECT FROM tenure.claim
                            WHERE ledger_id = \(stream.ledger.uuid) AND kind = 'device' AND key = \(claim))
                        """
                    let query = StreamSearchQuery(stream, ["Noted": Array("red".utf8)], if: condition)
                    // The session's count; what it did before is in it until it is reported.
                    let looked: SQL = """
                        SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
                        WHERE relid = 'tenure.event'::regclass
                        """
                    return try await pool.withTransaction(in: [stream.ledger]) { connection in
                        let before = try await connection.query(looked)
                        let events = try query.read(try await connection.query(query.sql))
                        let after = try await connection.query(looked)
                        return (events.count, try after[0].decode(Int64.self) - before[0].decode(Int64.self))
                    }
                }
                let all = try await read(claims[0]), none = try await read(claims[1])
                #expect(all.events == 20)
                #expect(all.looked >= 20)
                #expect(none.events == 0)
                #expect(none.looked == 0)
            }
        }
    }
}
