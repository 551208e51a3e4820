import Canonical
import Testing

@testable import Identity

@Suite struct PasskeyTests {
    /// An account with a passkey under the second key, counting from 3.
    private func state(_ passkey: PasskeyFacts) throws -> Employee.State {
        var state = try Scene.state([.register(try Scene.register(founding: true))])
        let present = Employee.PresentKey(
            key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now, passkey: passkey)
        let events = try Employee.decide(state, .presentKey(present))
        #expect(events.count == 1)
        Scene.apply(events, to: &state, position: 700)
        return state
    }

    @Test func `a synced passkey sets the first secret of an admin on the first day only`() throws {
        let state = try state(try Sample.passkey(isBackupEligible: true))
        let since = try #require(state.account?.registeredAt)
        var company = Tenant.initial
        let ordinary = User.TenantAccount(employee: state, tenant: company)
        company.securityAdmin = Scene.employee
        let admin = User.TenantAccount(employee: state, tenant: company)
        for (hours, isPermitted) in [(1, true), (23, true), (25, false), (9_000, false)] {
            let time = since.adding(.seconds(hours * 3_600))
            #expect(User.maySetFirstSecret(bySynced: [ordinary], at: time))
            #expect(User.maySetFirstSecret(bySynced: [ordinary, admin], at: time) == isPermitted, "\(hours)")
        }
    }

    @Test func `a passkey is presented with what is fixed of it`() throws {
        let facts = try Sample.passkey(counter: 3), state = try state(facts)
        #expect(state.keys[Scene.otherKey]?.passkey?.facts == facts)
        #expect(state.userHandle == facts.userHandle)
        #expect(state.keys[Scene.firstKey]?.passkey == nil)
    }

