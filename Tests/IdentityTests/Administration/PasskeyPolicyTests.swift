import Canonical
import ErrorCodes
@testable import Identity
import Testing

@Suite struct `Passkeys and the role` {
    /// The security admin, with one key of a kind.
    private static func caller(_ holding: KeyHolding, _ policy: TenantPolicy, secret: Bool = true) -> DecidingParty {
        let mayCarry = policy.admitsRole(of: holding, secretProved: secret)
        var person = DecidingEmployee(
            employee: Scene.admin, user: Sample.id(30), role: .securityAdmin, status: .active,
            authorizedKeys: [Scene.adminKey], roleKeys: mayCarry ? [Scene.adminKey] : [])
        person.listedKeys = [Scene.adminKey]
        if holding == .bound {
            person.boundKeys = [Scene.adminKey]
            person.settledAt[Scene.adminKey] = Scene.now
        }
        if holding == .synced { person.syncedKeys = [Scene.adminKey] }
        return .employee(person)
    }

    private static func change(
        _ policy: TenantPolicy, from former: TenantPolicy = .initial, by holding: KeyHolding,
        at time: Timestamp = Scene.now, secretless: Set<EmployeeID> = [], passkeyless: Set<EmployeeID> = []
    ) throws -> [TenantEvent] {
        var state = Tenants.founded()
        Tenant.evolve(
            &state,
            Sample.recorded(.policyChanged(TenantPolicyChanged(policy: former, by: .founding)), position: 3))
        let decision = try Scene.decision(caller(holding, former), key: Scene.adminKey)
        return try Tenant.decide(
            state,
            .changePolicy(
                Tenant.PolicyChange(policy, at: time, secretless: secretless, passkeyless: passkeyless), decision))
    }

    @Test func `a synced passkey carries a role only with a secret, and adminsNeedPasskey takes it from software`() {
        for needed in [false, true] {
            let policy = TenantPolicy(adminsNeedPasskey: needed)
            for secret in [false, true] {
                #expect(policy.admitsRole(of: .bound, secretProved: secret))
                #expect(policy.admitsRole(of: .synced, secretProved: secret) == secret)
                #expect(policy.admitsRole(of: .software, secretProved: secret) == !needed)
            }
        }
    }

    @Test func `only a bound passkey sets and removes adminsNeedPasskey`() throws {
        let strict = TenantPolicy(adminsNeedPasskey: true)
        #expect(try Self.change(strict, by: .bound).count == 1)
        #expect(try Self.change(.initial, from: strict, by: .bound).count == 1)
        for holding in [KeyHolding.software, .synced] {
            #expect(throws: Tenant.Rejection.passkeyNeeded) { try Self.change(strict, by: holding) }
        }
        #expect(throws: Tenant.Rejection.passkeyNeeded) { try Self.change(.initial, from: strict, by: .synced) }
        #expect(throws: Tenant.Rejection.notPermitted) { try Self.change(.initial, from: strict, by: .software) }
    }

