import Foundation
@testable import Identity
import Testing

/// Events that no decision makes in their state, such as somebody who can write to the database may append: folds
/// ignore them.
@Suite struct `Repeated events` {
    private static let reason = ReasonCode("lost")

    @Test func `a second issue brings no revoked secret of an app back`() throws {
        let app = EventSamples.app, secret = SecretID(Sample.uuid(40))
        let roles = RoleSet(.access), digest = try Sample.bytes32(1), key = Sample.key(0x22)
        let issued = AppEvent.secretIssued(
            AppSecretIssued(
                appID: app, secretID: secret, roles: roles, digest: digest, authorityKey: key, by: .operator(nil)))
        let registered = AppEvent.registered(
            AppRegistered(appID: app, name: "app", salt: digest, by: .operator(nil)))
        let renamed = AppEvent.registered(
            AppRegistered(appID: app, name: "other", salt: try Sample.bytes32(2), by: .operator(nil)))
        let revoked = AppEvent.secretRevoked(AppSecretRevoked(appID: app, secretID: secret, by: .operator(nil)))
        let state = App.fold([registered, issued, revoked, issued, renamed].map { Sample.recorded($0) })
        #expect(state.secrets[secret]?.isInForce == false && state.name == "app" && state.salt == digest)
    }

    @Test func `a key that ended is neither presented nor authorized again`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let key = Scene.firstKey, reason = try #require(Self.reason)
        let before = try #require(state.keys[key])
        #expect(before.status == .authorized)
        let revoked = EmployeeEvent.keyRevoked(
            EmployeeKeyRevoked(employeeID: Scene.employee, key: key, reason: reason, by: .operator(nil)))
        Scene.apply([revoked], to: &state)
        let ended = state
        let presented = EmployeeEvent.keyPresented(
            EmployeeKeyPresented(employeeID: Scene.employee, key: key, flow: EventSamples.flow, first: false))
        let authorized = EmployeeEvent.keyAuthorized(
            EmployeeKeyAuthorized(employeeID: Scene.employee, key: key, by: .founding))
        Scene.apply([presented, authorized, revoked], to: &state, at: Scene.now, position: 9)
        #expect(state == ended)
    }

    @Test func `an erased account is not reinstated, and a second cancellation names nobody else`() throws {
        var state = try Scene.state([.register(Scene.register())])
        func cancelled(_ by: Authority) -> EmployeeEvent {
            .cancelled(EmployeeCancelled(employeeID: Scene.employee, reason: .cancelled, by: by))
        }
        let admin = Authority.employee(EmployeeID(Sample.uuid(80)), nil)
        Scene.apply([cancelled(admin), cancelled(.operator(nil))], to: &state)
        #expect(state.account?.cancelledBy == admin)
        let reinstated = EmployeeEvent.reinstated(EmployeeReinstated(employeeID: Scene.employee, by: admin))
        Scene.apply(
            [.erased(EmployeeErased(employeeID: Scene.employee, by: .operator(nil))), reinstated], to: &state)
        #expect(state.account?.status == .cancelled)
    }

    @Test func `former credentials do not come back, and another recovery's end ends none`() throws {
        var state = User.fold([
            Sample.recorded(.credentialsSet(try `Users and apps`.credentials(5))),
            Sample.recorded(.credentialsChanged(try `Users and apps`.change(6, of: 5)), position: 2),
        ])
        let current = state.credentials
        User.evolve(&state, Sample.recorded(.credentialsSet(try `Users and apps`.credentials(5)), position: 3))
        User.evolve(&state, Sample.recorded(.credentialsChanged(try `Users and apps`.change(6, of: 5)), position: 4))
        #expect(state.credentials == current && state.everyCredential.count == 2)
    }

    @Test func `the security admin is not appointed as an admin, who would stay one after a succession`() throws {
        var tenant = Scene.tenant()
        let admin = try #require(tenant.securityAdmin)
        let keys = [KeyFingerprint(of: Scene.otherKey)]
        let appointed = AdminAppointed(employeeID: admin, fingerprints: keys, by: .founding)
        Tenant.evolve(&tenant, Sample.recorded(.adminAppointed(appointed), position: 600))
        #expect(tenant.admins[admin] == nil)
    }
}
