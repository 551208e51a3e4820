import Canonical
import Foundation
@testable import Identity
import Testing

@Suite struct `Event members` {
    /// Every table of members in the sources. One that is missing here fails a test below.
    static let registry: [any FlatObject.Type] = EventCatalogue.all + EventCatalogue.parts

    @Test func `every member of every object is read into its own property`() throws {
        for type in Self.registry { #expect(try MemberCheck.misplaced(type) == [], "\(type)") }
    }

    @Test func `members in another order than the initialiser's are found`() throws {
        #expect(try MemberCheck.misplaced(SwappedIDs.self) == ["first", "second"])
        #expect(try MemberCheck.misplaced(SwappedFlags.self) == ["first", "second"])
        #expect(try MemberCheck.misplaced(SwappedNames.self) == ["first", "second"])
        #expect(try MemberCheck.misplaced(InOrder.self) == [])
    }

    @Test func `every table in the sources is registered once`() throws {
        // Tables of other targets are held by tests of their own: golden vectors, and values that are read back.
        let registered = Self.registry.map { String(describing: $0) }
        #expect(try MemberCheck.tables(in: GoldenFiles.sources) == registered.sorted())
        #expect(MemberCheck.tables(in: "/// static let members = MemberTable<Berth, Void>(") == [])
        #expect(MemberCheck.tables(in: "static let members = MemberTable<Berth, Void>(") == ["Berth"])
        #expect(MemberCheck.tables(in: "let table: MemberTable<Berth, Void> = MemberTable(") == [""])
    }

    @Test func `no name is used twice, and every member belongs to a version that can be read`() {
        func check<Object: FlatObject>(_ type: Object.Type) {
            let table = type.members
            #expect(Set(table.members.map(\.name)).count == table.members.count, "\(type)")
            #expect(table.members.allSatisfy { table.schemas.contains($0.since) }, "\(type)")
        }
        for type in Self.registry { check(type) }
    }

    @Test func `the members that may be absent are the ones of the tests of strictness`() {
        func optional<Event: EventPayload>(_ type: Event.Type) -> [String] {
            type.members.members.filter { !$0.isRequired }.map { "\(type.type)/\($0.name)" }
        }
        let optional = EventCatalogue.all.flatMap { optional($0) }
        #expect(optional.sorted() == `Strict decoding`.optional.sorted())
    }
}

/// Finds members that are read into the property of another one, which the compiler accepts if both have one type.
enum MemberCheck {
    /// The members that are not written as they were read, or that are read into a property of another name.
    static func misplaced<Object: FlatObject>(_ type: Object.Type) throws -> [String] {
        guard let context = (FakeCoder() as any PersonalDataCoder) as? Object.Context ?? () as? Object.Context else {
            throw EventError(.invalidValue, "\(type) needs another context")
        }
        var names: Set<String> = []
        for schema in type.members.schemas {
            names.formUnion(try misplaced(type, schema: schema, context))
        }
        return names.sorted()
    }

    private static func misplaced<Object: FlatObject>(
        _ type: Object.Type, schema: Int, _ context: Object.Context
    ) throws -> Set<String> {
        let table = type.members
        let members = table.members.filter { $0.since <= schema }
        func read(_ json: [String: JSONValue]) throws -> Object {
            try table.read(.object(json), at: "/data", schema: schema, context: context)
        }
        var names: Set<String> = []
        func compare(_ json: [String: JSONValue]) throws {
            let written = try table.write(try read(json), at: "/data", schema: schema, context: context)
            names.formUnion(members.map(\.name).filter { written[$0] != json[$0] })
        }
        var json: [String: JSONValue] = [:]
        for (index, member) in members.enumerated() { json[member.name] = try MemberSample.value(member, index) }
        try check(members, allDifferIn: json)
        try compare(json)
        // One member at a time: a flag has two values only, and a property has the name of its member.
        for (index, member) in members.enumerated() {
            var changed = json
            changed[member.name] = try MemberSample.value(member, index + 101)
            guard changed[member.name] != json[member.name] else { continue }
            try compare(changed)
            let before = properties(try read(json)), after = properties(try read(changed))
            let affected = before.keys.filter { before[$0] != after[$0] }
            // A flag may be named as a question.
            let question = "is" + member.name.prefix(1).uppercased() + member.name.dropFirst()
            if affected != [member.name], affected != [question] { names.insert(member.name) }
        }
        return names
    }

    /// Checks that two members of one kind never have one value; flags are varied one by one.
    private static func check(_ members: [MemberDescription], allDifferIn json: [String: JSONValue]) throws {
        for (index, left) in members.enumerated() {
            for right in members[(index + 1)...] where left.value == right.value && left.value != .boolean {
                #expect(json[left.name] != json[right.name], "\(left.name) and \(right.name)")
            }
        }
    }

    /// The properties by the names of their members, those of parts among them.
    private static func properties(_ object: some FlatObject) -> [String: String] {
        var found: [String: String] = [:]
        for case (let label?, let value) in Mirror(reflecting: object).children {
            // A part that may be absent is one member.
            if Mirror(reflecting: value).displayStyle != .optional, let part = value as? any FlatObject {
                found.merge(properties(part)) { first, _ in first }
            } else {
                found[label.replacing("ID", with: "Id")] = String(reflecting: value)
            }
        }
        return found
    }

