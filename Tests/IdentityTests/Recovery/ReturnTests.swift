import Canonical
@testable import Identity
import Testing

/// Who returns, when, and who can cancel: the rules of the decider.
@Suite struct `Returns of a security admin` {
    typealias Rejection = Employee.Rejection
    static let openedAt = Sample.start.adding(.seconds(90 * 86_400))
    static let oldKey = Scene.firstKey
    static let newKey = Scene.otherKey
    static let wait = Duration.seconds(48 * 3_600)

    /// A founder with a device key, and a user whose address was verified at a time.
    struct Stage {
        var state: Employee.State
        var user: User.State
        var tenant = Scene.tenant(employeeIs: .securityAdmin)
        var admins: [EmployeeID: Employee.State] = [:]
        private var position: Int64 = 600

        init(verifiedAt: Timestamp? = Sample.start) throws {
            state = try Scene.state([.register(Scene.register(founding: true))])
            let credentials = CredentialsSet(
                userID: Scene.user, credentialID: EventSamples.credential, record: [1],
                email: Personal(Scene.user, "zoe@bayunsystems.com"), challenge: [1],
                deviceSignature: try Sample.signature(1), userSignature: try Sample.signature(2))
            user = User.fold([Sample.recorded(.credentialsSet(credentials), position: 3)])
            if let verifiedAt {
                User.evolve(
                    &user,
                    Sample.recorded(.emailVerified(EmailVerified(userID: Scene.user, address: 3)), at: verifiedAt))
            }
            happen(
                [
                    .keyPresented(
                        EmployeeKeyPresented(
                            employeeID: Scene.employee, key: newKey, flow: EventSamples.flow, first: false))
                ], at: openedAt)
        }

        mutating func happen(_ events: [EmployeeEvent], at time: Timestamp) {
            for event in events {
                position += 1
                Scene.apply([event], to: &state, at: time, position: position)
            }
        }

        func scene(at time: Timestamp) -> Employee.ReturnScene {
            Employee.ReturnScene(tenant: tenant, admins: admins, time: time)
        }

        func request(at time: Timestamp = openedAt) throws -> [EmployeeEvent] {
            try Employee.decide(
                state,
                .requestReturn(
                    Employee.RequestReturn(
                        id: EventSamples.comeback, key: newKey, flow: EventSamples.flow, user: user,
                        scene: scene(at: time))))
        }

        func open(at time: Timestamp = openedAt, _ proof: ReturnProof? = nil) throws -> [EmployeeEvent] {
            try Employee.decide(
                state,
                .openReturn(
                    Employee.OpenReturn(
                        id: EventSamples.comeback, proof: try proof ?? EventSamples.returnProof(), user: user,
                        scene: scene(at: time))))
        }

        func complete(at time: Timestamp, challenge: String = "another") throws -> [EmployeeEvent] {
            try Employee.decide(
                state,
                .completeReturn(
                    Employee.CompleteReturn(
                        proof: try EventSamples.returnProof(challenge: challenge), user: user, scene: scene(at: time))))
        }

        func cancel(_ key: PublicKeyBytes, at time: Timestamp) throws -> [EmployeeEvent] {
            let caller = try #require(DecidingEmployee(state, in: tenant, secretProved: true))
            return try Employee.decide(
                state,
                .cancelReturn(
                    Employee.CancelReturn(
                        reason: try #require(ReasonCode("owner")),
                        decision: try Scene.decision(.employee(caller), key: key), tenant: tenant, time: time)))
        }

        func end(_ cause: Employee.EndReturn.Cause, at time: Timestamp) throws -> [EmployeeEvent] {
            try Employee.decide(state, .endReturn(Employee.EndReturn(cause, tenant: tenant, time: time)))
        }

        /// A stage with an open return, or a completed one.
        static func opened(completed: Bool = false) throws -> Stage {
            var stage = try Stage()
            stage.happen(try stage.request(), at: openedAt)
            stage.happen(try stage.open(), at: openedAt)
            if completed {
                let time = openedAt.adding(wait)
                stage.happen(try stage.complete(at: time), at: time)
            }
            return stage
        }
    }

    /// A founder whose address was confirmed at a time in a browser, and who asks to return a week after the founding.
    private func week(
        verified delay: Duration = .seconds(3_600), in browser: EmployeeID? = Scene.employee, appointed: Bool = false
    ) throws -> (stage: Stage, time: Timestamp) {
        var stage = try Stage(verifiedAt: nil)
        let verified = EmailVerified(userID: Scene.user, address: 3, browserOf: browser)
        User.evolve(&stage.user, Sample.recorded(.emailVerified(verified), at: Sample.start.adding(delay)))
        if appointed {
            for event in [
                TenantEvent.adminAppointed(
                    AdminAppointed(employeeID: EventSamples.admin, fingerprints: [], by: .operator(nil))),
                .adminDismissed(AdminDismissed(employeeID: EventSamples.admin, by: .operator(nil))),
            ] { Tenant.evolve(&stage.tenant, Sample.recorded(event, position: 700)) }
        }
        return (stage, Sample.start.adding(.seconds(7 * 86_400)))
    }

