import Canonical
@testable import Identity
import Testing

@Suite struct MPinCountingTests {
    static func failed(_ failures: Int, _ limit: Int, _ lifetime: Int) -> MPinIdentityEvent {
        .authenticationFailed(MPinAuthenticationFailed(failures: failures, limit: limit, lifetime: lifetime))
    }

    @Test(arguments: 1...5)
    func `as many wrong proofs in a row as the policy says block`(limit: Int) throws {
        let policy = MPinPolicy(maximumFailures: limit)
        var state = try MPinScene.registered()
        for count in 1..<limit {
            let events = try MPinScene.run(MPinScene.prove(false, policy: policy), on: &state)
            #expect(events == [Self.failed(count, limit, count)])
        }
        let last = try MPinScene.run(MPinScene.prove(false, policy: policy), on: &state)
        #expect(last == [Self.failed(limit, limit, limit), .blocked(MPinBlocked(reason: .failures))])
        #expect(state.status(at: MPinScene.soon) == .blocked && state.end == .blocked(.failures))
    }

    @Test func `a right proof clears the count of proofs in a row only`() throws {
        var state = try MPinScene.registered()
        #expect(try MPinScene.run(MPinScene.prove(true), on: &state) == [])
        for round in 1...4 {
            for count in 1...2 {
                #expect(
                    try MPinScene.run(MPinScene.prove(false), on: &state)
                        == [Self.failed(count, 3, 2 * (round - 1) + count)])
            }
            #expect(
                try MPinScene.run(MPinScene.prove(true), on: &state) == [.failuresCleared(MPinFailuresCleared())])
            #expect(state.failures == 0 && state.lifetimeFailures == 2 * round)
            #expect(try MPinScene.run(MPinScene.prove(true), on: &state) == [])
        }
    }

    @Test func `wrong proofs before the first right one count too`() throws {
        var state = try MPinScene.issued()
        try MPinScene.run(MPinScene.prove(false), on: &state)
        let events = try MPinScene.run(MPinScene.prove(true), on: &state)
        #expect(events == [.registered(MPinRegistered()), .failuresCleared(MPinFailuresCleared())])
        #expect(try MPinScene.blocked().progress == .issued(until: MPinScene.expired))
    }

    @Test func `fifty wrong proofs in a lifetime block`() throws {
        var state = try MPinScene.registered()
        for count in 1..<50 {
            #expect(try MPinScene.run(MPinScene.prove(false), on: &state) == [Self.failed(1, 3, count)])
            try MPinScene.run(MPinScene.prove(true), on: &state)
        }
        let last = try MPinScene.run(MPinScene.prove(false), on: &state)
        #expect(last == [Self.failed(1, 3, 50), .blocked(MPinBlocked(reason: .lifetime))])
        #expect(throws: MPinIdentity.Rejection.blocked) { try MPinIdentity.decide(state, MPinScene.prove(true)) }
    }

    @Test func `a lower limit blocks at the next wrong proof, not before`() throws {
        var state = try MPinScene.registered()
        for _ in 1...3 { try MPinScene.run(MPinScene.prove(false, policy: MPinPolicy(maximumFailures: 5)), on: &state) }
        let lower = MPinPolicy(maximumFailures: 2)
        #expect(
            try MPinIdentity.decide(state, MPinScene.prove(true, policy: lower))
                == [.failuresCleared(MPinFailuresCleared())])
        #expect(
            try MPinIdentity.decide(state, MPinScene.prove(false, policy: lower))
                == [Self.failed(4, 2, 4), .blocked(MPinBlocked(reason: .failures))])
    }

    @Test(arguments: [-1, 0, 6, 1_000])
    func `a limit out of range is taken as the nearest one`(limit: Int) throws {
        let events = try MPinIdentity.decide(
            MPinScene.registered(), MPinScene.prove(false, policy: MPinPolicy(maximumFailures: limit)))
        #expect(events.first == Self.failed(1, limit < 1 ? 1 : 5, 1))
    }
}
