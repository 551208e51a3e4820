import FoundationEssentials
import Testing

@testable import Postgres

struct EncodingTests {
    private func bytes(_ value: some PostgresEncodable) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try value.encode(into: &bytes)
        return bytes
    }

    private func decoded<Value: PostgresDecodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try Value.decode(bytes.span)
    }

    @Test func `integers are in network order`() throws {
        #expect(try bytes(Int16(-2)) == [0xFF, 0xFE])
        #expect(try bytes(Int32(0x0102_0304)) == [1, 2, 3, 4])
        #expect(try bytes(Int64.min) == [0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(try decoded(Int64.self, [0x80, 0, 0, 0, 0, 0, 0, 0]) == .min)
        #expect(throws: PostgresError.self) { try decoded(Int32.self, [1, 2, 3]) }
    }

    @Test func `a timestamp counts from the server's epoch`() throws {
        let millennium = PostgresTimestamp(microsecondsSinceUnixEpoch: 946_684_800_000_000)
        #expect(try bytes(millennium) == [0, 0, 0, 0, 0, 0, 0, 0])
        for extreme in [Int64.min, Int64.min + 946_684_800_000_000] as [Int64] {
            #expect(throws: PostgresError.self) { try bytes(PostgresTimestamp(microsecondsSinceUnixEpoch: extreme)) }
        }
        // One row with such a value, which anybody may write who writes the table, must not end a query for all.
        for infinity in [Int64.min, Int64.max] as [Int64] {
            #expect(
                try decoded(PostgresTimestamp.self, bytes(infinity)).microsecondsSinceUnixEpoch == infinity)
        }
    }

    @Test func `an array has a header, lengths and NULLs`() throws {
        #expect(
            try bytes([Int16(1), nil]) == [
                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 21, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF,
            ])
        #expect(try bytes([] as [String]) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
    }

    @Test func `bytes are bytea, and lists of bytes are bytea arrays`() throws {
        #expect([UInt8].postgresType == .bytea)
        #expect([[UInt8]].postgresType == .byteaArray)
        #expect([[UInt8]?].postgresType == .byteaArray)
        #expect([UUID?].postgresType == .uuidArray)
        #expect(try bytes([1, 2, 3] as [UInt8]) == [1, 2, 3])
    }

    @Test func `truncated arrays and trailing bytes are refused`() throws {
        let whole = try bytes(["one", nil, "three"])
        #expect(try decoded([String?].self, whole) == ["one", nil, "three"])
        for length in 0..<whole.count {
            #expect(throws: PostgresError.self) { try decoded([String?].self, Array(whole.prefix(length))) }
        }
        #expect(throws: PostgresError.self) { try decoded([String?].self, (whole + [0])) }
        #expect(throws: PostgresError.self) { try decoded([String].self, whole) }
    }

    @Test func `an array that lies about its length or has two dimensions is refused`() throws {
        var lying = try bytes([Int64(1)])
        lying[12] = 0x7F
        #expect(throws: PostgresError.self) { try decoded([Int64].self, lying) }
        lying[12] = 0xFF
        #expect(throws: PostgresError.self) { try decoded([Int64].self, lying) }
        var two = try bytes([Int64(1)])
        two[3] = 2
        #expect(throws: PostgresError.self) { try decoded([Int64].self, two) }
    }

    @Test func `malformed scalars are refused`() {
        #expect(throws: PostgresError.self) { try decoded(Bool.self, [2]) }
        #expect(throws: PostgresError.self) { try decoded(Bool.self, []) }
        #expect(throws: PostgresError.self) { try decoded(String.self, [0xC3, 0x28]) }
        #expect(throws: PostgresError.self) { try decoded(UUID.self, [1, 2, 3]) }
        #expect(throws: PostgresError.self) { try decoded(PostgresJSONB.self, [2, 0x31]) }
    }

    @Test func `every type names an array type of its own`() {
        let types: [PostgresType] = [
            .bool, .int2, .int4, .int8, .text, .bytea, .uuid, .timestamptz, .json, .jsonb, .varchar, .name,
        ]
        let arrays = types.compactMap(\.array)
        #expect(Set(arrays).count == types.count)
        #expect(arrays.map(\.element) == types)
    }

    @Test func `a raw-representable type is encoded as its raw value`() throws {
        enum Colour: String, PostgresEncodable, PostgresDecodable { case red }
        #expect(Colour.postgresType == .text)
        #expect(try bytes(Colour.red) == Array("red".utf8))
        #expect(throws: PostgresError.self) { try decoded(Colour.self, Array("blue".utf8)) }
    }
}
