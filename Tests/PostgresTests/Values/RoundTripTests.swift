import FoundationEssentials
import Testing

@testable import Postgres

/// Every type goes to the server and back, and the server's own text form says that it arrived as what was meant.
@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct RoundTripTests {
    private func roundTrip<Value: PostgresEncodable & PostgresDecodable & Equatable>(
        _ values: [Value], asText texts: [String?]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await TestDatabase.withConnection { connection in
            for (index, value) in values.enumerated() {
                let rows = try await connection.query("SELECT \(value) AS value, \(value)::text AS text")
                let (back, text) = try rows[0].decode(Value.self, String?.self)
                #expect(back == value, sourceLocation: sourceLocation)
                if let texts { #expect(text == texts[index], sourceLocation: sourceLocation) }
            }
        }
    }

    @Test func booleans() async throws {
        try await roundTrip([true, false], asText: ["true", "false"])
        try await roundTrip([true, nil], asText: ["true", nil])
    }

    @Test func integers() async throws {
        try await roundTrip([Int16.min, -1, 0, .max], asText: ["-32768", "-1", "0", "32767"])
        try await roundTrip([Int32.min, -1, 0, .max], asText: ["-2147483648", "-1", "0", "2147483647"])
        let extremes = ["-9223372036854775808", "-1", "0", "9223372036854775807"]
        try await roundTrip([Int64.min, -1, 0, .max], asText: extremes)
        try await roundTrip([Int.min, -1, 0, .max], asText: extremes)
    }

    @Test func text() async throws {
        let texts = [
            "", " ", "a'b\"c\\", "\u{1}\u{7F}", "é", "e\u{301}", "👩‍👩‍👧", "\u{10FFFF}",
            String(repeating: "x", count: 1 << 20),
        ]
        try await TestDatabase.withConnection { connection in
            for text in texts {
                let back = try await connection.query("SELECT \(text)")[0].decode(String.self)
                // By bytes: Swift's == ignores the Unicode form.
                #expect(Array(back.utf8) == Array(text.utf8))
            }
        }
        try await roundTrip([nil, "x"] as [String?])
    }

    @Test func `name and varchar are text`() async throws {
        try await TestDatabase.withConnection { connection in
            let rows = try await connection.query(
                "SELECT current_user, 'v'::varchar, ARRAY['n']::name[], ARRAY['w']::varchar[]")
            let (user, varchar, names, words) = try rows[0].decode(
                String.self, String.self, [String].self, [String].self)
            #expect(!user.isEmpty)
            #expect(varchar == "v")
            #expect(names == ["n"])
            #expect(words == ["w"])
        }
    }

    @Test func bytes() async throws {
        try await roundTrip([[], [0], [0, 0xFF, 0x5C], Array(0...255)] as [[UInt8]], asText: nil)
        try await roundTrip([[0, 0xFF]] as [[UInt8]], asText: ["\\x00ff"])
        try await roundTrip([nil, []] as [[UInt8]?])
    }

    @Test func uuids() async throws {
        let id = UUID()
        try await roundTrip([id], asText: [id.uuidString.lowercased()])
        try await roundTrip([nil, id] as [UUID?])
    }

    @Test func timestamps() async throws {
        let stamps = [
            0, -1, 946_684_800_000_000, 1_795_000_000_123_456, 9_223_371_331_199_999_999 - 0, -210_866_803_200_000_000,
        ]
        .map { PostgresTimestamp(microsecondsSinceUnixEpoch: $0) }
        try await roundTrip(
            [stamps[0], stamps[1], stamps[3]],
            asText: [
                "1970-01-01 00:00:00+00", "1969-12-31 23:59:59.999999+00", "2026-11-18 11:06:40.123456+00",
            ])
        try await roundTrip([stamps[2], stamps[5]])
        try await TestDatabase.withConnection { connection in
            let row = try await connection.query("SELECT 'infinity'::timestamptz, '-infinity'::timestamptz")[0]
            let infinities = try row.decode(PostgresTimestamp.self, PostgresTimestamp.self)
            #expect(infinities.0.microsecondsSinceUnixEpoch == .max)
            #expect(infinities.1.microsecondsSinceUnixEpoch == .min)
        }
    }

    @Test func json() async throws {
        let text = Array(#"{"b": 1,  "a": "é"}"#.utf8)
        try await roundTrip([PostgresJSON(bytes: text)])
        try await TestDatabase.withConnection { connection in
            let row = try await connection.query("SELECT \(PostgresJSONB(bytes: text))")[0]
            #expect(try row.decode(PostgresJSONB.self).bytes == Array(#"{"a": "é", "b": 1}"#.utf8))
            #expect(throws: PostgresError.self) { try row.decode(PostgresJSON.self) }
            let nul = try await databaseError {
                try await connection.query("SELECT \(PostgresJSON(bytes: [0x22, 0, 0x22]))")
            }
            #expect(nul.code == .encoding)
            let malformed = try await databaseError {
                try await connection.query("SELECT \(PostgresJSONB(bytes: [0x7B]))")
            }
            #expect(malformed.sqlState?.rawValue == "22P02")
        }
    }

    @Test func arrays() async throws {
        try await roundTrip(
            [[], [1], [.min, .max]] as [[Int64]], asText: ["{}", "{1}", "{-9223372036854775808,9223372036854775807}"])
        try await roundTrip([[], [1, -1]] as [[Int]])
        try await roundTrip([[], [1, -1]] as [[Int32]])
        try await roundTrip([[], [1, -1]] as [[Int16]])
        try await roundTrip([[], [true, false]] as [[Bool]], asText: ["{}", "{t,f}"])
        try await roundTrip(
            [[], ["", "a,b", "NULL", "\"", "{}"]] as [[String]], asText: ["{}", #"{"","a,b","NULL","\"","{}"}"#])
        try await roundTrip([[], [[], [0, 1]]] as [[[UInt8]]])
        try await roundTrip([[], [UUID(), UUID()]] as [[UUID]])
        try await roundTrip([[PostgresTimestamp(microsecondsSinceUnixEpoch: 1)]])
        try await roundTrip([[PostgresJSON(bytes: [0x31])]])
        try await roundTrip([[PostgresJSONB(bytes: [0x31])]])
        try await roundTrip([Array(0..<100_000)] as [[Int]])
    }

    @Test func `arrays with NULL round-trip`() async throws {
        try await roundTrip(
            [[nil], [1, nil, 3], [nil, nil]] as [[Int64?]], asText: ["{NULL}", "{1,NULL,3}", "{NULL,NULL}"])
        try await roundTrip([[nil, ""]] as [[String?]])
        try await roundTrip([[nil, []]] as [[[UInt8]?]])
        try await roundTrip([[nil, UUID()]] as [[UUID?]])
        try await roundTrip([[nil, true]] as [[Bool?]])
        try await roundTrip([nil, [nil]] as [[Int32?]?])
    }

    @Test func `an unsuitable array is refused: with NULL, two dimensions or another type`()
        async throws
    {
        try await TestDatabase.withConnection { connection in
            let row = try await connection.query(
                "SELECT ARRAY[1, NULL]::int8[], ARRAY[[1], [2]]::int8[], ARRAY[1.5], '[5:6]={1,2}'::int8[]")[0]
            #expect(throws: PostgresError.self) { try row.decode(column: 0, as: [Int64].self) }
            #expect(throws: PostgresError.self) { try row.decode(column: 0, as: [Int32?].self) }
            #expect(throws: PostgresError.self) { try row.decode(column: 1, as: [Int64].self) }
            #expect(throws: PostgresError.self) { try row.decode(column: 2, as: [Int64].self) }
            #expect(try row.decode(column: 3, as: [Int64].self) == [1, 2])
        }
    }
}
