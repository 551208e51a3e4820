import Identity
import Testing

@Suite struct `Authority over keys` {
    @Test(arguments: KeyAuthorization.allCases)
    func `who may decide under each policy`(policy: KeyAuthorization) {
        let apps = policy != .securityAdmin
        let cases: [(Caller, Bool)] = [
            (Scene.appCaller(), apps), (Scene.appCaller(roles: RoleSet(.authorization)), apps),
            (Scene.appCaller(roles: RoleSet(.creation, .access)), false), (Scene.appCaller(isLinked: false), false),
            (Scene.person(role: .securityAdmin), true), (Scene.person(role: .admin), true),
            (Scene.person(role: .employee), false), (Scene.person(status: .registered), false),
            (Scene.person(role: .securityAdmin, status: .cancelled), false), (Scene.person(keys: []), false),
            (.operator, false),
        ]
        for (caller, permitted) in cases {
            #expect(KeyAuthority.permits(policy, caller) == permitted, "\(caller)")
            let isApp = if case .app = caller { true } else { false }
            #expect(KeyAuthority.countersigns(policy, caller) == (permitted && isApp && policy == .automatic))
        }
    }

    @Test func `who may administer`() {
        #expect(AdminAuthority.permits(Scene.person()) && AdminAuthority.permits(Scene.person(role: .securityAdmin)))
        #expect(!AdminAuthority.permits(Scene.person(role: .employee)))
        #expect(!AdminAuthority.permits(Scene.person(status: .cancelled)))
        #expect(!AdminAuthority.permits(Scene.appCaller()) && !AdminAuthority.permits(.operator))
        #expect(AdminAuthority.permitsLinking(.operator) && AdminAuthority.permitsLinking(Scene.person()))
        #expect(!AdminAuthority.permitsLinking(Scene.appCaller()))
        #expect(AdminAuthority.permitsConfirming(.operator))
        #expect(!AdminAuthority.permitsConfirming(Scene.person(role: .securityAdmin)))
    }

    @Test func `the policy holds for all three decisions`() throws {
        let state = try Scene.state([.register(Scene.register())])
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        var end = try Scene.end(Scene.firstKey, by: byApp)
        end.policy.keyAuthorization = .securityAdmin
        let commands: [Employee.Command] = [
            Scene.authorize(Scene.firstKey, by: byApp, policy: .securityAdmin), .refuseKey(end), .revokeKey(end),
        ]
        for command in commands {
            #expect(throws: Employee.Rejection.notPermitted) { try Employee.decide(state, command) }
        }
    }

    @Test func `who signs must own the key in force`() throws {
        let state = try Scene.state([.register(Scene.register())])
        for (caller, key) in [(Scene.person(), Scene.otherKey), (Scene.appCaller(), Scene.adminKey)] {
            let decision = try Scene.decision(caller, key: key)
            #expect(throws: Employee.Rejection.notPermitted) {
                try Employee.decide(state, Scene.authorize(Scene.firstKey, by: decision))
            }
        }
    }

    @Test func `no key authorizes itself`() throws {
        let state = try Scene.state([.register(Scene.register())])
        // The admin's device holds the very key that the employee presented.
        let sameDevice = Scene.person(keys: [Scene.firstKey])
        for caller in [sameDevice, Scene.appCaller(key: Scene.firstKey)] {
            let decision = try Scene.decision(caller, key: Scene.firstKey)
            #expect(throws: Employee.Rejection.selfAuthorization) {
                try Employee.decide(state, Scene.authorize(Scene.firstKey, by: decision))
            }
        }
    }

    @Test func `a security admin authorizes another key of their own, an admin does not`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let present = Employee.PresentKey(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now)
        Scene.apply(try Employee.decide(state, .presentKey(present)), to: &state)
        func authorize(_ id: EmployeeID, _ role: EmployeeRole) throws -> [EmployeeEvent] {
            let caller = Scene.person(id, user: Scene.user, role: role, keys: [Scene.firstKey])
            let decision = try Scene.decision(caller, key: Scene.firstKey)
            return try Employee.decide(state, Scene.authorize(Scene.otherKey, by: decision, policy: .securityAdmin))
        }
        #expect(try authorize(Scene.employee, .securityAdmin).count == 1)
        #expect(throws: Employee.Rejection.anotherPersonNeeded) { try authorize(Scene.employee, .admin) }
        // Another account of the same user is the same person.
        #expect(throws: Employee.Rejection.anotherPersonNeeded) { try authorize(Scene.admin, .admin) }
        #expect(throws: Employee.Rejection.anotherPersonNeeded) { try authorize(Scene.admin, .securityAdmin) }
    }

    @Test func `another person's authorization carries what they signed`() throws {
        let state = try Scene.state([.register(Scene.register())])
        let decision = try Scene.decision(Scene.person(), key: Scene.adminKey)
        let expected = EmployeeKeyAuthorized(
            employeeID: Scene.employee, key: Scene.firstKey,
            by: .employee(Scene.admin, try Sample.statement(by: Scene.adminKey)))
        #expect(
            try Employee.decide(state, Scene.authorize(Scene.firstKey, by: decision)) == [.keyAuthorized(expected)])
    }
}
