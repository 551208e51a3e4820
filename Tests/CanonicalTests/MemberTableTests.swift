import Canonical
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct `Member table` {
    private let id = UUID()

    private var full: [String: JSONValue] {
        ["id": .uuid(id), "length": 3, "pet": "cat", "note": "old", "marks": [["n": 1], ["n": 2]]]
    }

    private func read(_ json: [String: JSONValue], schema: Int = 2) throws -> Berth {
        try Berth.members.read(.object(json), at: "/in", schema: schema, context: ())
    }

    private func error(_ json: JSONValue, schema: Int = 2) -> JSONError? {
        #expect(throws: JSONError.self) {
            try Berth.members.read(json, at: "/in", schema: schema, context: ())
        }
    }

    @Test func `an object is read by its members and written as it was`() throws {
        let berth = try read(full)
        #expect(
            berth
                == Berth(
                    id: id, size: Size(length: 3), pet: .cat, note: "old", marks: [Mark(n: 1), Mark(n: 2)], schema: 2))
        #expect(try Berth.members.write(berth, schema: 2, context: ()) == .object(full))
    }

    @Test func `an absent optional member is nil and is left out`() throws {
        var json = full
        json["note"] = nil
        let berth = try read(json)
        #expect(berth.note == nil)
        #expect(try Berth.members.write(berth, schema: 2, context: ()) == .object(json))
    }

    @Test func `a member of a later version has its earlier value, is not written and is unknown before`() throws {
        let old: [String: JSONValue] = ["id": .uuid(id), "length": 3, "note": "old"]
        let berth = try read(old, schema: 1)
        #expect(berth.pet == .dog && berth.marks == nil && berth.schema == 1)
        #expect(try Berth.members.write(berth, schema: 1, context: ()) == .object(old))
        let found = error(.object(full), schema: 1)
        #expect(found?.code == .unknownMember && found?.pointer == "/in/marks")
    }

    @Test func `a value that cannot be read again is not written`() throws {
        var berth = try read(full)
        berth.marks = nil
        let missing = #expect(throws: JSONError.self) {
            try Berth.members.write(berth, at: "/out", schema: 2, context: ())
        }
        #expect(missing?.code == .missingMember && missing?.pointer == "/out/marks")
        berth.marks = []
        #expect(throws: JSONError.self) { try Berth.members.write(berth, schema: 2, context: ()) }
        berth.marks = [Mark(n: 1), Mark(n: 10)]
        let invalid = #expect(throws: JSONError.self) {
            try Berth.members.write(berth, at: "/out", schema: 2, context: ())
        }
        #expect(invalid?.code == .invalidValue && invalid?.pointer == "/out/marks/1/n")
    }

    @Test func `what does not fit is refused at its place`() throws {
        func refused(_ name: String, _ value: JSONValue?) -> JSONError? {
            var json = full
            json[name] = value
            return error(.object(json))
        }
        for (name, value, code, pointer) in [
            ("id", nil, JSONError.Code.missingMember, "/in/id"), ("id", "A", .invalidValue, "/in/id"),
            ("id", 7, .wrongType, "/in/id"), ("id", .null, .wrongType, "/in/id"),
            ("length", 10, .invalidValue, "/in/length"), ("length", true, .wrongType, "/in/length"),
            ("length", nil, .missingMember, "/in/length"), ("pet", "cow", .invalidValue, "/in/pet"),
            ("pet", nil, .missingMember, "/in/pet"), ("note", .null, .wrongType, "/in/note"),
            ("marks", [], .invalidValue, "/in/marks"), ("marks", "x", .wrongType, "/in/marks"),
            ("marks", ["x"], .wrongType, "/in/marks/0"), ("marks", [["n": 1], [:]], .missingMember, "/in/marks/1/n"),
            ("marks", [["n": 1, "m": 1]], .unknownMember, "/in/marks/0/m"),
            ("m/n", 1, .unknownMember, "/in/m~1n"), ("Note", 1, .unknownMember, "/in/Note"),
        ] as [(String, JSONValue?, JSONError.Code, String)] {
            let found = refused(name, value)
            #expect(found?.code == code && found?.pointer == pointer, "\(name) \(String(describing: value))")
        }
        #expect(error("x")?.pointer == "/in")
        #expect(error("x")?.code == .wrongType)
    }

    @Test func `a name that only looks like a member's is unknown`() throws {
        // U+212A KELVIN SIGN is canonically equivalent to K.
        let json: JSONValue = ["\u{212A}": 1]
        let found = #expect(throws: JSONError.self) { try Kelvin.members.read(json, context: ()) }
        #expect(found?.code == .missingMember && found?.pointer == "/K")
        #expect(try Kelvin.members.read(["K": 1], context: ()) == Kelvin(k: 1))
        let both: JSONValue = ["K": 1, "a": 1]
        #expect(try Kelvin.members.read(both, context: (), ignoresUnknown: true) == Kelvin(k: 1))
    }

    @Test func `members that depend on each other are read by hand and the others by the table`() throws {
        let both: JSONValue = ["id": .uuid(id), "from": 1, "to": 2]
        #expect(try Passage.members.read(both) == Passage(id: id, days: 1...2))
        #expect(try Passage.members.write(Passage(id: id, days: 1...2)) == both)
        let none: JSONValue = ["id": .uuid(id)]
        #expect(try Passage.members.read(none) == Passage(id: id, days: nil))
        #expect(try Passage.members.write(Passage(id: id, days: nil)) == none)
        for (json, code, pointer) in [
            (["id": .uuid(id), "from": 1], .missingMember, "/in/to"),
            (["id": .uuid(id), "from": 1, "to": 2, "by": 3], .unknownMember, "/in/by"),
            (["id": .uuid(id), "by": 3], .unknownMember, "/in/by"),
            (["id": .uuid(id), "from": true, "to": 2], .wrongType, "/in/from"), (both, nil, nil),
        ] as [(JSONValue, JSONError.Code?, String?)] {
            var found: JSONError?
            do throws(JSONError) { _ = try Passage.members.read(json, at: "/in") } catch { found = error }
            #expect(found?.code == code && found?.pointer == pointer)
        }
        let unknown: JSONValue = ["id": .uuid(id), "by": 3]
        #expect(try Passage.members.read(unknown, ignoresUnknown: true) == Passage(id: id, days: nil))
        #expect(Passage.members.members.map(\.name) == ["id", "from", "to"])
    }

    @Test func `the members are described`() {
        #expect(Berth.members.members.map(\.name) == ["id", "length", "pet", "note", "marks"])
        #expect(Berth.members.members.map(\.isRequired) == [true, true, true, false, true])
        #expect(Berth.members.members.map(\.since) == [1, 1, 2, 1, 2])
        #expect(
            Berth.members.members.map(\.value) == [
                .string(format: "uuid"), .integer(0...9), .word(["cat", "dog"]), .string(format: "text"),
                .array(.object(name: "Mark"), count: 1...3),
            ])
        #expect(Berth.members.name == "Berth" && Berth.members.schemas == 1...2)
    }
}

