import Canonical
@testable import Identity
import Testing

@Suite struct `Properties of the employee decider` {
    static func commands(_ generator: inout SeededGenerator, at time: Timestamp) throws -> Employee.Command {
        let keys = [Scene.firstKey, Scene.otherKey, Sample.key(0x13)]
        let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: return .register(try Scene.register(policy: TenantPolicy(approval: .admin)))
        case 1, 2: return .presentKey(.init(key: key, flow: EventSamples.flow, time: time))
        case 3: return Scene.authorize(key, by: byApp, at: time)
        case 4: return .refuseKey(try Scene.end(key, by: byApp, at: time))
        case 5: return .revokeKey(try Scene.end(key, by: byApp, at: time))
        case 6: return try Scene.approve()
        case 7:
            return Bool.random(using: &generator)
                ? try Scene.cancel() : try Scene.reinstate()
        default:
            return Int.random(in: 0..<8, using: &generator) == 0
                ? .reclaimEmail(try `Life of an employee key`.reclaim()) : try Scene.approve()
        }
    }

    @Test(arguments: 0..<200)
    func `a repeated command has no effect, and permanent states stay`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var state = Employee.initial
        var log: [Recorded<EmployeeEvent>] = []
        var ended: Set<PublicKeyBytes> = []
        var time = Sample.start
        for _ in 0..<120 {
            time = time.adding(.seconds(Int.random(in: 0...400_000, using: &generator)))
            let command = try Self.commands(&generator, at: time)
            guard let events = try? Employee.decide(state, command) else { continue }
            for event in events {
                log.append(Sample.recorded(event, at: time, position: Int64(log.count + 1)))
                Employee.evolve(&state, log[log.count - 1])
            }
            if case .register = command {
                #expect(throws: Employee.Rejection.alreadyRegistered) { try Employee.decide(state, command) }
            } else {
                #expect(try Employee.decide(state, command) == [], "\(command)")
            }
            ended.formUnion(state.keys.values.filter { $0.status == .revoked }.map(\.key))
            #expect(state.authorizedKeys.isDisjoint(with: ended))
            if state.account?.isReclaimed == true {
                #expect(state.account?.status == .cancelled && state.authorizedKeys.isEmpty)
            }
        }
        #expect(Employee.fold(log) == state)
    }

    @Test(arguments: 0..<100)
    func `events in any order can be folded`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let events = try EventSamples.employees().compactMap(EmployeeEvent.init)
        #expect(events.count >= 13)
        var state = Employee.initial
        var registered = false
        for _ in 0..<60 {
            let event = try #require(events.randomElement(using: &generator))
            if case .registered = event { registered = true }
            Employee.evolve(&state, Sample.recorded(event))
            #expect((state.account != nil) == registered)
        }
    }
}
