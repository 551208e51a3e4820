import Testing

/// The rooms of `IdentityService` stand on each other in one direction only.
@Suite struct RoomTests {
    private static let target = "Sources/IdentityService"

    private static func uses() throws -> [RoomUse] {
        RoomUse.all(in: try Checkout.files(in: target, endingIn: [".swift"]))
    }

    @Test func `every direction between rooms is in the table`() throws {
        let uses = try Self.uses()
        #expect(uses.count > 300, "the uses were not found")
        let offences = uses.filter { !RoomTable.permits($0) }.map(\.description)
        #expect(offences.isEmpty, "\(offences.sorted().joined(separator: "\n"))")
    }

    @Test func `every permitted direction is used`() throws {
        #expect(RoomTable.unused(try Self.uses()) == [])
    }

    @Test func `every room has a row`() throws {
        let rooms = Set(try Checkout.files(in: Self.target, endingIn: [".swift"]).map(RoomUse.room))
        #expect(rooms == Set(RoomTable.rows.keys))
    }

    @Test func `the table has no cycle, and few exceptions, each with a reason`() {
        var left = RoomTable.rows
        while let lowest = left.first(where: { $0.value.isEmpty })?.key {
            left[lowest] = nil
            for room in left.keys { left[room]?.remove(lowest) }
        }
        #expect(left.keys.sorted() == [], "these stand on each other")
        #expect(RoomTable.exceptions.count <= RoomTable.mostExceptions)
        #expect(RoomTable.exceptions.allSatisfy { $0.reason.count > 20 })
    }

    @Test func `the check finds a type of another room, and neither a member nor a comment`() {
        let files = [
            Checkout.File(path: "Sources/IdentityService/Login/StartLogin.swift", text: "public struct StartLogin {}"),
            Checkout.File(path: "Sources/IdentityService/Login/Step.swift", text: "let next = StartLogin()"),
            Checkout.File(
                path: "Sources/IdentityService/Shared/Call.swift",
                text: "struct Call {\n    // StartLogin\n    let kind: Kind.StartLogin\n    var first: StartLogin?\n}"),
            Checkout.File(path: "Sources/IdentityService/Shared/Page.swift", text: "let page = Kind.StartLogin()"),
        ]
        let uses = RoomUse.all(in: files)
        #expect(uses.map(\.path) == ["Sources/IdentityService/Shared/Call.swift"])
        #expect(uses.allSatisfy { !RoomTable.permits($0) })
    }

    @Test func `the check finds a permission that nothing uses`() {
        let use = RoomUse(room: "Flows", below: "Shared", type: "Call", path: "")
        let unused = RoomTable.unused([use])
        #expect(!unused.contains("Flows → Shared") && unused.contains("Mail → Flows"))
        #expect(unused.contains("Administration → MPin: ReclaimedMPinIdentities"))
    }
}