    @Test(arguments: [false, true])
    func `a registration presents a passkey, which carries the role unless it is synced`(
        isSynced: Bool
    ) throws {
        var register = try Scene.register(founding: true)
        register.passkey = try Sample.passkey(isBackupEligible: isSynced)
        let events = try Employee.decide(Employee.initial, .register(register))
        guard events.count == 3, case .keyPresented(let presented) = events[1], case .keyAuthorized = events[2] else {
            Issue.record("\(events)")
            return
        }
        #expect(presented.kind == .passkey && presented.passkey == register.passkey && presented.first)
        let state = try Scene.state([.register(register)]), holding = state.holding(of: Scene.firstKey)
        #expect(holding == (isSynced ? .synced : .bound))
        #expect(TenantPolicy.ofPages.admitsRole(of: holding, secretProved: false) == !isSynced)
        let modulus = try #require(PublicKeyBytes([0x80] + [UInt8](repeating: 1, count: 255)))
        register.key = modulus
        #expect(try Employee.decide(Employee.initial, .register(register)).count == 3)
        register.passkey = nil
        #expect(throws: Employee.Rejection.passkeyDiffers) {
            try Employee.decide(Employee.initial, .register(register))
        }
    }

    @Test func `another handle, a known credential id and a key that changes its kind are refused`() throws {
        let state = try state(try Sample.passkey())
        func present(_ key: PublicKeyBytes, _ passkey: PasskeyFacts?) throws -> [EmployeeEvent] {
            try Employee.decide(
                state,
                .presentKey(
                    Employee.PresentKey(key: key, flow: EventSamples.flow, time: Scene.now, passkey: passkey)))
        }
        #expect(try present(Scene.secondKey, Sample.passkey(credential: 2)).count == 1)
        for (key, passkey) in [
            (Scene.secondKey, try Sample.passkey(credential: 2, handle: 3)), (Scene.secondKey, try Sample.passkey()),
            (Scene.otherKey, try Sample.passkey(credential: 2)),
            (Scene.otherKey, try Sample.passkey(isBackupEligible: true)), (Scene.firstKey, try Sample.passkey()),
        ] {
            #expect(throws: Employee.Rejection.passkeyDiffers) { try present(key, passkey) }
        }
        #expect(throws: Employee.Rejection.passkeyDiffers) { try present(Scene.otherKey, nil) }
        let modulus = try #require(PublicKeyBytes([0x80] + [UInt8](repeating: 1, count: 255)))
        #expect(throws: Employee.Rejection.passkeyDiffers) { try present(modulus, nil) }
    }

    @Test func `a counter that does not grow is noted, and one that was overtaken is not`() throws {
        var state = try state(try Sample.passkey(counter: 3))
        let fingerprint = KeyFingerprint(of: Scene.otherKey)
        func note(_ counter: UInt8, flags: UInt8 = 0x05, after seconds: Int) throws -> [EmployeeEvent] {
            try Employee.decide(
                state,
                .notePasskey(
                    Employee.NotePasskey(
                        fingerprint: fingerprint, evidence: try Sample.evidence(flags: flags, counter: counter),
                        time: Scene.now.adding(.seconds(86_400 + seconds)))))
        }
        #expect(try note(4, after: 0).isEmpty)
        let repeated = EmployeeEvent.passkeyCounterRepeated(
            PasskeyCounterRepeated(
                employeeID: Scene.employee, fingerprint: fingerprint, counter: 3, previous: 3))
        #expect(try note(3, after: 0) == [repeated])
        Scene.apply([repeated], to: &state, position: 701)
        #expect(state.keys[Scene.otherKey]?.passkey?.counterRepeats == 1)
        let changed = EmployeeEvent.passkeyBackupChanged(
            PasskeyBackupChanged(employeeID: Scene.employee, fingerprint: fingerprint, backedUp: true))
        #expect(try note(4, flags: 0x1d, after: 0) == [changed])
        Scene.apply([changed], to: &state, position: 702)
        #expect(try note(4, flags: 0x1d, after: 0).isEmpty)
    }

    @Test func `a passkey that may be a copy is stopped under that policy, until an admin authorizes it anew`() throws {
        let byApp = try Scene.decision(Scene.appCaller()), facts = try Sample.passkey(counter: 3)
        let own = Scene.person(Scene.employee, user: Scene.user, role: .employee, keys: [Scene.firstKey])
        let byOwn = try Scene.decision(own, key: Scene.firstKey)
        var state = try Scene.state([
            .register(try Scene.register()), Scene.authorize(Scene.firstKey, by: byApp),
            .presentKey(
                Employee.PresentKey(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now, passkey: facts)),
            Scene.authorize(Scene.otherKey, by: byApp),
        ])
        func isStopped(_ rule: ClonedKeyRule) -> Bool {
            state.keys[Scene.otherKey]?.passkey?.isStopped(by: TenantPolicy(clonedKey: rule)) == true
        }
        #expect(!isStopped(.stop))
        let repeated = PasskeyCounterRepeated(
            employeeID: Scene.employee, fingerprint: KeyFingerprint(of: Scene.otherKey), counter: 3, previous: 3)
        Scene.apply([.passkeyCounterRepeated(repeated)], to: &state, position: 701)
        #expect(isStopped(.stop) && !isStopped(.report))
        // Neither an app nor the owner, who may be the thief, puts it in force again.
        for decision in [byApp, byOwn] {
            #expect(try Employee.decide(state, Scene.authorize(Scene.otherKey, by: decision)).isEmpty)
        }
        let byAdmin = try Scene.decision(Scene.person())
        let events = try Employee.decide(state, Scene.authorize(Scene.otherKey, by: byAdmin))
        #expect(events.count == 1)
        Scene.apply(events, to: &state, position: 702)
        #expect(!isStopped(.stop) && state.keys[Scene.otherKey]?.passkey?.counterRepeats == 1)
        #expect(try Employee.decide(state, Scene.authorize(Scene.otherKey, by: byAdmin)).isEmpty)
    }

    @Test func `two assertions that overtake each other are not noted`() throws {
        var passkey = Employee.Passkey(try Sample.passkey(), at: Scene.now)
        let later = { (seconds: Int) in Scene.now.adding(.seconds(seconds)) }
        passkey.count(8, at: later(300))
        #expect(passkey.counter(before: later(310)) == 0)
        passkey.count(7, at: later(310))
        #expect(passkey.counter(before: later(421)) == 8)
        passkey.count(2, at: later(1_000))
        #expect(passkey.counter(before: later(1_001)) == 8)
        #expect(passkey.counted.count <= 3)
    }

    @Test func `an assertion that another stream holds is counted, and one that does not grow is not`() throws {
        var state = try state(try Sample.passkey(counter: 3))
        let fingerprint = KeyFingerprint(of: Scene.otherKey)
        func note(_ counter: UInt8, after seconds: Int) throws -> [EmployeeEvent] {
            try Employee.decide(
                state,
                .notePasskey(
                    Employee.NotePasskey(
                        fingerprint: fingerprint, evidence: try Sample.evidence(counter: counter),
                        time: Scene.now.adding(.seconds(86_400 + seconds)), counts: true)))
        }
        let counted = EmployeeEvent.passkeyCounted(
            PasskeyCounted(employeeID: Scene.employee, fingerprint: fingerprint, counter: 9))
        #expect(try note(9, after: 0) == [counted])
        Scene.apply([counted], to: &state, position: 701)
        let passkey = try #require(state.keys[Scene.otherKey]?.passkey)
        #expect(passkey.counted.map(\.counter).max() == 9)
        let long = Scene.now.adding(.seconds(7 * 86_400))
        #expect(passkey.counter(before: long) == 9)
        guard case .passkeyCounterRepeated(let repeated)? = try note(9, after: 7 * 86_400).first else {
            Issue.record("a copy that has fallen behind is not noted")
            return
        }
        #expect(repeated.counter == 9 && repeated.previous == 9)
        #expect(try note(9, after: 7 * 86_400).count == 1)
    }

    @Test func `a passkey that does not count is never noted`() throws {
        let state = try state(try Sample.passkey())
        let note = Employee.NotePasskey(
            fingerprint: KeyFingerprint(of: Scene.otherKey), evidence: try Sample.evidence(), time: Scene.late,
            counts: true)
        #expect(try Employee.decide(state, .notePasskey(note)).isEmpty)
    }

    @Test func `keys that no passkey can be stay points, and their signatures raw`() throws {
        let modulus = [0x80] + [UInt8](repeating: 1, count: 255)
        #expect(PublicKeyBytes(modulus) != nil)
        #expect(PublicKeyBytes([0x7f] + modulus.dropFirst()) == nil)
        #expect(PublicKeyBytes(modulus.dropLast() + [2]) == nil)
        #expect(SignatureBytes([1] + [UInt8](repeating: 0, count: 199)) == nil)
        let evidence = try Sample.evidence(flags: 0x1d, counter: 9)
        #expect(evidence.isOfPasskey && evidence.passkeyCounter == 9 && evidence.isBackedUp == true)
    }

    /// The log-in on a key under a rule, for an account whose second key is a passkey in force.
    private func logIn(
        _ key: PublicKeyBytes, _ rule: LogInRule, by passkey: PasskeyFacts? = nil
    ) throws -> Employee.Outcome? {
        var state = try state(try Sample.passkey())
        Scene.apply(
            [
                .keyAuthorized(
                    EmployeeKeyAuthorized(employeeID: Scene.employee, key: Scene.otherKey, by: .operator(nil)))
            ], to: &state, position: 701)
        return Employee.login(state, key: key, flow: EventSamples.flow, time: Scene.now, passkey: passkey, under: rule)
    }

    @Test func `where the company asks for a passkey, no other device key logs in or is presented`() throws {
        for rule in [LogInRule.secret, .passkeyOrSecret] {
            #expect(try logIn(Scene.firstKey, rule) == .success)
            guard case .authorizationPending(let presented)? = try logIn(Scene.secondKey, rule) else {
                Issue.record("another device is not presented under \(rule)")
                continue
            }
            #expect(presented.count == 1)
        }
        #expect(try logIn(Scene.firstKey, .passkey) == .passkeyRequired)
        #expect(try logIn(Scene.secondKey, .passkey) == .passkeyRequired)
        #expect(try logIn(Scene.otherKey, .passkey, by: try Sample.passkey()) == .success)
        // The key of a passkey proves nothing by a signature that is no assertion, nor another key by one.
        #expect(try logIn(Scene.otherKey, .passkey) == .keyRevoked)
        #expect(try logIn(Scene.otherKey, .secret) == .keyRevoked)
        #expect(try logIn(Scene.firstKey, .secret, by: try Sample.passkey()) == .keyRevoked)
    }

    @Test func `where the company asks for a passkey, the key that registered opens a session for half an hour`() throws
    {
        let registered = try Scene.state([.register(try Scene.register(founding: true))])
        var tenant = Tenants.founded()
        let strict = TenantPolicyChanged(policy: TenantPolicy(logIn: .passkey), by: .founding)
        let presentedAt = try #require(registered.keys[Scene.firstKey]?.presentedAt)
        let fingerprint = KeyFingerprint(of: Scene.firstKey)
        let later = presentedAt.adding(.seconds(1_801))
        #expect(registered.mayOpenSession(on: fingerprint, in: tenant, at: later))
        Tenant.evolve(&tenant, Sample.recorded(.policyChanged(strict), position: 3))
        #expect(registered.mayOpenSession(on: fingerprint, in: tenant, at: presentedAt.adding(.seconds(1_800))))
        #expect(!registered.mayOpenSession(on: fingerprint, in: tenant, at: later))
        var state = registered
        Scene.apply(
            try Employee.decide(
                state, .presentKey(.init(key: Scene.secondKey, flow: EventSamples.flow, time: Scene.now))), to: &state,
            position: 700)
        #expect(!state.mayOpenSession(on: KeyFingerprint(of: Scene.secondKey), in: tenant, at: Scene.now))
        #expect(
            try self.state(try Sample.passkey()).mayOpenSession(
                on: KeyFingerprint(of: Scene.otherKey), in: tenant, at: Scene.late))
    }
}
