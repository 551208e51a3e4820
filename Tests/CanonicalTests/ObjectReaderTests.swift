import Canonical
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct `Object reader` {
    private let id = UUID()

    private var full: JSONValue {
        [
            "s": "text", "b": true, "i": -7, "y": .bytes([1, 2, 3]), "u": .uuid(id),
            "t": .timestamp(Timestamp(microseconds: 5)), "o": ["x": 1], "a": [1, 2], "os": [["n": 1], ["n": 2]],
            "ss": ["p", "q"],
        ]
    }

    private func error<Result>(_ read: (inout ObjectReader) throws(JSONError) -> Result, _ value: JSONValue)
        -> JSONError?
    {
        do throws(JSONError) {
            var reader = try ObjectReader(value, at: "/in")
            _ = try read(&reader)
            return nil
        } catch {
            return error
        }
    }

    @Test func `members are read by type`() throws {
        var reader = try ObjectReader(full)
        #expect(try reader.string("s") == "text")
        #expect(try reader.bool("b"))
        #expect(try reader.integer("i", in: -7...0) == -7)
        #expect(try reader.bytes("y", count: 3) == [1, 2, 3])
        #expect(try reader.uuid("u") == id)
        #expect(try reader.timestamp("t").microseconds == 5)
        var inner = try reader.object("o")
        #expect(inner.pointer == "/o")
        #expect(try inner.integer("x") == 1)
        try inner.finish()
        #expect(try reader.array("a") == [1, 2])
        var numbers: [Int64] = []
        for var element in try reader.objects("os") { numbers.append(try element.integer("n")) }
        #expect(numbers == [1, 2])
        #expect(try reader.strings("ss") == ["p", "q"])
        try reader.finish()
    }

    @Test func `an absent optional member is nil, and an absent required one is an error`() throws {
        var reader = try ObjectReader(.object([:]), at: "/in")
        #expect(try reader.optionalString("x") == nil)
        #expect(try reader.optionalBool("x") == nil)
        #expect(try reader.optionalInteger("x") == nil)
        #expect(try reader.optionalBytes("x") == nil)
        #expect(try reader.optionalUUID("x") == nil)
        #expect(try reader.optionalTimestamp("x") == nil)
        #expect(try reader.optionalObject("x") == nil)
        #expect(try reader.optionalArray("x") == nil)
        #expect(reader.optionalValue("x") == nil)
        try reader.finish()
        let missing = error({ reader throws(JSONError) in try reader.string("a/b") }, .object([:]))
        #expect(missing?.code == .missingMember)
        #expect(missing?.pointer == "/in/a~1b")
        #expect(error({ reader throws(JSONError) in try reader.value("x") }, .object([:]))?.code == .missingMember)
    }

    @Test func `a value of another type is refused with its pointer, null included`() {
        let wrong: JSONValue = ["x": .null]
        let errors = [
            error({ reader throws(JSONError) in try reader.string("x") }, wrong),
            error({ reader throws(JSONError) in try reader.optionalString("x") }, wrong),
            error({ reader throws(JSONError) in try reader.bool("x") }, ["x": 1]),
            error({ reader throws(JSONError) in try reader.integer("x") }, ["x": "1"]),
            error({ reader throws(JSONError) in try reader.bytes("x") }, ["x": 1]),
            error({ reader throws(JSONError) in try reader.uuid("x") }, ["x": 1]),
            error({ reader throws(JSONError) in try reader.timestamp("x") }, ["x": 1]),
            error({ reader throws(JSONError) in try reader.object("x") }, ["x": []]),
            error({ reader throws(JSONError) in try reader.optionalObject("x") }, wrong),
            error({ reader throws(JSONError) in try reader.array("x") }, ["x": "[]"]),
        ]
        for error in errors {
            #expect(error?.code == .wrongType)
            #expect(error?.pointer == "/in/x")
        }
        #expect(error({ reader throws(JSONError) in try reader.strings("x") }, ["x": ["a", 1]])?.pointer == "/in/x/1")
        #expect(error({ reader throws(JSONError) in try reader.objects("x") }, ["x": [1]])?.pointer == "/in/x/0")
        #expect(error({ reader throws(JSONError) in reader }, "x")?.pointer == "/in")
    }

    @Test func `a disallowed value is refused without being repeated`() {
        let errors = [
            error({ reader throws(JSONError) in try reader.integer("x", in: 1...9) }, ["x": 4_711]),
            error({ reader throws(JSONError) in try reader.bytes("x") }, ["x": "4711="]),
            error({ reader throws(JSONError) in try reader.bytes("x", count: 4) }, ["x": "4711"]),
            error({ reader throws(JSONError) in try reader.uuid("x") }, ["x": .string(UUID().uuidString + "4711")]),
            error({ reader throws(JSONError) in try reader.timestamp("x") }, ["x": "4711-01-01"]),
            error(
                { reader throws(JSONError) in throw reader.invalid("x", "an even number is expected") }, ["x": 4_711]),
        ]
        for error in errors {
            #expect(error?.code == .invalidValue)
            #expect(error?.pointer == "/in/x")
            #expect(error.map { !"\($0)".contains("4711") } ?? false)
        }
    }

    @Test func `the first unknown member by name is refused`() throws {
        var reader = try ObjectReader(["known": 1, "zeta": 2, "alpha": 3], at: "/in")
        _ = try reader.integer("known")
        do throws(JSONError) {
            try reader.finish()
            Issue.record("finished")
        } catch {
            #expect(error.code == .unknownMember)
            #expect(error.pointer == "/in/alpha")
        }
        var kelvin = try ObjectReader(["\u{212A}": 1])
        #expect(kelvin.optionalValue("K") == nil, "equivalent, and not the same bytes")
        #expect(throws: JSONError.self) { try kelvin.finish() }
    }

    @Test func `nil members are omitted when an object is made`() {
        let value = JSONValue.objectOmittingNil(["a": 1, "b": nil, "c": true ? "x" : nil])
        #expect(canonicalText(value) == #"{"a":1,"c":"x"}"#)
        #expect(canonicalText(["a": 1, "a": 2]) == #"{"a":2}"#)
    }
}
