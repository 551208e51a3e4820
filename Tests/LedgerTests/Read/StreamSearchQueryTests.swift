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
}
