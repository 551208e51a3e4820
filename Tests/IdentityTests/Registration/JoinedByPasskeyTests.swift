import Canonical
import Testing

@testable import Identity

@Suite struct `Joining another company by a passkey` {
    /// An account in force with an authorized passkey under the second key.
    private func account(_ change: (inout Employee.State) throws -> Void = { _ in }) throws -> Employee.State {
        let byApp = try Scene.decision(Scene.appCaller())
        var state = try Scene.state([
            .register(try Scene.register()), Scene.authorize(Scene.firstKey, by: byApp),
            .presentKey(
                Employee.PresentKey(
                    key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now,
                    passkey: try Sample.passkey(counter: 3))),
            Scene.authorize(Scene.otherKey, by: byApp),
        ])
        state.account?.isApproved = true
        try change(&state)
        return state
    }

    private func user(secretless: Bool? = true) throws -> User.State {
        var set = try `Users and apps`.credentials()
        set.secretless = secretless
        return User.fold([Sample.recorded(.credentialsSet(set), position: 4)])
    }

    private func event(by key: PublicKeyBytes = Scene.otherKey, of user: UserID = Scene.user) throws -> JoinedByPasskey
    {
        JoinedByPasskey(
            userID: user, key: key, challenge: Array("tenure/v2/challenge\n{}".utf8), evidence: try Sample.evidence())
    }

    private func expectRefused(
        _ user: User.State, _ event: JoinedByPasskey, _ account: Employee.State, _ policy: TenantPolicy = .ofPages
    ) {
        #expect(throws: User.Rejection.notPermitted) {
            try User.decide(user, .join(User.JoinByPasskey(event, by: account, policy, at: Scene.now)))
        }
    }

    @Test func `an authorized passkey of the user signs, and changes nothing else`() throws {
        let user = try user(), event = try event()
        let events = try User.decide(
            user, .join(User.JoinByPasskey(event, by: try account(), .ofPages, at: Scene.now)))
        #expect(events == [.joinedByPasskey(event)])
        var after = user
        for event in events { User.evolve(&after, Sample.recorded(event, position: 9)) }
        #expect(after == user)
    }

    @Test func `whoever knows a secret proves it, and nobody signs for another user`() throws {
        expectRefused(try user(secretless: nil), try event(), try account())
        expectRefused(User.initial, try event(), try account())
        expectRefused(try user(), try event(of: Sample.id(99)), try account())
        var register = try Scene.register()
        register.userID = Sample.id(99)
        expectRefused(try user(), try event(), try Scene.state([.register(register)]))
    }

    @Test func `the key is a passkey in force, of an account that may log in`() throws {
        let user = try user()
        // The key of the browser, and one that nobody presented.
        expectRefused(user, try event(by: Scene.firstKey), try account())
        expectRefused(user, try event(by: Scene.secondKey), try account())
        for status in [Employee.KeyStatus.pending, .refused, .revoked] {
            expectRefused(user, try event(), try account { $0.keys[Scene.otherKey]?.status = status })
        }
        expectRefused(user, try event(), try account { $0.account?.isApproved = false })
        expectRefused(user, try event(), try account { $0.account?.isCancelled = true })
        let repeated = PasskeyCounterRepeated(
            employeeID: Scene.employee, fingerprint: KeyFingerprint(of: Scene.otherKey), counter: 3, previous: 3)
        let copied = try account { Scene.apply([.passkeyCounterRepeated(repeated)], to: &$0, position: 701) }
        expectRefused(user, try event(), copied, TenantPolicy(clonedKey: .stop))
        let reported = User.JoinByPasskey(
            try event(), by: copied, TenantPolicy(clonedKey: .report), at: Scene.now)
        #expect(try User.decide(user, .join(reported)).count == 1)
    }
}
