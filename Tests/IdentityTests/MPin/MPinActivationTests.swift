import Canonical
@testable import Identity
import Testing

@Suite struct MPinActivationTests {
    typealias Refusal = MPinActivation.Rejection

    private func issue(_ caller: DecidingParty = Scene.appCaller()) throws -> MPinActivation.Command {
        .issue(
            MPinActivation.Issue(
                id: EventSamples.mpinActivation, digest: try Sample.bytes32(0xB0), subject: try Sample.bytes32(0xB1),
                subjectSalt: try Sample.bytes32(0xB2), userID: try MPinUserID("204"),
                decision: try Scene.decision(caller), time: Sample.start))
    }

    private func enter(_ isRight: Bool, at time: Timestamp = MPinScene.soon) -> MPinActivation.Command {
        .enter(isRight: isRight, for: MPinScene.id, at: time)
    }

    private func state(_ commands: [MPinActivation.Command]) throws -> MPinActivation.State {
        var state = MPinActivation.initial
        for command in commands {
            for event in try MPinActivation.decide(state, command) {
                MPinActivation.evolve(&state, Sample.recorded(event))
            }
        }
        return state
    }

    @Test func `an app with AUTHORIZATION or an admin issues a code, once, for a day`() throws {
        for caller in [Scene.appCaller(), Scene.person(), Scene.securityAdmin] {
            let events = try MPinActivation.decide(MPinActivation.initial, issue(caller))
            let issued = try #require(events.first?.payload as? MPinActivationIssued)
            #expect(issued.userID == Personal(owner: EventSamples.mpinActivation.uuid, text: "204"))
            #expect(issued.expiresAt == Sample.start.adding(.seconds(86_400)))
        }
        for caller in [Scene.personnelApp, Scene.person(role: .employee), Scene.person(roleKeys: [])] {
            #expect(throws: Refusal.notPermitted) {
                try MPinActivation.decide(MPinActivation.initial, issue(caller))
            }
        }
        #expect(throws: Refusal.issued) { try MPinActivation.decide(try state([issue()]), issue()) }
    }

    @Test func `a right code is used once and in time`() throws {
        let issued = try state([issue()])
        #expect(
            try MPinActivation.decide(issued, enter(true))
                == [
                    .used(
                        MPinActivationUsed(activationID: EventSamples.mpinActivation, identityID: MPinScene.id))
                ])
        let used = try state([issue(), enter(true)])
        #expect(used.usedBy == MPinScene.id)
        let late = Sample.start.adding(.seconds(86_400))
        for (state, command) in [
            (used, enter(true)), (used, enter(false)), (issued, enter(true, at: late)),
            (issued, enter(false, at: late)), (MPinActivation.initial, enter(true)),
        ] {
            #expect(throws: Refusal.invalid) { try MPinActivation.decide(state, command) }
        }
    }

    @Test func `five wrong codes end it`() throws {
        var commands = [try issue()]
        for count in 1...5 {
            let events = try MPinActivation.decide(try state(commands), enter(false))
            #expect(
                events == [
                    .failed(
                        MPinActivationFailed(activationID: EventSamples.mpinActivation, failures: count, limit: 5))
                ])
            commands.append(enter(false))
        }
        for isRight in [true, false] {
            #expect(throws: Refusal.invalid) { try MPinActivation.decide(try state(commands), enter(isRight)) }
        }
        #expect(try MPinActivation.decide(try state(commands.dropLast()), enter(true)).count == 1)
    }

    @Test func `refusals do not tell a wrong code from an ended one`() {
        #expect(Refusal.invalid.code == Refusal.notPermitted.code)
        #expect(Set(Refusal.allCases.map(\.code)) == ["authorization.not_permitted", "request.invalid"])
    }
}