    @Test
    func `a bound passkey decides about adminsNeedPasskey 72 hours after it was authorized, and about logIn at once`()
        throws
    {
        let strict = TenantPolicy(adminsNeedPasskey: true)
        let early = Timestamp(microseconds: Scene.now.microseconds - 1)
        #expect(throws: Tenant.Rejection.passkeyTooNew) { try Self.change(strict, by: .bound, at: early) }
        #expect(throws: Tenant.Rejection.passkeyTooNew) {
            try Self.change(.initial, from: strict, by: .bound, at: early)
        }
        #expect(try Self.change(TenantPolicy(logIn: .passkey), by: .bound, at: early).count == 1)
        #expect(Tenant.Rejection.passkeyTooNew.code == .policyPasskeyRequired)
    }

    @Test func `a passkey settles in 72 hours, and one of a founder's first 72 hours at once`() throws {
        for (hours, isFounder, waits) in [(1, true, false), (72, true, false), (73, true, true), (1, false, true)] {
            var register = try Scene.register(founding: true)
            register.passkey = try Sample.passkey()
            var state = try Scene.state([.register(register)])
            let registered = try #require(state.account?.registeredAt)
            let authorized = registered.adding(.seconds(hours * 3_600))
            state.keys[Scene.firstKey]?.authorizedAt = authorized
            let tenant = Scene.tenant(employeeIs: isFounder ? .securityAdmin : .employee)
            let caller = try #require(DecidingEmployee(state, in: tenant, secretProved: true))
            let settled = waits ? authorized.adding(.seconds(72 * 3_600)) : authorized
            #expect(caller.settledAt == [Scene.firstKey: settled], "\(hours)")
        }
    }

    @Test func `a log-in by passkeys alone is set with a passkey, and one by secrets while everybody has one`() throws {
        let passkeys = TenantPolicy(logIn: .passkey)
        #expect(throws: Tenant.Rejection.passkeyNeeded) { try Self.change(passkeys, by: .software) }
        #expect(try Self.change(passkeys, by: .synced).count == 1)
        #expect(try Self.change(passkeys, by: .bound).count == 1)
        #expect(try Self.change(.ofPages, by: .software).count == 1)
        #expect(try Self.change(.initial, from: .ofPages, by: .software).count == 1)
        #expect(throws: Tenant.Rejection.secretlessPeople) {
            try Self.change(.initial, from: passkeys, by: .bound, secretless: [Scene.employee])
        }
        #expect(throws: Tenant.Rejection.passkeylessPeople) {
            try Self.change(passkeys, by: .bound, passkeyless: [Scene.employee])
        }
        #expect(try Self.change(.ofPages, by: .software, passkeyless: [Scene.employee]).count == 1)
        #expect(Tenant.Rejection.passkeylessPeople.code == .policyPasskeylessPeople)
        #expect(Tenant.Rejection.secretlessPeople.code == .policySecretlessPeople)
        #expect(Tenant.Rejection.passkeyNeeded.code == .policyPasskeyRequired)
    }

    @Test func `a key that may not carry the role cancels, and for 72 hours brings a passkey`() throws {
        let own = AuthoritySubject(Scene.admin, of: Sample.id(30), role: .securityAdmin)
        let strict = TenantPolicy(adminsNeedPasskey: true)
        func permits(
            _ action: AuthorityTable.Action, _ holding: KeyHolding, grace: Timestamp?, secret: Bool = true
        ) throws -> Bool {
            guard case .employee(var person) = Self.caller(holding, strict, secret: secret) else { return false }
            person.graceUntil = grace
            let decision = try Scene.decision(.employee(person), key: Scene.adminKey)
            return AuthorityTable.permits(action, about: own, by: decision, at: Scene.now)
        }
        let later = Scene.now.adding(.seconds(1))
        #expect(try permits(.cancelReturn, .software, grace: nil) && permits(.cancelRecovery, .software, grace: nil))
        #expect(try permits(.authorizeKey, .software, grace: later))
        #expect(try !permits(.authorizeKey, .software, grace: Scene.now))
        #expect(try !permits(.authorizeKey, .software, grace: nil))
        #expect(try !permits(.endKey, .software, grace: later))
        #expect(try !permits(.authorizeKey, .synced, grace: later, secret: false))
        #expect(try permits(.authorizeKey, .bound, grace: nil, secret: false))
    }

    @Test func `only a key of the account itself has the grace`() throws {
        let other = AuthoritySubject(Scene.employee, of: Scene.user, role: .employee)
        guard case .employee(var person) = Self.caller(.software, TenantPolicy(adminsNeedPasskey: true)) else { return }
        person.graceUntil = Scene.now.adding(.seconds(1))
        let decision = try Scene.decision(.employee(person), key: Scene.adminKey)
        #expect(!AuthorityTable.permits(.authorizeKey, about: other, by: decision, at: Scene.now))
    }

    @Test func `the grace puts a pending passkey in force, and nothing else`() throws {
        var state = try Scene.state([.register(try Scene.register(founding: true))])
        for (key, passkey) in [(Scene.otherKey, try Sample.passkey()), (Scene.secondKey, nil)] {
            let present = Employee.PresentKey(
                key: key, flow: EventSamples.flow, time: Scene.now, passkey: passkey)
            Scene.apply(try Employee.decide(state, .presentKey(present)), to: &state, at: Scene.now, position: 700)
        }
        var owner = DecidingEmployee(
            employee: Scene.employee, user: Scene.user, role: .securityAdmin, status: .active,
            authorizedKeys: [Scene.firstKey], roleKeys: [])
        owner.listedKeys = [Scene.firstKey]
        owner.graceUntil = Scene.now.adding(.seconds(1))
        let tenant = Scene.tenant(employeeIs: .securityAdmin), decision = try Scene.decision(.employee(owner))
        let authorize = { (key: PublicKeyBytes) in Scene.authorize(key, by: decision, in: tenant) }
        #expect(throws: Employee.Rejection.notPermitted) { try Employee.decide(state, authorize(Scene.secondKey)) }
        let events = try Employee.decide(state, authorize(Scene.otherKey))
        #expect(events.count == 1)
        // Once it is in force, only a key that carries the role gives it the role.
        Scene.apply(events, to: &state, at: Scene.now, position: 701)
        #expect(throws: Employee.Rejection.notPermitted) { try Employee.decide(state, authorize(Scene.otherKey)) }
    }
}