private struct Berth: FlatObject, Equatable {
    var id: UUID
    var size: Size
    var pet: Pet
    var note: String?
    var marks: [Mark]?
    var schema: Int

    static let members = MemberTable<Berth, Void>(
        "Berth", schemas: 1...2, Berth.init,
        Member("id", \.id), Member(inline: \.size), Member("pet", \.pet, since: 2, before: Pet.dog),
        Member(optional: "note", \.note),
        Member("marks", \.marks, .array(of: Mark.memberKind, { _ in 1...3 }), since: 2), .schema(\.schema))
}

private struct Size: FlatObject, Equatable {
    var length: Int

    static let members = MemberTable<Size, Void>("Size", Size.init, Member("length", \.length, .integer(0...9)))
}

private enum Pet: String, CaseIterable, MemberValue {
    case cat
    case dog
}

private struct Mark: FlatObject, Equatable {
    var n: Int

    static let members = MemberTable<Mark, Void>("Mark", Mark.init, Member("n", \.n, .integer(0...9)))
}

private struct Passage: FlatObject, Equatable {
    var id: UUID
    var days: ClosedRange<Int64>?

    static let members = MemberTable<Passage, Void>(
        "Passage", Passage.init, Member("id", \.id),
        Member(
            together: [
                MemberDescription(optional: "from", .integer(0...9)),
                MemberDescription(optional: "to", .integer(0...9)),
            ], \.days
        ) { (reader) throws(JSONError) in
            guard let first = try reader.optionalInteger("from") else { return nil }
            return first...(try reader.integer("to", in: first...9))
        } write: { days in
            days.map { ["from": .integer($0.lowerBound), "to": .integer($0.upperBound)] } ?? [:]
        })
}

private struct Kelvin: FlatObject, Equatable {
    var k: Int

    static let members = MemberTable<Kelvin, Void>("Kelvin", Kelvin.init, Member("K", \.k, .integer(0...9)))
}
