import Canonical
import Foundation
import TenureAPI
import Testing

@Suite struct `Wire members` {
    @Test func `every member of every object is read into its own property`() throws {
        for type in WireCatalogue.all { #expect(try MemberCheck.misplaced(type) == [], "\(type.tableName)") }
    }

    @Test func `members in another order than the initialiser's are found`() throws {
        #expect(try MemberCheck.misplaced(SwappedTexts.self) == ["first", "second"])
        #expect(try MemberCheck.misplaced(SwappedFlags.self) == ["first", "second"])
        #expect(try MemberCheck.misplaced(SwappedNames.self) == ["first", "second"])
        #expect(try MemberCheck.misplaced(InOrder.self) == [])
    }

    @Test func `every table in the sources is registered once, under the name of its type`() throws {
        let names = WireCatalogue.all.map { $0.tableName }
        #expect(try MemberCheck.tables() == names.sorted())
        #expect(names == WireCatalogue.all.map { String(reflecting: $0).replacing("TenureAPI.", with: "") })
        #expect(MemberCheck.tables(in: "WireMembers<Berth>(\n    \"Dock.Berth\", Berth.init") == ["Dock.Berth"])
    }

    @Test func `no name is used twice`() {
        for type in WireCatalogue.all {
            let names = type.rows.map(\.name) + type.constants.keys
            #expect(Set(names).count == names.count, "\(type.tableName)")
        }
    }

    @Test func `unknown members are refused in a request and its parts, and ignored in a response`() throws {
        for type in WireCatalogue.all {
            for json in try WireSample.documents(of: type) {
                let unknown = JSONValue.object(json.merging(["zz": 1]) { $1 })
                if type is any RequestObject.Type {
                    let error = #expect(throws: JSONError.self) { try type.init(json: unknown, at: "/in") }
                    #expect(error?.code == .unknownMember && error?.pointer == "/in/zz", "\(type.tableName)")
                } else {
                    #expect(try type.init(json: unknown).json == type.init(json: .object(json)).json)
                }
            }
            guard type is any RequestObject.Type else { continue }
            for member in type.rows {
                guard let part = WireSample.part(member.value) else { continue }
                #expect(part is any RequestObject.Type, "\(type.tableName)/\(member.name)")
            }
        }
    }

    @Test func `a missing member and a null are refused at their place`() throws {
        for type in WireCatalogue.all {
            let json = try WireSample.documents(of: type)[0]
            for member in type.rows where json[member.name] != nil {
                let place = "/in/\(member.name)"
                var other = json
                other[member.name] = .null
                if member.name != "data" {
                    let null = #expect(throws: JSONError.self) { try type.init(json: .object(other), at: "/in") }
                    #expect(null?.code == .wrongType && null?.pointer == place, "\(type.tableName)\(place)")
                }
                other[member.name] = nil
                guard member.isRequired else { continue }
                let missing = #expect(throws: JSONError.self) { try type.init(json: .object(other), at: "/in") }
                #expect(missing?.code == .missingMember && missing?.pointer == place, "\(type.tableName)\(place)")
            }
        }
    }

    @Test func `a value out of bounds is written, for the service to refuse`() {
        let values: [(any RequestObject, String)] = [
            (PolicyChangeRequest(recoveryDelayHours: 1000), #"{"recoveryDelayHours":1000}"#),
            (PolicyChangeRequest(adminSessionHours: 0), #"{"adminSessionHours":0}"#),
            (PolicyChangeRequest(), "{}"),
            (MPinPolicyChangeRequest(maximumFailures: 9), #"{"maximumFailures":9}"#),
            (AppLinkRequest(roles: []), #"{"roles":[]}"#),
            (
                InvitationRequest(companyEmployeeId: "7", expiresInSeconds: 1),
                #"{"companyEmployeeId":"7","expiresInSeconds":1}"#
            ),
            (
                StatusDecisionRequest(note: String(repeating: "n", count: 1025)),
                #"{"note":"\#(String(repeating: "n", count: 1025))"}"#
            ),
        ]
        for (value, text) in values {
            #expect(String(decoding: value.bytes, as: UTF8.self) == text)
            #expect(throws: JSONError.self) { try type(of: value).init(json: value.json) }
        }
    }
}

/// Finds members that are read into the property of another one, which the compiler accepts if both have one type.
enum MemberCheck {
    /// The members that are not written as they were read, or that are read into a property of another name.
    static func misplaced<Object: WireObject>(_ type: Object.Type) throws -> [String] {
        var names: Set<String> = []
        for json in try WireSample.documents(of: type) {
            names.formUnion(try compare(type, json))
            // One member at a time: a flag has two values only, and a property has the name of its member.
            for (index, member) in type.rows.enumerated() where json[member.name] != nil {
                var changed = json
                changed[member.name] = try WireSample.value(member.value, index + 101)
                #expect(changed[member.name] != json[member.name], "\(type.tableName)/\(member.name)")
                names.formUnion(try compare(type, changed))
                let before = properties(try Object(json: .object(json)))
                let after = properties(try Object(json: .object(changed)))
                let affected = before.keys.filter { before[$0] != after[$0] }
                if affected != [WireCatalogue.property(of: member.name, in: type)] { names.insert(member.name) }
            }
        }
        return names.sorted()
    }

    /// The members that are not written as they were read. A flag that is left out is false.
    private static func compare<Object: WireObject>(
        _ type: Object.Type, _ json: [String: JSONValue]
    ) throws -> Set<String> {
        guard case .object(var written) = try Object(json: .object(json)).json else { return [type.tableName] }
        for name in Object.constants.keys { #expect(written.removeValue(forKey: name) == Object.constants[name]) }
        let names = Set(json.keys).union(written.keys)
        return names.filter { written[$0] != json[$0] && (written[$0] != nil || json[$0] != false) }
    }

    /// The properties by the names of their members, those of parts whose members stand beside the others among them.
    private static func properties(_ object: Any) -> [String: String] {
        var found: [String: String] = [:]
        for case (let label?, let value) in Mirror(reflecting: object).children {
            if let part = value as? any InlinePart {
                found.merge(properties(part)) { first, _ in first }
            } else {
                // A description may redact the value; a dump has its parts too.
                var text = ""
                dump(value, to: &text)
                found[label] = text
            }
        }
        return found
    }

    /// The names of the tables that the sources declare, sorted.
    static func tables() throws -> [String] {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/TenureAPI").standardized
        let walk = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var found: [String] = []
        for case let url as URL in walk where url.pathExtension == "swift" {
            found += tables(in: String(decoding: try Data(contentsOf: url), as: UTF8.self))
        }
        return found.sorted()
    }

    static func tables(in text: String) -> [String] {
        text.matches(of: /\bWireMembers<[\w.]+>\(\s*"([\w.]+)"/).map { String($0.output.1) }
    }
}

/// The initialiser takes the first text first.
private struct SwappedTexts: ResponseObject {
    var first: String
    var second: String

    static let members = WireMembers<SwappedTexts>(
        "SwappedTexts", SwappedTexts.init, Member("second", \.second), Member("first", \.first))
}

/// The initialiser takes the first flag first.
private struct SwappedFlags: ResponseObject {
    var first: Bool
    var second: Bool

    static let members = WireMembers<SwappedFlags>(
        "SwappedFlags", SwappedFlags.init, Member("second", \.second), Member("first", \.first))
}

/// Each name belongs to the other property.
private struct SwappedNames: ResponseObject {
    var first: String
    var second: String

    static let members = WireMembers<SwappedNames>(
        "SwappedNames", SwappedNames.init, Member("second", \.first), Member("first", \.second))
}

private struct InOrder: ResponseObject {
    var first: String
    var second: String

    static let members = WireMembers<InOrder>(
        "InOrder", InOrder.init, Member("first", \.first), Member("second", \.second))
}
