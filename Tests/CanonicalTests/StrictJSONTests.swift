import Canonical
import Testing

/// A text, and the code, offset and pointer of its refusal.
struct Refused: Sendable, CustomTestStringConvertible {
    let text: String
    let code: JSONError.Code
    let offset: Int
    let pointer: String

    init(_ text: String, _ code: JSONError.Code, _ offset: Int, _ pointer: String = "") {
        (self.text, self.code, self.offset, self.pointer) = (text, code, offset, pointer)
    }

    var testDescription: String { text.debugDescription }
}

private let syntax: [Refused] = [
    Refused("", .unexpectedEnd, 0), Refused("  ", .unexpectedEnd, 2), Refused("\u{FEFF}1", .byteOrderMark, 0),
    Refused("x", .unexpectedByte, 0), Refused("'a'", .unexpectedByte, 0), Refused("+1", .unexpectedByte, 0),
    Refused(".5", .unexpectedByte, 0), Refused("NaN", .unexpectedByte, 0), Refused("Infinity", .unexpectedByte, 0),
    Refused("tru", .unexpectedEnd, 3), Refused("True", .unexpectedByte, 0), Refused("trux", .unexpectedByte, 0),
    Refused("nul", .unexpectedEnd, 3), Refused("falsy", .unexpectedByte, 0), Refused("1 2", .trailingBytes, 2),
    Refused("truefalse", .trailingBytes, 4), Refused("{}x", .trailingBytes, 2), Refused("1\u{B}", .trailingBytes, 1),
    Refused("\u{A0}1", .unexpectedByte, 0), Refused("//\n1", .unexpectedByte, 0), Refused("\u{0}", .unexpectedByte, 0),
    Refused("[", .unexpectedEnd, 1, "/0"), Refused("[1", .unexpectedEnd, 2), Refused("[1,", .unexpectedEnd, 3, "/1"),
    Refused("[1,]", .unexpectedByte, 3, "/1"), Refused("[,1]", .unexpectedByte, 1, "/0"),
    Refused("[1 2]", .unexpectedByte, 3), Refused("[1}", .unexpectedByte, 2), Refused("]", .unexpectedByte, 0),
    Refused("{", .unexpectedEnd, 1), Refused("{1:2}", .unexpectedByte, 1), Refused("{a:2}", .unexpectedByte, 1),
    Refused("{\"a\"", .unexpectedEnd, 4), Refused("{\"a\" 1}", .unexpectedByte, 5),
    Refused("{\"a\":", .unexpectedEnd, 5, "/a"), Refused("{\"a\":}", .unexpectedByte, 5, "/a"),
    Refused("{\"a\":1", .unexpectedEnd, 6), Refused("{\"a\":1,", .unexpectedEnd, 7),
    Refused("{\"a\":1,}", .unexpectedByte, 7), Refused("{\"a\":1]", .unexpectedByte, 6),
    Refused("{\"a\":[0,{\"b/c~d\":x}]}", .unexpectedByte, 17, "/a/1/b~1c~0d"),
    Refused("{\"a\\u0062\\/\":[x]}", .unexpectedByte, 14, "/ab~1/0"),
]

private let numbers: [Refused] = [
    Refused("-", .unexpectedEnd, 1), Refused("-x", .unexpectedByte, 1), Refused("--1", .unexpectedByte, 1),
    Refused("01", .notAnInteger, 0), Refused("-01", .notAnInteger, 0), Refused("00", .notAnInteger, 0),
    Refused("-0", .notAnInteger, 0), Refused("1.0", .notAnInteger, 0), Refused("1.", .notAnInteger, 0),
    Refused("1e3", .notAnInteger, 0), Refused("1E3", .notAnInteger, 0), Refused("-1e-3", .notAnInteger, 0),
    Refused("0x10", .trailingBytes, 1), Refused("9007199254740992", .integerOutOfRange, 0),
    Refused("-9007199254740992", .integerOutOfRange, 0), Refused("[18446744073709551617]", .integerOutOfRange, 1, "/0"),
    Refused(String(repeating: "9", count: 60_000), .integerOutOfRange, 0),
]

private let strings: [Refused] = [
    Refused("\"", .unexpectedEnd, 1), Refused("\"a", .unexpectedEnd, 2), Refused("\"\\", .unexpectedEnd, 1),
    Refused("\"\\\"", .unexpectedEnd, 3), Refused("\"\\u00", .unexpectedEnd, 5), Refused("\"a\u{0}\"", .nul, 2),
    Refused("\"a\nb\"", .controlCharacter, 2), Refused("\"\u{1F}\"", .controlCharacter, 1),
    Refused("\"\\x\"", .invalidEscape, 1), Refused("\"\\U0041\"", .invalidEscape, 1),
    Refused("\"\\'\"", .invalidEscape, 1), Refused("\"ab\\u00g0\"", .invalidEscape, 3),
    Refused("\"\\u 041\"", .invalidEscape, 1), Refused("\"\\u+041\"", .invalidEscape, 1),
    Refused("\"\\u0000\"", .nul, 1), Refused("\"\\ud800\"", .loneSurrogate, 1),
    Refused("\"\\uDFFF\"", .loneSurrogate, 1), Refused("\"\\ud800\\ud800\"", .loneSurrogate, 1),
    Refused("\"\\ud800x\"", .loneSurrogate, 1), Refused("\"\\udc00\\ud800\"", .loneSurrogate, 1),
    Refused("\"\\ud83d\\n\"", .loneSurrogate, 1), Refused("\"\\ud83d\\u0041\"", .loneSurrogate, 1),
    Refused("{\"\\ud800\":1}", .loneSurrogate, 2),
]

