@testable import Identity
import Testing

/// Which device keys carry the role of their owner.
@Suite struct `Keys that carry a role` {
    /// An employee with one key that an app vouched for and one that an admin signed for.
    static func state() throws -> Employee.State {
        let byApp = try Scene.decision(Scene.appCaller())
        let byAdmin = try Scene.decision(Scene.person())
        return try Scene.state([
            .register(Scene.register()), Scene.authorize(Scene.firstKey, by: byApp),
            .presentKey(.init(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now)),
            Scene.authorize(Scene.otherKey, by: byAdmin),
        ])
    }

    @Test func `are by default the keys that a person vouched for`() throws {
        let target = try #require(Tenant.RoleTarget(Self.state()))
        #expect(target.roleKeys == [KeyFingerprint(of: Scene.otherKey)])
        let named = try #require(
            Tenant.RoleTarget(Self.state(), namedKeys: [KeyFingerprint(of: Scene.firstKey)]))
        #expect(named.roleKeys == [KeyFingerprint(of: Scene.firstKey)])
        let unknown = try #require(
            Tenant.RoleTarget(Self.state(), namedKeys: [KeyFingerprint(of: Scene.secondKey)]))
        #expect(unknown.roleKeys == [])
    }

    @Test func `are only the listed keys, if some are listed`() throws {
        let state = try Self.state()
        #expect(state.roleKeys(in: Scene.tenant()) == [])
        let tenant = Scene.tenant(employeeIs: .admin, listing: [Scene.otherKey])
        #expect(state.roleKeys(in: tenant) == [Scene.otherKey])
    }

    @Test func `a key that an app vouched for carries no role until an authorized person authorizes it`()
        throws
    {
        var state = try Self.state()
        let tenant = Scene.tenant(employeeIs: .admin, listing: [Scene.otherKey])
        let own = Scene.person(
            Scene.employee, user: Scene.user, role: .admin, keys: [Scene.firstKey, Scene.otherKey],
            roleKeys: [Scene.otherKey])
        func authorize(by caller: DecidingParty, key: PublicKeyBytes) throws -> [EmployeeEvent] {
            try Employee.decide(
                state, Scene.authorize(Scene.firstKey, by: try Scene.decision(caller, key: key), in: tenant))
        }
        // Neither an app, nor another admin, nor the key itself.
        for (caller, key) in [(Scene.appCaller(), Scene.appKey), (Scene.person(), Scene.adminKey)] {
            #expect(throws: Employee.Rejection.notPermitted) { try authorize(by: caller, key: key) }
        }
        #expect(throws: Employee.Rejection.notPermitted) { try authorize(by: own, key: Scene.firstKey) }
        #expect(try authorize(by: Scene.securityAdmin, key: Scene.adminKey).count == 1)
        let events = try authorize(by: own, key: Scene.otherKey)
        #expect(events.count == 1)
        Scene.apply(events, to: &state, position: 900)
        #expect(state.roleKeys(in: tenant) == [Scene.firstKey, Scene.otherKey])
        #expect(try authorize(by: own, key: Scene.otherKey) == [])
    }

    @Test func `a key without the role can end itself but no key with the role`() throws {
        let state = try Self.state()
        let tenant = Scene.tenant(employeeIs: .admin, listing: [Scene.otherKey])
        let own = Scene.person(
            Scene.employee, user: Scene.user, role: .admin, keys: [Scene.firstKey, Scene.otherKey],
            roleKeys: [Scene.otherKey])
        let weak = try Scene.decision(own, key: Scene.firstKey)
        #expect(throws: Employee.Rejection.notPermitted) {
            try Employee.decide(state, .revokeKey(try Scene.end(Scene.otherKey, by: weak, in: tenant)))
        }
        #expect(
            try Employee.decide(state, .revokeKey(try Scene.end(Scene.firstKey, by: weak, in: tenant))).count == 1)
    }

    @Test func `the founder's role is carried by the keys that a person vouched for`() throws {
        let tenant = Scene.tenant(employeeIs: .securityAdmin)
        #expect(try Self.state().roleKeys(in: tenant) == [Scene.otherKey])
    }
}
