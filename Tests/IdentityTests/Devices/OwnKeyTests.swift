import Canonical
@testable import Identity
import Testing

/// What employees do with the keys of their own devices.
@Suite struct `An employee's own keys` {
    private typealias Life = `Life of an employee key`

    @Test func `at most ten keys are pending, and an expired or decided one makes room`() throws {
        var state = try Scene.state([.register(try Scene.register())])
        func present(_ number: UInt8, at time: Timestamp = Scene.now) throws -> Employee.Command {
            .presentKey(.init(key: Sample.key(number), flow: EventSamples.flow, time: time))
        }
        // The key of the registration is the first one that waits.
        for number in 1..<UInt8(Employee.pendingLimit) {
            Scene.apply(try Employee.decide(state, try present(100 + number)), to: &state, at: Scene.now)
        }
        #expect(state.waitingKeys(at: Scene.now) == Employee.pendingLimit)
        #expect(throws: Employee.Rejection.tooManyWaitingKeys) { try Employee.decide(state, present(120)) }
        #expect(try Employee.decide(state, try present(101)) == [], "a key that waits already is no further one")
        #expect(
            Employee.login(state, key: Sample.key(120), flow: EventSamples.flow, time: Scene.now)
                == .tooManyWaitingKeys)
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        var refused = state
        Scene.apply(
            try Employee.decide(refused, .refuseKey(try Scene.end(Sample.key(101), by: byApp))), to: &refused)
        #expect(try Employee.decide(refused, try present(120)).count == 1)
        let late = Scene.late.adding(.seconds(40 * 86_400))
        #expect(state.waitingKeys(at: late) == 0)
        #expect(try Employee.decide(state, try present(120, at: late)).count == 1)
    }

    @Test func `every employee can revoke their own keys with one in force, under any policy`() throws {
        let byApp = try Scene.decision(Scene.appCaller())
        let state = try Scene.state([
            .register(try Scene.register()), Scene.authorize(Scene.firstKey, by: byApp),
            .presentKey(.init(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now)),
            Scene.authorize(Scene.otherKey, by: byApp),
        ])
        func revoke(_ key: PublicKeyBytes, by caller: DecidingParty, signer: PublicKeyBytes) throws -> Character {
            Life.letter(
                state,
                .revokeKey(
                    try Scene.end(key, by: try Scene.decision(caller, key: signer), in: Scene.tenant(.securityAdmin))))
        }
        let own = Scene.person(Scene.employee, user: Scene.user, role: .employee, keys: state.authorizedKeys)
        #expect(try revoke(Scene.otherKey, by: own, signer: Scene.firstKey) == "+")
        #expect(try revoke(Scene.otherKey, by: own, signer: Scene.otherKey) == "+")
        #expect(try revoke(Sample.key(120), by: own, signer: Scene.firstKey) == "u")
        // A key that is not in force signs nothing.
        #expect(try revoke(Scene.otherKey, by: own, signer: Sample.key(120)) == "n")
        #expect(try revoke(Scene.otherKey, by: Scene.person(role: .employee), signer: Scene.adminKey) == "n")
        #expect(try revoke(Scene.otherKey, by: .operator(Scene.operatorKey), signer: Scene.operatorKey) == "n")
    }

    @Test func `a device in force authorizes another of the account unless the policy needs an admin`() throws {
        let byApp = try Scene.decision(Scene.appCaller())
        let state = try Scene.state([
            .register(try Scene.register()), Scene.authorize(Scene.firstKey, by: byApp),
            .presentKey(.init(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now)),
        ])
        let own = Scene.person(Scene.employee, user: Scene.user, role: .employee, keys: [Scene.firstKey])
        let byOwn = try Scene.decision(own, key: Scene.firstKey)
        for (policy, letter) in [(KeyAuthorization.application, "+"), (.automatic, "+"), (.securityAdmin, "n")] {
            #expect(
                String(Life.letter(state, Scene.authorize(Scene.otherKey, by: byOwn, policy: policy))) == letter)
        }
        // Another account of the same user is the same person.
        let twin = Scene.person(user: Scene.user)
        #expect(Life.letter(state, Scene.authorize(Scene.otherKey, by: try Scene.decision(twin))) == "n")
        let itself = Scene.person(Scene.employee, user: Scene.user, role: .employee, keys: [Scene.otherKey])
        #expect(throws: Employee.Rejection.selfAuthorization) {
            try Employee.decide(
                state, Scene.authorize(Scene.otherKey, by: try Scene.decision(itself, key: Scene.otherKey)))
        }
    }

    @Test func `a security admin keeps the last key with the role until a succession`() throws {
        var state = try Scene.state([.register(try Scene.register(founding: true))])
        let tenant = Scene.tenant(employeeIs: .securityAdmin)
        let own = Scene.person(Scene.employee, user: Scene.user, role: .securityAdmin, keys: [Scene.firstKey])
        let by = try Scene.decision(own, key: Scene.firstKey)
        #expect(throws: Employee.Rejection.securityAdmin) {
            try Employee.decide(state, .revokeKey(try Scene.end(Scene.firstKey, by: by, in: tenant)))
        }
        let present = Employee.PresentKey(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now)
        Scene.apply(try Employee.decide(state, .presentKey(present)), to: &state, position: 700)
        Scene.apply(
            try Employee.decide(state, Scene.authorize(Scene.otherKey, by: by, in: tenant)), to: &state, position: 701)
        #expect(state.roleKeys(in: tenant) == [Scene.firstKey, Scene.otherKey])
        #expect(
            try Employee.decide(state, .revokeKey(try Scene.end(Scene.firstKey, by: by, in: tenant))).count == 1)
    }
}
