import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// Those events of a stream that are of some types and hold some bytes.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct StreamSearchQueryTests {
    @Test func `it finds by type what holds the bytes, in the order of versions`() async throws {
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

    @Test func `where its condition does not hold no event is looked at, however many there are`() async throws {
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
