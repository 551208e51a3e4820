import Canonical
@testable import Identity
import Testing

@Suite struct MPinRegistrationTests {
    typealias Refusal = MPinIdentity.Rejection

    private func names(_ command: MPinIdentity.Command, _ state: MPinIdentity.State) throws -> [String] {
        MPinScene.names(try MPinIdentity.decide(state, command))
    }

    @Test func `a start records user id and device name under the identity's own key`() throws {
        let events = try MPinIdentity.decide(MPinIdentity.initial, MPinScene.starting())
        #expect(
            events == [
                .started(
                    MPinRegistrationStarted(
                        identityID: MPinScene.id, mpinIDHash: try Sample.bytes32(0xA0),
                        userID: Personal(owner: MPinScene.id.uuid, text: MPinScene.user),
                        deviceName: Personal(owner: MPinScene.id.uuid, text: "Phone"), verification: .email,
                        expiresAt: MPinScene.start.adding(.seconds(3_600))))
            ])
    }

    @Test func `a start is verified at once by a code, and by an app where the policy says so`() throws {
        let application = MPinPolicy(verification: .application)
        let vouched = MPinIdentity.VerificationProof.application(try MPinScene.vouched())
        let both = ["MPinRegistrationStarted", "MPinIdentityVerified"]
        #expect(try names(MPinScene.starting(verifiedBy: .code), MPinIdentity.initial) == both)
        #expect(try names(MPinScene.starting(application, verifiedBy: vouched), MPinIdentity.initial) == both)
        let noApp = MPinIdentity.VerificationProof.application(try Scene.decision(Scene.personnelApp))
        for refused in [
            try MPinScene.starting(verifiedBy: vouched), try MPinScene.starting(application, verifiedBy: .email),
            try MPinScene.starting(application, verifiedBy: noApp),
        ] {
            #expect(throws: Refusal.notPermitted) { try MPinIdentity.decide(MPinIdentity.initial, refused) }
        }
        let state = try MPinScene.state([MPinScene.starting(application, verifiedBy: vouched)])
        #expect(state.progress == .activated(until: MPinScene.start.adding(.seconds(3_600))))
    }

    @Test func `a mail verifies only what started under the policy that mails`() throws {
        let state = try MPinScene.state([MPinScene.starting(MPinPolicy(verification: .application))])
        #expect(throws: Refusal.wrongState) { try MPinIdentity.decide(state, .verify(.email, at: MPinScene.soon)) }
        #expect(try names(.verify(.code, at: MPinScene.soon), state) == ["MPinIdentityVerified"])
    }

    @Test func `whoever may not verify is refused even when there is nothing to do`() throws {
        for caller in [Scene.personnelApp, Scene.person(role: .employee), Scene.person(roleKeys: [])] {
            let proof = MPinIdentity.VerificationProof.application(try Scene.decision(caller))
            for state in [try MPinScene.started(), try MPinScene.registered()] {
                #expect(throws: Refusal.notPermitted) {
                    try MPinIdentity.decide(state, .verify(proof, at: MPinScene.soon))
                }
            }
        }
    }

    @Test func `a registration expires unless it is verified and completed in time`() throws {
        let last = MPinScene.expired.adding(.microseconds(-1))
        for state in [try MPinScene.started(), try MPinScene.activated(), try MPinScene.issued()] {
            #expect(state.status(at: last) != .expired && state.status(at: MPinScene.expired) == .expired)
            #expect(try MPinIdentity.decide(state, .expire(at: last)) == [])
            #expect(
                try MPinIdentity.decide(state, .expire(at: MPinScene.expired))
                    == [.revoked(MPinRevoked(reason: .expired, by: .policy))])
            #expect(throws: Refusal.expired) {
                try MPinIdentity.decide(state, .verify(.email, at: MPinScene.expired))
            }
            #expect(throws: Refusal.expired) { try MPinIdentity.decide(state, MPinScene.link(at: MPinScene.expired)) }
            for command in [
                try MPinScene.issue(at: MPinScene.expired), MPinScene.prove(true, at: MPinScene.expired),
                MPinScene.prove(false, at: MPinScene.expired),
            ] {
                #expect(throws: Refusal.unauthorized) { try MPinIdentity.decide(state, command) }
            }
        }
        let registered = try MPinScene.registered(), late = MPinScene.expired.adding(.seconds(1_000_000))
        #expect(registered.status(at: late) == .registered)
        #expect(try MPinIdentity.decide(registered, .expire(at: late)) == [])
    }

    @Test func `an expired registration starts again, unverified, with its counts`() throws {
        for (state, failures) in [
            (try MPinScene.started(), 0), (try MPinScene.activated(), 0), (try MPinScene.issued(), 1),
        ] {
            var state = state
            let begun = try #require(state.startedAt)
            if failures > 0 { try MPinScene.run(MPinScene.prove(false), on: &state) }
            let events = try MPinScene.run(
                .restart(.initial, at: MPinScene.expired), on: &state, at: MPinScene.expired)
            let until = MPinScene.expired.adding(.seconds(3_600))
            #expect(events == [.restarted(MPinRegistrationRestarted(expiresAt: until))])
            #expect(state.progress == .started(until: until) && state.startedAt == MPinScene.expired)
            #expect(state.firstStartedAt == begun && begun < MPinScene.expired)
            #expect(state.failures == failures && state.lifetimeFailures == failures)
            #expect(throws: Refusal.unauthorized) {
                try MPinIdentity.decide(state, MPinScene.prove(true, at: MPinScene.expired))
            }
        }
    }

    @Test func `the window of a client key counts from the verification`() throws {
        let verified = MPinScene.start.adding(.seconds(3_000))
        let state = try MPinScene.state([MPinScene.starting(), .verify(.email, at: verified)])
        let last = verified.adding(.seconds(3_600) - .microseconds(1))
        #expect(try names(MPinScene.issue(at: last), state) == ["MPinClientKeyIssued"])
        #expect(throws: Refusal.unauthorized) {
            try MPinIdentity.decide(state, MPinScene.issue(at: verified.adding(.seconds(3_600))))
        }
    }

    @Test func `a repeated issue keeps suite, epoch and push identifier of the first`() throws {
        var state = try MPinScene.activated()
        try MPinScene.run(MPinScene.issue(epoch: 4, push: "push-7"), on: &state)
        #expect(try MPinScene.run(MPinScene.issue(epoch: 5, push: "push-8"), on: &state) == [])
        #expect(state.key?.epoch == 4 && state.key?.suite == .bls12381AMCL3SHA256)
        #expect(state.key?.pushIdentifier == Personal(owner: MPinScene.id.uuid, text: "push-7"))
    }

    @Test func `a policy without M-Pin stops starts, links, keys and proofs`() throws {
        let off = MPinPolicy(enabled: false)
        let cases: [(MPinIdentity.State, MPinIdentity.Command)] = [
            (MPinIdentity.initial, try MPinScene.starting(off)),
            (try MPinScene.started(), .restart(off, at: MPinScene.soon)),
            (try MPinScene.started(), try MPinScene.link(policy: off)),
            (try MPinScene.activated(), try MPinScene.issue(policy: off)),
            (try MPinScene.registered(), MPinScene.prove(true, policy: off)),
            (try MPinScene.registered(), MPinScene.prove(false, policy: off)),
        ]
        for (state, command) in cases {
            #expect(throws: Refusal.disabled) { try MPinIdentity.decide(state, command) }
        }
        #expect(throws: Refusal.blocked) {
            try MPinIdentity.decide(try MPinScene.blocked(), MPinScene.prove(true, policy: off))
        }
    }

    @Test(arguments: ["", " ", "a\u{0}b", "a\u{202E}b", String(repeating: "x", count: 257)])
    func `a user id or a device name is refused if nobody could read it`(text: String) {
        #expect(throws: ValueError.self) { try MPinUserID(text) }
        if text != " " { #expect(throws: ValueError.self) { try MPinDeviceText(text, field: "deviceName") } }
    }

    @Test func `user ids are equal by their canonical form`() throws {
        #expect(try MPinUserID("Me@MIRACL.org") == MPinUserID("me@miracl.org"))
        #expect(try MPinUserID("ZOË") != MPinUserID("zoe"))
    }
}
