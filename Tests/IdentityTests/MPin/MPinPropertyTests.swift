import Canonical
@testable import Identity
import Testing

@Suite struct MPinPropertyTests {
    static func command(
        _ generator: inout SeededGenerator, at time: Timestamp, under policy: MPinPolicy
    ) throws -> MPinIdentity.Command {
        let status: EmployeeStatus = Int.random(in: 0..<8, using: &generator) == 0 ? .cancelled : .active
        switch Int.random(in: 0..<64, using: &generator) {
        case 0..<3: return try MPinScene.starting(policy)
        case 3..<6: return .restart(policy, at: time)
        case 6..<9: return .verify(.email, at: time)
        case 9: return .verify(.code, at: time)
        case 10..<12: return .verify(.application(try MPinScene.vouched()), at: time)
        case 12..<14: return try MPinScene.link(policy: policy, at: time)
        case 14: return try MPinScene.link(try MPinScene.device(Scene.otherKey), policy: policy, at: time)
        case 15..<22: return try MPinScene.issue(policy: policy, linked: status, at: time)
        case 22: return .expire(at: time)
        case 23: return .supersede
        case 24: return try MPinScene.revoke(account: Bool.random(using: &generator) ? MPinScene.subject : nil)
        case 25: return .erase(try Scene.operated())
        case 26..<50: return MPinScene.prove(true, policy: policy, linked: status, at: time)
        default: return MPinScene.prove(false, policy: policy, linked: status, at: time)
        }
    }

    /// One random life of an identity.
    struct Life {
        var state = MPinIdentity.initial
        var log: [Recorded<MPinIdentityEvent>] = []
        var row = 0, wrong = 0

        /// Appends events, and counts wrong proofs a second time.
        mutating func append(_ events: [MPinIdentityEvent], at time: Timestamp, wasRight: Bool) {
            for event in events {
                log.append(Sample.recorded(event, at: time, position: Int64(log.count + 1)))
                MPinIdentity.evolve(&state, log[log.count - 1])
                if case .authenticationFailed(let event) = event {
                    row += 1
                    wrong += 1
                    #expect(event.failures == row && event.lifetime == wrong && (1...5).contains(event.limit))
                }
            }
            if wasRight { row = 0 }
        }
    }

    @Test(arguments: 0..<200)
    func `no sequence of commands exceeds a limit, and what ended stays ended`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var life = Life(), time = Sample.start, policy = MPinPolicy.initial
        for _ in 0..<300 {
            time = time.adding(.seconds(Int.random(in: 0...400, using: &generator)))
            if Int.random(in: 0..<20, using: &generator) == 0 {
                policy.maximumFailures = Int.random(in: 1...5, using: &generator)
            }
            let command = try Self.command(&generator, at: time, under: policy)
            let before = life.state, status = before.status(at: time)
            guard let events = try? MPinIdentity.decide(before, command) else { continue }
            var wasRight = false
            if case .prove(let proof) = command {
                #expect(status == .issued || status == .registered, "\(status)")
                wasRight = proof.isRight
            }
            life.append(events, at: time, wasRight: wasRight)
            let state = life.state
            #expect(state.failures == life.row && state.lifetimeFailures == life.wrong)
            #expect(state.failures <= 5 && state.lifetimeFailures <= 50)
            if let end = before.end { #expect(state.end == end && state.failures == before.failures) }
            if state.end == nil { #expect(state.lifetimeFailures < 50 && state.failures < 5) }
            if let link = before.link { #expect(state.link == link) }
            if state.progress == .registered { #expect(state.key != nil) }
        }
        #expect(MPinIdentity.fold(life.log) == life.state)
        #expect(life.log.filter { if case .blocked = $0.event { true } else { false } }.count <= 1)
    }

    @Test(arguments: 0..<50)
    func `events in any order can be folded`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let events = try EventSamples.mpin().compactMap(MPinIdentityEvent.init)
        var state = MPinIdentity.initial, isStarted = false, ended = false
        for _ in 0..<40 {
            let event = try #require(events.randomElement(using: &generator))
            if case .started = event, !ended { isStarted = true }
            MPinIdentity.evolve(&state, Sample.recorded(event))
            ended = state.end != nil || state.isErased
            #expect((state.registration != nil) == isStarted)
        }
    }
}
