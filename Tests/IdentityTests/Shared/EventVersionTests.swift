import Canonical
@testable import Identity
import Testing

/// An event with a second version is written and read like ``BeaconLit``, which no log has.
@Suite struct `Versions of an event` {
    private let first: [String: JSONValue] = ["beaconId": .uuid(Sample.uuid(1)), "height": 12]
    private var second: [String: JSONValue] {
        first.merging(["colour": "red", "keeper": .uuid(Sample.uuid(2))]) { $1 }
    }

    private func decode(_ data: [String: JSONValue], schema: Int) throws -> BeaconLit {
        try BeaconLit(data: .object(data), schema: schema, using: FakeCoder())
    }

    private func error(_ data: [String: JSONValue], schema: Int) -> JSONError? {
        #expect(throws: JSONError.self) { try decode(data, schema: schema) }
    }

    @Test func `each is read as it was written, and written so again`() throws {
        let old = try decode(first, schema: 1), new = try decode(second, schema: 2)
        #expect(old == BeaconLit(beaconID: Sample.id(1), height: 12, colour: .white, keeper: nil, schema: 1))
        #expect(new == BeaconLit(beaconID: Sample.id(1), height: 12, colour: .red, keeper: Sample.id(2)))
        #expect(old.schema == 1 && new.schema == 2)
        #expect(try old.encode(using: FakeCoder()) == .object(first))
        #expect(try new.encode(using: FakeCoder()) == .object(second))
    }

    @Test(arguments: [-1, 0, 3])
    func `another one is refused`(schema: Int) {
        #expect(throws: EventError(.unknownSchema, "BeaconLit")) { try decode(second, schema: schema) }
    }

    @Test func `each has exactly its members`() {
        for (name, value) in second where first[name] == nil {
            let more = error(first.merging([name: value]) { $1 }, schema: 1)
            #expect(more?.code == .unknownMember && more?.pointer == "/data/\(name)")
            let less = error(second.filter { $0.key != name }, schema: 2)
            #expect(less?.code == .missingMember && less?.pointer == "/data/\(name)")
        }
        let wrong = error(second.merging(["colour": "green"]) { $1 }, schema: 2)
        #expect(wrong?.code == .invalidValue && wrong?.pointer == "/data/colour")
    }

    @Test func `what the newest one needs is not left out`() throws {
        let event = BeaconLit(beaconID: Sample.id(1), height: 12, keeper: nil)
        #expect(throws: EventError(.invalidValue, "/data/keeper")) { try event.encode(using: FakeCoder()) }
    }

    @Test func `every member is read into its own property in both`() throws {
        #expect(try MemberCheck.misplaced(BeaconLit.self) == [])
    }
}

/// An event of two versions, which only these tests know.
private struct BeaconLit: EventPayload {
    enum Colour: String, CaseIterable, MemberValue {
        case red
        case white
    }

    var beaconID: EmployeeID
    var height: Int
    /// Version 1 has white beacons only.
    var colour = Colour.white
    /// The keeper; `nil` in version 1.
    let keeper: EmployeeID?
    /// Version 2 adds the colour and the keeper.
    var schema = 2

    static let members = EventMembers<BeaconLit>(
        "BeaconLit", schemas: 1...2, BeaconLit.init,
        Member("beaconId", \.beaconID), Member("height", \.height, .count),
        Member("colour", \.colour, since: 2, before: Colour.white), Member("keeper", \.keeper, since: 2),
        .schema(\.schema))
}
