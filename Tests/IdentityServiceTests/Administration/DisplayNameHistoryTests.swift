import Canonical
import EventCoding
import Foundation
@testable import Identity
import Keys
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

extension HistoryScene {
    /// Sets the name that colleagues see, as its owner does or as somebody else would.
    ///
    /// - Parameter owner: Under whose key the name is sealed.
    fileprivate mutating func show(
        _ member: SignedHistory.Member, by actor: EmployeeID? = nil, sealedFor owner: EmployeeID? = nil
    ) throws {
        let owner = owner ?? member.id
        let set = DisplayNameSet(employeeID: member.id, name: Personal(owner, "Zoë"))
        try history.append(
            EventCodec.encode(
                set, id: UUID(), stream: .employee(member.id, in: history.tenant),
                keys: [owner.uuid: PersonKey(id: owner.uuid, key: SecretKey())],
                metadata: EventMetadata(actor: (actor ?? member.id).uuid, requestId: "name")))
    }
}

/// What verification finds about the names that colleagues see.
@Suite struct DisplayNameHistoryTests {
    @Test func `the owner sets the name`() throws {
        var scene = try HistoryScene()
        for _ in 0..<Employee.namingLimit { try scene.show(scene.staff) }
        try scene.history.expectLawful()
    }

    @Test func `a name by somebody else, or sealed for somebody else, is found`() throws {
        let words = "a person is named by somebody else"
        try HistoryScene.expect(words) { try $0.show($0.staff, by: $0.admin.id) }
        try HistoryScene.expect(words) { try $0.show($0.staff, sealedFor: $0.admin.id) }
    }

    @Test func `a name of a closed account, and one too many, are found`() throws {
        try HistoryScene.expect("a person is named whose account does not exist or is closed") { scene in
            try scene.cancel(scene.staff, by: .member(scene.admin, scene.admin.device))
        } _: { scene in
            try scene.show(scene.staff)
        }
        try HistoryScene.expect("a person is named too often") { scene in
            for _ in 0..<Employee.namingLimit { try scene.show(scene.staff) }
        } _: { scene in
            try scene.show(scene.staff)
        }
    }
}