    /// The objects of the tables that the sources of a folder declare, sorted.
    static func tables(in folder: URL) throws -> [String] {
        let walk = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: [String] = []
        for case let url as URL in walk where url.pathExtension == "swift" {
            found += tables(in: String(decoding: try Data(contentsOf: url), as: UTF8.self))
        }
        return found.sorted()
    }

    /// The objects of the tables that a text declares; the empty text for one that names no object.
    static func tables(in text: String) -> [String] {
        guard text.contains("MemberTable") || text.contains("EventMembers") else { return [] }
        return text.split(separator: "\n").filter { !$0.contains("//") }.flatMap { line in
            line.matches(of: /\b(?:MemberTable|EventMembers)(?:<(\w+)[^>]*>)?\(/).map { String($0.output.1 ?? "") }
        }
    }
}

/// A value for every kind of member; values of different numbers differ.
enum MemberSample {
    static func value(_ member: MemberDescription, _ number: Int) throws -> JSONValue {
        // The only flag that is absent instead of false.
        member.name == "secretless" ? true : try value(member.value, number, at: "/data/\(member.name)")
    }

    private static func value(
        _ description: ValueDescription, _ number: Int, at pointer: String
    ) throws -> JSONValue {
        let byte = UInt8(number)
        switch description {
        case .boolean: return .bool(number.isMultiple(of: 2))
        case .integer(let range):
            return .integer(range.lowerBound + Int64(number) % (range.upperBound - range.lowerBound + 1))
        case .word(let words): return .string(words[number % words.count])
        case .bytes(let count) where count.lowerBound == PublicKeyBytes.count: return .bytes(Sample.key(byte).bytes)
        case .bytes(SignatureBytes.evidenceCounts): return .bytes(try Sample.evidence(counter: byte).bytes)
        case .bytes(let count): return .bytes([UInt8](repeating: byte, count: count.lowerBound))
        case .array(let element, _): return [try value(element, number, at: pointer)]
        case .string(let format): return try text(format, byte)
        case .object(let name): return try object(name, byte, at: pointer)
        }
    }

    private static func text(_ format: String, _ number: UInt8) throws -> JSONValue {
        switch format {
        case "uuid": .uuid(Sample.uuid(number))
        case "date-time": .timestamp(Sample.start.adding(.seconds(Int(number))))
        case "fingerprint": .string(try Sample.fingerprint(number).description)
        case "reason-code": .string("reason_\(number)")
        case "uri": .string("urn:example:\(number)")
        case "client-uri": .string("https://client\(number).example/callback")
        case "key-id": .string(Base64URL.encode([UInt8](repeating: number, count: 32)))
        case "origin": .string("https://client\(number).example")
        case "name": .string("name \(number)")
        case "text": .string("text \(number)")
        case "hostname": .string("id\(number).example")
        case "a-label": .string("label\(number).example")
        default: throw EventError(.invalidValue, "no sample of \(format)")
        }
    }

    private static func object(_ name: String, _ number: UInt8, at pointer: String) throws -> JSONValue {
        let id = JSONValue.uuid(Sample.uuid(number))
        switch name {
        case "Personal":
            return try FakeCoder().seal(Personal(owner: Sample.uuid(number), text: "text"), at: pointer)
        case "Authority": return ["kind": "employee", "employee": id]
        case "MailRecipient": return ["kind": "user", "id": id]
        case "Checkpoint":
            return ["ledger": id, "size": 1, "root": .bytes(try Sample.bytes32(number).bytes)]
        case "Size": return ["ledger": id, "size": 1]
        case "Share":
            return ["share": .bytes(try Sample.bytes32(number).bytes), "spent": .integer(1), "limit": .integer(2)]
        case "PasskeyFacts":
            var facts = try Sample.passkey()
            facts.counter = Int(number)
            return try PasskeyFacts.members.write(facts)
        default: throw EventError(.invalidValue, "no sample of \(name)")
        }
    }
}

/// The initialiser takes the first id first.
private struct SwappedIDs: FlatObject {
    var first: UUID
    var second: UUID

    static let members = MemberTable<SwappedIDs, Void>(
        "SwappedIDs", SwappedIDs.init, Member("second", \.second), Member("first", \.first))
}

/// The initialiser takes the first flag first.
private struct SwappedFlags: FlatObject {
    var first: Bool
    var second: Bool

    static let members = MemberTable<SwappedFlags, Void>(
        "SwappedFlags", SwappedFlags.init, Member("second", \.second), Member("first", \.first))
}

/// Each name belongs to the other property.
private struct SwappedNames: FlatObject {
    var first: UUID
    var second: UUID

    static let members = MemberTable<SwappedNames, Void>(
        "SwappedNames", SwappedNames.init, Member("second", \.first), Member("first", \.second))
}

private struct InOrder: FlatObject {
    var first: UUID
    var second: UUID

    static let members = MemberTable<InOrder, Void>(
        "InOrder", InOrder.init, Member("first", \.first), Member("second", \.second))
}
