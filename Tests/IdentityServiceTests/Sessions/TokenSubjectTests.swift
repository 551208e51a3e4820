import Canonical
import Foundation
@testable import EventCoding
@testable import Identity
@testable import IdentityService
import Testing

@Suite struct `The role of a session` {
    /// The role that the token of an admin says, whose key with the role is a passkey.
    private func role(_ saying: PasskeySaying, by methods: AuthenticationMethods) throws -> EmployeeRole {
        var scene = try HistoryScene.withPasskey(saying)
        try scene.appoint(scene.staff, keys: [scene.waiting], by: scene.asFounder)
        let state = try #require(scene.history.state.employees[scene.staff.id])
        let employee = EmployeeSnapshot(id: scene.staff.id, state: state, version: 1, leaves: [:], events: [])
        let tenant = TenantSnapshot(
            id: scene.history.tenant, state: scene.history.state.tenant, version: 1, leaves: [:])
        return employee.sessionRole(
            of: ServiceContext.fingerprint(of: scene.waiting.key), by: methods, in: tenant)
    }

    @Test func `is none by a synced passkey, unless the log-in proved a secret`() throws {
        let alone: [AuthenticationMethods] = [.passkey(isSynced: true), .device]
        let proved: [AuthenticationMethods] = [.credential(.answers), .credential(.passphrase), .mpin]
        for methods in alone {
            #expect(!methods.secretProved)
            #expect(try role(PasskeySaying(flags: 0x0D), by: methods) == .employee)
            #expect(try role(PasskeySaying(), by: methods) == .admin)
        }
        for methods in proved {
            #expect(methods.secretProved)
            #expect(try role(PasskeySaying(flags: 0x0D), by: methods) == .admin)
        }
        // What a row says that is not understood counts against it.
        #expect(!AuthenticationMethods(text: "").secretProved)
        #expect(!AuthenticationMethods(text: "pop mfa").secretProved)
    }
}
