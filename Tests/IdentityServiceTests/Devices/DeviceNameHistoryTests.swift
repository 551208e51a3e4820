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
    /// Names a device, as its owner does or as somebody else would.
    ///
    /// - Parameter owner: Under whose key the name is sealed.
    fileprivate mutating func name(
        _ pair: SigningKeyPair, of member: SignedHistory.Member, by actor: EmployeeID? = nil,
        sealedFor owner: EmployeeID? = nil
    ) throws {
        let owner = owner ?? member.id
        let named = DeviceNamed(
            employeeID: member.id, fingerprint: KeyFingerprint(of: pair.key), name: Personal(owner, "Laptop"))
        try history.append(
            EventCodec.encode(
                named, id: UUID(), stream: .employee(member.id, in: history.tenant),
                keys: [owner.uuid: PersonKey(id: owner.uuid, key: SecretKey())],
                metadata: EventMetadata(actor: (actor ?? member.id).uuid, requestId: "name")))
    }
}

/// What verification finds about the names of devices.
@Suite struct DeviceNameHistoryTests {
    @Test func `the owner names devices that wait or are in force`() throws {
        var scene = try HistoryScene()
        try scene.name(scene.staff.device, of: scene.staff)
        try scene.name(scene.staff.device, of: scene.staff)
        try scene.history.present(scene.waiting, of: scene.staff)
        try scene.name(scene.waiting, of: scene.staff)
        try scene.history.expectLawful()
    }

    @Test func `a name by somebody else, or sealed for somebody else, is found`() throws {
        let words = "a device is named by somebody else than its owner"
        try HistoryScene.expect(words) { try $0.name($0.staff.device, of: $0.staff, by: $0.admin.id) }
        try HistoryScene.expect(words) { try $0.name($0.staff.device, of: $0.staff, sealedFor: $0.admin.id) }
    }

    @Test func `a name for a device that the account does not have is found`() throws {
        let words = "a device is named that the account does not have"
        try HistoryScene.expect(words) { try $0.name($0.admin.device, of: $0.staff) }
        try HistoryScene.expect(words) { scene in
            try scene.end(.revoke, scene.staff.device, of: scene.staff, by: .member(scene.staff, scene.staff.device))
        } _: { scene in
            try scene.name(scene.staff.device, of: scene.staff)
        }
        try HistoryScene.expect(words) { scene in
            try scene.cancel(scene.staff, by: .member(scene.admin, scene.admin.device))
        } _: { scene in
            try scene.name(scene.staff.device, of: scene.staff)
        }
    }

    @Test func `more names than a device may have are found`() throws {
        try HistoryScene.expect("a device is named too often") { scene in
            for _ in 0..<Employee.namingLimit { try scene.name(scene.staff.device, of: scene.staff) }
        } _: { scene in
            try scene.name(scene.staff.device, of: scene.staff)
        }
    }
}