    @Test func `of a lone founder count the address that was confirmed on the first day in the own browser`() throws {
        var (stage, time) = try week()
        stage.happen(try stage.request(at: time), at: time)
        let opened = try stage.open(at: time)
        guard case .returnOpened(let event)? = opened.first else { return #expect(Bool(false), "\(opened)") }
        #expect(event.ground == .founding && event.availableAt == time.adding(Self.wait), "the wait stays")
        #expect(Employee.mayRequestReturn(stage.state, stage.user, stage.scene(at: time)))
        let day = try week(verified: .seconds(86_400))
        #expect(try day.stage.request(at: day.time).count == 1)
        // After thirty days it is an address like others.
        let late = Sample.start.adding(.seconds(31 * 86_400))
        stage.happen(try stage.request(at: late), at: late)
        guard case .returnOpened(let old)? = try stage.open(at: late).first else { return #expect(Bool(false)) }
        #expect(old.ground == nil)
    }

    @Test func `need thirty days in another browser, a day later, and once anybody else was an admin`() throws {
        for (stage, time) in [
            try week(verified: .seconds(86_401)), try week(in: nil), try week(in: EventSamples.admin),
            try week(appointed: true), try week(verified: .seconds(-1)),
        ] {
            #expect(throws: Rejection.returnNotPermitted) { try stage.request(at: time) }
            #expect(!Employee.mayRequestReturn(stage.state, stage.user, stage.scene(at: time)))
        }
        var (stage, time) = try week()
        stage.tenant = Scene.tenant(employeeIs: .employee)
        #expect(throws: Rejection.returnNotPermitted) { try stage.request(at: time) }
        (stage, time) = try week()
        let named = SecurityAdminSucceeded(
            employeeID: Scene.employee, fingerprints: [KeyFingerprint(of: Self.oldKey)], by: .operator(nil))
        Tenant.evolve(&stage.tenant, Sample.recorded(.securityAdminSucceeded(named), at: Sample.start, position: 900))
        #expect(throws: Rejection.returnNotPermitted) { try stage.request(at: time) }
    }

    @Test func `fix the key, the wait and the end`() throws {
        var stage = try Stage.opened()
        let open = try #require(stage.state.openReturn(in: stage.tenant, at: Self.openedAt))
        #expect(open.key == Self.newKey && open.availableAt == Self.openedAt.adding(Self.wait))
        #expect(open.expiresAt == open.availableAt.adding(.seconds(72 * 3_600)))
        #expect(stage.state.openReturn(in: stage.tenant, at: open.expiresAt) == nil)
        stage.tenant = Scene.tenant(employeeIs: .securityAdmin)
        #expect(Employee.returnWait(.seconds(3_600)) == Self.wait)
        #expect(Employee.returnWait(.seconds(168 * 3_600)) == .seconds(336 * 3_600))
        #expect(try stage.open().isEmpty, "opening twice is the same as once")
    }

    @Test func `give the role to the key that came back alone, and the others keep none`() throws {
        let stage = try Stage.opened(completed: true)
        #expect(stage.state.authorizedKeys == [Self.oldKey, Self.newKey])
        #expect(stage.state.roleKeys(in: stage.tenant) == [Self.newKey])
        let caller = try #require(DecidingEmployee(stage.state, in: stage.tenant, secretProved: true))
        #expect(caller.returnUndoableUntil == Self.openedAt.adding(Self.wait + .seconds(30 * 86_400)))
    }

    @Test func `are only for a security admin who is alone`() throws {
        var stage = try Stage()
        stage.tenant = Scene.tenant(employeeIs: .admin)
        #expect(throws: Rejection.returnNotPermitted) { try stage.request() }
        stage = try Stage.opened()
        // An admin whose account is unknown counts as one with a key.
        let keys = [KeyFingerprint(of: Scene.adminKey)]
        let appointed = AdminAppointed(employeeID: Scene.admin, fingerprints: keys, by: .operator(nil))
        Tenant.evolve(&stage.tenant, Sample.recorded(.adminAppointed(appointed), position: 610))
        let time = Self.openedAt.adding(Self.wait)
        #expect(throws: Rejection.returnNotPermitted) { try stage.complete(at: time) }
        stage.admins[Scene.admin] = stage.state
        #expect(throws: Rejection.returnNotPermitted) { try stage.complete(at: time) }
        stage.admins[Scene.admin] = Employee.initial
        #expect(try stage.complete(at: time).count == 1)
    }

    @Test func `need an address that was verified 30 days ago, and no recovered credentials of that time`() throws {
        #expect(throws: Rejection.returnNotPermitted) { try Stage(verifiedAt: nil).request() }
        let young = Self.openedAt.adding(.seconds(-30 * 86_400 + 1))
        #expect(throws: Rejection.returnNotPermitted) { try Stage(verifiedAt: young).request() }
        var stage = try Stage(verifiedAt: Self.openedAt.adding(.seconds(-30 * 86_400)))
        #expect(try stage.request().count == 1)
        stage.user = try Self.recovered(stage.user, at: young)
        #expect(throws: Rejection.returnNotPermitted) { try stage.request() }
        User.evolve(
            &stage.user,
            Sample.recorded(
                .emailReleased(
                    EmailReleased(
                        userID: Scene.user, tenant: EventSamples.tenant)), at: young))
        #expect(throws: Rejection.returnNotPermitted) { try stage.request() }
    }

    /// The user after a recovery by a sole admin, and after a change by the owner.
    private static func recovered(_ user: User.State, at time: Timestamp) throws -> User.State {
        var user = user
        let opening = RecoveryOpened(
            recoveryID: Sample.id(62), userID: Scene.user, tenant: EventSamples.tenant, employeeID: Scene.employee,
            fingerprint: try Sample.fingerprint(0x66), credentialID: EventSamples.credential,
            expiresAt: time.adding(.seconds(1)), openerID: Sample.id(63), availableAt: time, soleAdmin: true,
            by: .operator(nil))
        User.evolve(&user, Sample.recorded(.recoveryOpened(opening), at: time, position: 4))
        let change = CredentialsChanged(
            userID: Scene.user, credentialID: Sample.id(61), previousCredentialID: EventSamples.credential, record: [2],
            challenge: [1], deviceSignature: try Sample.signature(1), userSignature: try Sample.signature(2))
        User.evolve(&user, Sample.recorded(.credentialsChanged(change), at: time, position: 5))
        #expect(user.credentials?.recoveredAt == time)
        return user
    }

    @Test func `are completed with the named key, in time, by a new challenge`() throws {
        let stage = try Stage.opened(), time = Self.openedAt.adding(Self.wait)
        #expect(throws: Rejection.returnNotAvailable) { try stage.complete(at: time.adding(.microseconds(-1))) }
        #expect(throws: Rejection.returnUnknown) {
            try stage.complete(at: time, challenge: "tenure/v1/challenge\n{}")
        }
        #expect(throws: Rejection.returnUnknown) { try stage.complete(at: time.adding(.seconds(72 * 3_600))) }
        #expect(throws: Rejection.returnInProgress) { try stage.request(at: time) }
        var other = stage
        other.user = try Self.recovered(stage.user, at: Sample.start)
        #expect(throws: Rejection.returnStale) { try other.complete(at: time) }
        #expect(try stage.complete(at: time).count == 1)
    }

    @Test func `are cancelled by the old key, by a log-in there, and by a mail`() throws {
        let stage = try Stage.opened(), time = Self.openedAt.adding(.seconds(60))
        #expect(try stage.cancel(Self.oldKey, at: time).count == 1)
        #expect(throws: Rejection.notPermitted) { try stage.cancel(Self.newKey, at: time) }
        #expect(try stage.end(.login(Self.oldKey), at: time).count == 1)
        #expect(try stage.end(.login(Self.newKey), at: time).isEmpty)
        #expect(try stage.end(.mail(EventSamples.comeback), at: time).count == 1)
        #expect(try stage.end(.mail(Sample.id(131)), at: time).isEmpty)
    }

    @Test func `are cancelled by no key that its owner ended before, or that ended 30 days before`() throws {
        for (by, days, isPermitted) in [
            (Scene.employee, 1, false), (Scene.admin, 1, true), (Scene.admin, 31, false),
        ] {
            var stage = try Stage()
            let reason = try #require(ReasonCode("lost"))
            let revoked = EmployeeKeyRevoked(
                employeeID: Scene.employee, key: Self.oldKey, reason: reason, by: .employee(by, nil))
            stage.happen([.keyRevoked(revoked)], at: Self.openedAt.adding(.seconds(-days * 86_400)))
            stage.happen(try stage.request(), at: Self.openedAt)
            stage.happen(try stage.open(), at: Self.openedAt)
            let ends = try stage.end(.login(Self.oldKey), at: Self.openedAt)
            #expect(ends.isEmpty != isPermitted, "\(by) \(days)")
        }
    }

    @Test func `are undone for 30 days, signed, with every key that they brought`() throws {
        var stage = try Stage.opened(completed: true)
        let done = Self.openedAt.adding(Self.wait)
        let caller = Authority.employee(Scene.employee, try Sample.statement(by: Self.newKey))
        // The key that came back revokes the old one and authorizes another one.
        stage.happen(
            [
                .keyRevoked(
                    EmployeeKeyRevoked(
                        employeeID: Scene.employee, key: Self.oldKey, reason: try #require(ReasonCode("lost")),
                        by: caller)),
                .keyPresented(
                    EmployeeKeyPresented(
                        employeeID: Scene.employee, key: Scene.secondKey, flow: EventSamples.flow, first: false)),
                .keyAuthorized(
                    EmployeeKeyAuthorized(employeeID: Scene.employee, key: Scene.secondKey, by: caller)),
            ], at: done.adding(.seconds(60)))
        #expect(try stage.end(.login(Self.oldKey), at: done).isEmpty, "a log-in undoes nothing")
        #expect(try stage.end(.mail(EventSamples.comeback), at: done).isEmpty)
        #expect(throws: Rejection.notPermitted) { try stage.cancel(Scene.secondKey, at: done.adding(.seconds(61))) }
        let end = done.adding(.seconds(30 * 86_400))
        #expect(throws: Rejection.returnUnknown) { try stage.cancel(Self.oldKey, at: end) }
        let events = try stage.cancel(Self.oldKey, at: end.adding(.microseconds(-1)))
        #expect(events.count == 3)
        stage.happen(events, at: end)
        #expect(stage.state.keys[Self.newKey]?.status == .revoked)
        #expect(stage.state.keys[Scene.secondKey]?.status == .revoked)
        #expect(stage.state.completedReturns.isEmpty)
    }

    @Test func `do not follow each other while the first one can be undone`() throws {
        var stage = try Stage.opened(completed: true)
        let done = Self.openedAt.adding(Self.wait), end = done.adding(.seconds(30 * 86_400))
        stage.happen(
            [
                .keyPresented(
                    EmployeeKeyPresented(
                        employeeID: Scene.employee, key: Scene.secondKey, flow: EventSamples.flow, first: false))
            ], at: end.adding(.microseconds(-1)))
        func request(at time: Timestamp) throws -> [EmployeeEvent] {
            try Employee.decide(
                stage.state,
                .requestReturn(
                    Employee.RequestReturn(
                        id: Sample.id(131), key: Scene.secondKey, flow: EventSamples.flow, user: stage.user,
                        scene: stage.scene(at: time))))
        }
        #expect(throws: Rejection.returnInProgress) { try request(at: end.adding(.microseconds(-1))) }
        #expect(try request(at: end).count == 1)
        // The old key keeps its right to undo the first one.
        #expect(try stage.cancel(Self.oldKey, at: end.adding(.microseconds(-1))).isEmpty == false)
    }

    @Test func `end with a succession by the operator`() throws {
        var stage = try Stage.opened(), time = Self.openedAt.adding(Self.wait)
        let named = SecurityAdminSucceeded(
            employeeID: Scene.employee, fingerprints: [KeyFingerprint(of: Self.oldKey)], by: .operator(nil))
        Tenant.evolve(&stage.tenant, Sample.recorded(.securityAdminSucceeded(named), at: Self.openedAt, position: 900))
        #expect(stage.state.openReturn(in: stage.tenant, at: time) == nil)
        #expect(throws: Rejection.returnUnknown) { try stage.complete(at: time) }
        time = Self.openedAt.adding(.seconds(60))
        #expect(throws: Rejection.returnUnknown) { try stage.cancel(Self.oldKey, at: time) }
    }

    @Test func `by the operator put the pending keys in force that the succession names`() throws {
        let stage = try Stage(), decision = try Scene.operated()
        let named: Set = [KeyFingerprint(of: Self.newKey)]
        let target = try #require(Tenant.RoleTarget(stage.state, namedKeys: named, in: stage.tenant))
        let command = Tenant.Command.succeedSecurityAdmin(target, loggedInAt: nil, at: Self.openedAt, decision)
        let succeeded = try Tenant.decide(stage.tenant, command)
        #expect(succeeded.count == 1)
        let back = Employee.BringBack(fingerprints: named, decision: decision, time: Self.openedAt)
        #expect(try Employee.decide(stage.state, .bringBack(back)).count == 1)
        let own = try Scene.decision(Scene.securityAdmin)
        #expect(throws: Rejection.notPermitted) {
            try Employee.decide(
                stage.state, .bringBack(Employee.BringBack(fingerprints: named, decision: own, time: Self.openedAt)))
        }
        let same = try #require(
            Tenant.RoleTarget(stage.state, namedKeys: [KeyFingerprint(of: Self.oldKey)], in: stage.tenant))
        for unchanged in [same, try #require(Tenant.RoleTarget(stage.state, in: stage.tenant))] {
            #expect(
                try Tenant.decide(
                    stage.tenant, .succeedSecurityAdmin(unchanged, loggedInAt: nil, at: Self.openedAt, decision)
                ).isEmpty)
        }
    }
}
