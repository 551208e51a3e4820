import Canonical
import Identity
import Testing

/// What employees do with the keys of their own devices.
@Suite struct `An employee's own keys` {
    private typealias Life = `Life of an employee key`

    @Test func `ten keys wait at most, and one more when one was decided or waited too long`() throws {
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

    @Test func `everybody revokes a key of their own by one in force, whatever the policy, and nobody else's`() throws {
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        let state = try Scene.state([
            .register(try Scene.register()), Scene.authorize(Scene.firstKey, by: byApp),
            .presentKey(.init(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now)),
            Scene.authorize(Scene.otherKey, by: byApp),
        ])
        func revoke(_ key: PublicKeyBytes, by caller: Caller, signer: PublicKeyBytes) throws -> Character {
            Life.letter(state, .revokeOwnKey(try Scene.end(key, by: try Scene.decision(caller, key: signer))))
        }
        let own = Caller.employee(
            EmployeeCaller(
                employee: Scene.employee, user: Scene.user, role: .employee, status: .active,
                authorizedKeys: state.authorizedKeys))
        #expect(try revoke(Scene.otherKey, by: own, signer: Scene.firstKey) == "+")
        #expect(try revoke(Scene.otherKey, by: own, signer: Scene.otherKey) == "+")
        #expect(try revoke(Sample.key(120), by: own, signer: Scene.firstKey) == "u")
        // A key that is not in force signs nothing, and another person has another call for it.
        #expect(try revoke(Scene.otherKey, by: own, signer: Sample.key(120)) == "n")
        #expect(try revoke(Scene.otherKey, by: Scene.person(), signer: Scene.firstKey) == "n")
        #expect(try revoke(Scene.otherKey, by: Scene.appCaller(), signer: Scene.appKey) == "n")
        #expect(try revoke(Scene.otherKey, by: .operator, signer: Scene.firstKey) == "n")
    }

    @Test func `a security admin keeps the last key until somebody follows`() throws {
        let founded = try Scene.state([.register(try Scene.register(founding: true))])
        func admin(_ role: EmployeeRole) -> Caller {
            .employee(
                EmployeeCaller(
                    employee: Scene.employee, user: Scene.user, role: role, status: .active,
                    authorizedKeys: [Scene.firstKey]))
        }
        for role in EmployeeRole.allCases {
            let end = try Scene.end(Scene.firstKey, by: try Scene.decision(admin(role), key: Scene.firstKey))
            let commands: [Employee.Command] =
                role == .employee ? [.revokeOwnKey(end)] : [.revokeOwnKey(end), .revokeKey(end)]
            for command in commands {
                #expect(Life.letter(founded, command) == (role == .securityAdmin ? "!" : "+"), "\(role)")
            }
        }
    }
}