private let duplicates: [Refused] = [
    Refused("{\"a\":1,\"a\":1}", .duplicateMember, 7, "/a"),
    Refused("{\"a\":1,\"\\u0061\":2}", .duplicateMember, 7, "/a"),
    Refused("{\"\\u002f\":1,\"\\/\":2}", .duplicateMember, 12, "/~1"),
    Refused("{\"é\":1,\"\\u00E9\":2}", .duplicateMember, 8, "/é"),
    Refused("{\"😀\":1,\"\\ud83d\\uDE00\":2}", .duplicateMember, 10, "/😀"),
    Refused("{\"\":1,\"\":2}", .duplicateMember, 6, "/"),
    Refused("[{\"b\":{\"a\":1,\"c\":0,\"a\":2}}]", .duplicateMember, 19, "/0/b/a"),
    // Canonically equivalent: a dictionary of strings would keep one of them.
    Refused("{\"é\":1,\"e\u{301}\":2}", .duplicateMember, 8, "/e\u{301}"),
]

@Suite struct `Strict JSON` {
    @Test(arguments: syntax + numbers + strings + duplicates)
    func `invalid JSON is refused with its position`(row: Refused) throws {
        let error = try #require(refusal(row.text))
        #expect(error.code == row.code)
        #expect(error.offset == row.offset)
        #expect(error.pointer.utf8.elementsEqual(row.pointer.utf8), "\(error.pointer)")
    }

    @Test func `valid JSON is read`() throws {
        let text = " { \"a\" : [ 1 , -2 , 0 , true , false , null , \"x\" ] ,\r\n\t\"b\" : { } , \"c\" : [ ] } "
        let expected: JSONValue = [
            "a": [1, -2, 0, true, false, .null, "x"], "b": .object([:]), "c": .array([]),
        ]
        #expect(try StrictJSON.parse(text.utf8) == expected)
        #expect(try StrictJSON.parse("9007199254740991".utf8) == .integer(9_007_199_254_740_991))
        #expect(try StrictJSON.parse("-9007199254740991".utf8) == .integer(-9_007_199_254_740_991))
        #expect(
            try StrictJSON.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00\u{FEFF}\u{7F}\"".utf8)
                == .string("\"\\/\u{8}\u{C}\n\r\té😀\u{FEFF}\u{7F}"))
        #expect(try StrictJSON.parse("\"\\uFFFF\u{10FFFF}\"".utf8) == .string("\u{FFFF}\u{10FFFF}"))
    }

    @Test func `JSON is read from any collection of bytes`() throws {
        let bytes = Array("xx[1]".utf8)
        #expect(try StrictJSON.parse(bytes[2...]) == [1])
        #expect(try StrictJSON.parse(bytes.reversed().reversed().dropFirst(2)) == [1])
        #expect(refusal(Array(bytes[2...]) + [0x5D])?.offset == 3)
    }

    @Test func `size and depth are limited`() throws {
        let limits = StrictJSON.Limits(bytes: 8, depth: 2)
        #expect(refusal(Array("[[1]]   ".utf8), limits: limits) == nil)
        #expect(refusal(Array("[[1]]    ".utf8), limits: limits)?.code == .tooLarge)
        let deep = try #require(refusal(Array("[1,[[]]]".utf8), limits: limits))
        #expect(deep.code == .tooDeep)
        #expect(deep.offset == 4)
        #expect(deep.pointer == "/1/0")
        #expect(refusal(Array("1".utf8), limits: .init(bytes: 1, depth: 0)) == nil)
        #expect(refusal(Array("[]".utf8), limits: .init(bytes: 2, depth: 0))?.code == .tooDeep)
        #expect(refusal([], limits: .init(bytes: -1))?.code == .tooLarge)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":", "[[],"])
    func `a depth bomb is refused on a small stack`(unit: String) async {
        let bomb = Array(String(repeating: unit, count: 1_000_000).utf8)
        let limits = StrictJSON.Limits(bytes: .max, depth: .max)
        #expect(limits.depth == StrictJSON.Limits.greatestDepth)
        #expect(refusal(bomb, limits: limits)?.code == .tooDeep)
        #expect(refusal(bomb, canonical: true, limits: limits)?.code == .tooDeep)
    }

    @Test func `an error shows no control characters and is short`() throws {
        let name = String(repeating: "\\u001b[31mé", count: 200)
        let error = try #require(refusal("{\"\(name)\":x}"))
        #expect(error.description.utf8.count < 300)
        #expect(error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(
            "\(try #require(refusal("[\"secret\",x]")))"
                == "json.unexpected_byte: no JSON value starts with this byte at /1 (byte 10)")
    }
}
