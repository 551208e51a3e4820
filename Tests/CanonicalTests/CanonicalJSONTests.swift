import Canonical
import Testing

private let departures: [Refused] = [
    Refused(" 1", .notCanonical, 0), Refused("1\n", .notCanonical, 1), Refused("[1, 2]", .notCanonical, 3, "/1"),
    Refused("[ ]", .notCanonical, 1), Refused("{\"a\": 1}", .notCanonical, 5),
    Refused("{\"b\":1,\"a\":2}", .notCanonical, 7, "/a"), Refused("{\"a\":1,\"\":2}", .notCanonical, 7, "/"),
    Refused("{\"a\":{\"aa\":1,\"a\":2}}", .notCanonical, 13, "/a/a"), Refused("\"\\/\"", .notCanonical, 1),
    Refused("\"\\u0041\"", .notCanonical, 1), Refused("\"\\u000a\"", .notCanonical, 1),
    Refused("\"\\u0008\"", .notCanonical, 1), Refused("\"\\u0009\"", .notCanonical, 1),
    Refused("\"\\u000c\"", .notCanonical, 1), Refused("\"\\u000d\"", .notCanonical, 1),
    Refused("\"\\u001F\"", .notCanonical, 1), Refused("\"\\u0022\"", .notCanonical, 1),
    Refused("\"\\u005c\"", .notCanonical, 1), Refused("\"\\u007f\"", .notCanonical, 1),
    Refused("\"\\u00e9\"", .notCanonical, 1), Refused("\"x\\ud83d\\ude00\"", .notCanonical, 2),
    Refused("null", .nullValue, 0), Refused("{\"a\":[null]}", .nullValue, 6, "/a/0"),
    Refused("-0", .notAnInteger, 0), Refused("1.0", .notAnInteger, 0),
    Refused("{\"a\":1,\"a\":1}", .duplicateMember, 7, "/a"),
    // U+FB33 comes before U+1F600 as a code point, and after it as UTF-16.
    Refused("{\"\u{FB33}\":1,\"\u{1F600}\":2}", .notCanonical, 9, "/\u{1F600}"),
]

@Suite struct `Canonical JSON` {
    @Test(arguments: departures)
    func `non-canonical JSON is refused with its position`(row: Refused) throws {
        let error = try #require(refusal(row.text, canonical: true))
        #expect(error.code == row.code)
        #expect(error.offset == row.offset)
        #expect(error.pointer.utf8.elementsEqual(row.pointer.utf8), "\(error.pointer)")
    }

    @Test func `members are sorted as RFC 8785, section 3.2.3 requires`() throws {
        let text = """
            {"\\u20ac": "Euro Sign", "\\r": "Carriage Return", "\\ufb33": "Hebrew Letter Dalet With Dagesh",
             "1": "One", "\\ud83d\\ude00": "Emoji: Grinning Face", "\\u0080": "Control",
             "\\u00f6": "Latin Small Letter O With Diaeresis"}
            """
        let expected =
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\","
            + "\"\u{F6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20AC}\":\"Euro Sign\","
            + "\"\u{1F600}\":\"Emoji: Grinning Face\",\"\u{FB33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        let value = try StrictJSON.parse(text.utf8)
        #expect(value.canonicalBytes() == Array(expected.utf8))
        #expect(try CanonicalJSON.parse(expected.utf8) == value)
    }

    @Test func `strings are escaped as RFC 8785, section 3.2.2.2 requires`() {
        #expect(canonicalText(.string("€$\u{F}\nA'B\"\\\\\"/")) == "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"")
        #expect(
            canonicalText(.string("\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}\u{2028}"))
                == "\"\\b\\t\\n\\u000b\\f\\r\\u001f\u{7F}\u{2028}\"")
        #expect(canonicalText(.null) == "null")
        #expect(canonicalText([true, false, 0, -1, .integer(.min)]) == "[true,false,0,-1,-9223372036854775808]")
    }

    @Test func `strings keep their bytes in any Unicode form`() throws {
        let composed = Array("\"é\"".utf8)
        let decomposed = Array("\"e\u{301}\"".utf8)
        #expect(try CanonicalJSON.parse(composed) != CanonicalJSON.parse(decomposed))
        #expect(try CanonicalJSON.parse(composed).canonicalBytes() == composed)
        #expect(try CanonicalJSON.parse(decomposed).canonicalBytes() == decomposed)
        #expect(JSONValue.object(["é": 1]) != .object(["e\u{301}": 1]))
        #expect(JSONValue.object(["\u{212A}": 1])["K"] == nil)
        #expect(JSONValue.object(["K": 1])["K"] == 1)
    }

    @Test func `random values round-trip, and their text is canonical`() throws {
        var generator = SeededGenerator(seed: 8785)
        for _ in 0..<3_000 {
            let value = JSONValue.random(depth: 4, using: &generator)
            let bytes = value.canonicalBytes()
            #expect(try StrictJSON.parse(bytes) == value)
            #expect(try CanonicalJSON.parse(bytes) == value)
            let loose = value.loosely(using: &generator)
            #expect(try StrictJSON.parse(loose.utf8).canonicalBytes() == bytes, "\(loose)")
        }
    }

    @Test func `the canonical reader accepts exactly its own canonical form`() throws {
        var generator = SeededGenerator(seed: 17)
        var taken = 0
        for _ in 0..<20_000 {
            var bytes = JSONValue.random(depth: 3, using: &generator).canonicalBytes()
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[position] = UInt8.random(in: 0x08...0x7F, using: &generator)
            case 1: bytes.insert(UInt8(ascii: " "), at: position)
            case 2: bytes.remove(at: position)
            default: bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &generator))
            }
            let strict = try? StrictJSON.parse(bytes)
            let expected = strict.map { $0.canonicalBytes() == bytes } ?? false
            #expect((refusal(bytes, canonical: true) == nil) == expected, "\(String(decoding: bytes, as: UTF8.self))")
            if expected { taken += 1 }
        }
        #expect(taken > 500)
    }

    @Test func `names are sorted by their UTF-16 code units`() throws {
        var generator = SeededGenerator(seed: 16)
        let pool: [Unicode.Scalar] = [
            "a", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}",
            "\u{10FFFF}",
        ]
        for _ in 0..<2_000 {
            var names: Set<String> = []
            for _ in 0..<6 {
                let length = Int.random(in: 0...3, using: &generator)
                names.insert(
                    (0..<length).map { _ in String(pool[Int.random(in: 0..<pool.count, using: &generator)]) }.joined())
            }
            let sorted = names.sorted { Array($0.utf16).lexicographicallyPrecedes(Array($1.utf16)) }
            let text = "{" + sorted.map { canonicalText(.string($0)) + ":1" }.joined(separator: ",") + "}"
            let value = JSONValue.object(Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
            #expect(canonicalText(value) == text)
            #expect(refusal(text, canonical: true) == nil)
        }
    }
}
