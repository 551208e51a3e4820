import Canonical
@testable import Identity
import Testing

@Suite struct `Tenants` {
    static let founder = Sample.id(50) as EmployeeID

    static func registered(_ id: EmployeeID, company: String? = "BayunSystems.com") -> TenantEvent {
        .founded(
            EmployeeRegistered(
                employeeID: id, userID: Scene.user, companyName: company, companyEmployeeID: Personal(id, "1"),
                email: Personal(id, "a@b"), isCompanyOwnedEmail: false, approved: true))
    }

    static func founded() -> Tenant.State {
        Tenant.fold([Sample.recorded(registered(founder), position: 1)])
    }

    static func apply(_ command: Tenant.Command, to state: inout Tenant.State) throws -> [TenantEvent] {
        let events = try Tenant.decide(state, command)
        for event in events { Tenant.evolve(&state, Sample.recorded(event, position: 9)) }
        return events
    }

    @Test func `the first registration of the ledger makes the security admin`() {
        let state = Self.founded()
        #expect(state.securityAdmin == Self.founder && state.founder == Self.founder)
        #expect(state.role(of: Self.founder) == .securityAdmin && state.role(of: Scene.employee) == .employee)
        #expect(state.roleSince(of: Self.founder)?.position == 1)
        #expect(state.policy == .initial && state.policySince == nil)
        let later = Tenant.fold([Sample.recorded(Self.registered(Scene.employee), position: 2)])
        #expect(later == Tenant.initial)
        var twice = state
        Tenant.evolve(&twice, Sample.recorded(Self.registered(Scene.employee), position: 1))
        #expect(twice == state)
    }

    @Test(arguments: 0..<100)
    func `exactly one employee is the security admin, whatever happens`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var state = Self.founded()
        let people: [EmployeeID] = (50..<56).map { Sample.id($0) }, keys = [KeyFingerprint(of: Scene.otherKey)]
        for position in Int64(2)..<60 {
            let person = try #require(people.randomElement(using: &generator))
            let event: TenantEvent =
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: Self.registered(person)
                case 1: .adminAppointed(AdminAppointed(employeeID: person, fingerprints: keys, by: .operator(nil)))
                case 2: .adminDismissed(AdminDismissed(employeeID: person, by: .operator(nil)))
                case 3:
                    .securityAdminSucceeded(
                        SecurityAdminSucceeded(employeeID: person, fingerprints: keys, by: .operator(nil)))
                default: .policyChanged(TenantPolicyChanged(policy: TenantPolicy(blindOnly: true), by: .operator(nil)))
                }
            Tenant.evolve(&state, Sample.recorded(event, position: position))
            #expect(people.filter { state.role(of: $0) == .securityAdmin }.count == 1)
            if case .securityAdminSucceeded = event { #expect(state.securityAdmin == person) }
            #expect(state.founder == Self.founder)
        }
    }

    @Test func `the founding app is linked by founding, once`() throws {
        var state = Tenant.initial
        #expect(
            try Self.apply(.found(Scene.app), to: &state) == [.appLinked(AppLinked(appID: Scene.app, by: .founding))])
        #expect(try Self.apply(.found(Scene.app), to: &state).isEmpty)
        #expect(throws: Tenant.Rejection.alreadyFounded) { try Tenant.decide(state, .found(Sample.id(60))) }
        #expect(throws: Tenant.Rejection.alreadyFounded) { try Tenant.decide(Self.founded(), .found(Scene.app)) }
    }

    @Test func `a founding on the pages sets its policy before it links the app`() throws {
        var state = Tenant.initial
        #expect(
            try Self.apply(.found(Scene.app, policy: .ofPages), to: &state) == [
                .policyChanged(TenantPolicyChanged(policy: .ofPages, by: .founding)),
                .appLinked(AppLinked(appID: Scene.app, by: .founding)),
            ])
        #expect(state.policy.logIn == .passkeyOrSecret && TenantPolicy.initial.logIn == .secret)
        #expect(try Self.apply(.found(Scene.app, policy: .ofPages), to: &state).isEmpty)
    }

    @Test func `a founding sets no policy once the app is linked`() throws {
        var state = Tenant.initial
        _ = try Self.apply(.found(Scene.app), to: &state)
        #expect(try Self.apply(.found(Scene.app, policy: .ofPages), to: &state).isEmpty)
        #expect(state.policy == .initial)
    }

    /// Somebody who can get a role.
    static func target(
        _ id: EmployeeID = Scene.employee, status: EmployeeStatus = .active, keys: [PublicKeyBytes] = [Scene.otherKey]
    ) throws -> Tenant.RoleTarget {
        var target = try #require(Tenant.RoleTarget(try `Keys that carry a role`.state()))
        target.employee = id
        target.status = status
        target.keysInForce = Set(keys.map(KeyFingerprint.init(of:)))
        target.vouchedKeys = target.keysInForce
        return target
    }

    private static func succeed(
        _ id: EmployeeID, by decision: AuthorityDecision, status: EmployeeStatus = .active, after seconds: Int = 0
    ) throws -> Tenant.Command {
        .succeedSecurityAdmin(
            try target(id, status: status), loggedInAt: Scene.now, at: Scene.now.adding(.seconds(seconds)), decision)
    }

    @Test func `a repeated command has no further effect`() throws {
        let admin = try Scene.decision(Scene.securityAdmin), operated = try Scene.operated()
        var state = Self.founded()
        state = Tenant.fold(
            [Sample.recorded(.appLinked(AppLinked(appID: Sample.id(61), by: .founding)), position: 2)], from: state)
        let commands: [Tenant.Command] = [
            .changePolicy(Tenant.PolicyChange(TenantPolicy(approval: .admin), at: Scene.now), admin),
            .confirmDomain(try CompanyName(" BAYUNSYSTEMS.com"), operated),
            .linkApp(Scene.app, roles: .usual, operated),
            .linkApp(Scene.app, roles: RoleSet(.administration), admin), .unlinkApp(Scene.app, admin),
            .linkApp(Scene.app, roles: .usual, admin),
            .appointAdmin(try Self.target(), admin), .dismissAdmin(Scene.employee, of: Scene.user, admin),
            .appointAdmin(try Self.target(), admin), try Self.succeed(Sample.id(55), by: operated),
        ]
        for command in commands {
            #expect(try Self.apply(command, to: &state).count == 1, "\(command)")
            #expect(try Self.apply(command, to: &state).isEmpty, "\(command)")
        }
        #expect(state.confirmedDomains == ["bayunsystems.com"])
        #expect(state.links == [Scene.app: .usual, Sample.id(61): .usual])
        #expect(state.role(of: Scene.employee) == .admin && state.policy.approval == .admin)
        #expect(state.role(of: Sample.id(55)) == .securityAdmin && state.role(of: Self.founder) == .employee)
        #expect(state.listedKeys(of: Sample.id(55)) == [KeyFingerprint(of: Scene.otherKey)])
        #expect(state.policySince?.position == 9)
    }

    /// A tenant of the given name, whose domain was confirmed by events of schema 1 and later ones.
    private static func confirmed(_ name: String, _ events: [DomainConfirmed]) throws -> Tenant.State {
        let state = Tenant.fold([Sample.recorded(registered(founder, company: name), position: 1)])
        return Tenant.fold(
            events.enumerated().map { Sample.recorded(.domainConfirmed($0.element), position: 10 + Int64($0.offset)) },
            from: state)
    }

    @Test func `a domain is confirmed as entered, and once for each that folds to the name`() throws {
        let operated = try Scene.operated()
        var state = try Self.confirmed("Strasse.example", [])
        for (entered, aLabel) in [
            ("Straße.example", "xn--strae-oqa.example"), ("STRASSE.example", "strasse.example"),
        ] {
            let command = Tenant.Command.confirmDomain(try CompanyName(entered), operated)
            guard case .domainConfirmed(let event)? = try Self.apply(command, to: &state).first else {
                Issue.record("\(entered) is not confirmed")
                continue
            }
            #expect(event.domain == "strasse.example" && event.aLabel == aLabel)
            #expect(try Self.apply(command, to: &state).isEmpty)
        }
        #expect(state.confirmedDomains == ["xn--strae-oqa.example", "strasse.example"])
        #expect(state.hasConfirmed(try EmailAddress("a@straße.example")))
    }

    @Test(arguments: ["Acme Corp", "a_b.example", "STRAẞE.example", "5550100 ", "acme。example", "xn--a.example"])
    func `a name that is no domain is not confirmed`(name: String) throws {
        let state = try Self.confirmed(name, [])
        if name == "5550100 " {
            #expect(try Tenant.decide(state, .confirmDomain(CompanyName(name), Scene.operated())).count == 1)
        } else {
            #expect(throws: Tenant.Rejection.domainInvalid) {
                try Tenant.decide(state, .confirmDomain(CompanyName(name), Scene.operated()))
            }
        }
    }

    @Test func `the tenant's own addresses are in its confirmed domain, or in that of the founder's name`() throws {
        let folded = try CompanyName("strasse.example"), entered = try CompanyName("straße.example")
        let strasse = try EmailAddress("a@strasse.example"), straße = try EmailAddress("a@straße.example")
        #expect(Tenant.initial.owns(straße, as: entered) && !Tenant.initial.owns(straße, as: folded))
        let founded = try Self.confirmed("straße.example", [])
        #expect(founded.owns(straße, as: folded) && !founded.owns(strasse, as: folded))
        let new = DomainConfirmed(domain: "strasse.example", aLabel: "strasse.example", by: .operator(nil))
        let confirmed = try Self.confirmed("straße.example", [new])
        #expect(confirmed.owns(strasse, as: entered) && !confirmed.owns(straße, as: entered))
    }

    @Test func `each command is accepted from permitted callers only`() throws {
        let domain = try CompanyName("bayunsystems.com")
        let callers: [(DecidingParty, String)] = [
            (Scene.person(), "nnnnn"), (Scene.securityAdmin, "+n+++"), (.operator(Scene.operatorKey), "n++n+"),
            (Scene.person(role: .employee), "nnnnn"), (Scene.person(role: .securityAdmin, status: .cancelled), "nnnnn"),
            (Scene.person(role: .securityAdmin, roleKeys: []), "nnnnn"), (Scene.appCaller(), "nnnnn"),
            (Scene.personnelApp, "nnnnn"),
        ]
        for (caller, expected) in callers {
            let by = try Scene.decision(caller)
            let commands: [Tenant.Command] = [
                .changePolicy(Tenant.PolicyChange(TenantPolicy(blindOnly: true), at: Scene.now), by),
                .confirmDomain(domain, by),
                .linkApp(Scene.app, roles: .usual, by), .appointAdmin(try Self.target(), by),
                try Self.succeed(Scene.employee, by: by),
            ]
            #expect(String(commands.map(Self.letter)) == expected, "\(caller)")
        }
    }

    private static func letter(_ command: Tenant.Command) -> Character {
        do {
            return try Tenant.decide(founded(), command).isEmpty ? "-" : "+"
        } catch {
            return error == .notPermitted ? "n" : "!"
        }
    }

    @Test func `each invalid command is refused with its code`() throws {
        let admin = try Scene.decision(Scene.securityAdmin), operated = try Scene.operated()
        for domain in ["victim.example", "mail.bayunsystems.com"] {
            #expect(throws: Tenant.Rejection.domainNotCompanyName) {
                try Tenant.decide(Self.founded(), .confirmDomain(CompanyName(domain), operated))
            }
        }
        for status in [EmployeeStatus.registered, .cancelled] {
            #expect(throws: Tenant.Rejection.inactive) {
                try Tenant.decide(Self.founded(), .appointAdmin(try Self.target(status: status), admin))
            }
            #expect(throws: Tenant.Rejection.inactive) {
                try Tenant.decide(Self.founded(), try Self.succeed(Scene.employee, by: operated, status: status))
            }
        }
        #expect(throws: Tenant.Rejection.noRoleKey) {
            try Tenant.decide(Self.founded(), .appointAdmin(try Self.target(keys: []), admin))
        }
        #expect(throws: Tenant.Rejection.unknownTenant) {
            try Tenant.decide(Tenant.initial, .linkApp(Scene.app, roles: .usual, operated))
        }
        // The security admin stays that until somebody succeeds: neither less nor something else.
        for command in [
            Tenant.Command.appointAdmin(try Self.target(Self.founder), admin),
            .dismissAdmin(Self.founder, of: Scene.user, admin),
        ] {
            #expect(throws: Tenant.Rejection.securityAdmin) { try Tenant.decide(Self.founded(), command) }
        }
        #expect(throws: Tenant.Rejection.notPermitted) {
            try Tenant.decide(Self.founded(), .dismissAdmin(Scene.employee, of: Scene.user, operated))
        }
    }

    @Test func `a succession needs a log-in within ten minutes, unless the operator decides`() throws {
        let admin = try Scene.decision(Scene.securityAdmin), operated = try Scene.operated()
        #expect(try Tenant.decide(Self.founded(), Self.succeed(Scene.employee, by: admin, after: 600)).count == 1)
        #expect(throws: Tenant.Rejection.loginTooOld) {
            try Tenant.decide(Self.founded(), Self.succeed(Scene.employee, by: admin, after: 601))
        }
        #expect(try Tenant.decide(Self.founded(), Self.succeed(Scene.employee, by: operated, after: 86_400)).count == 1)
    }

    @Test func `the last app with ACCESS keeps its link and role`() throws {
        let admin = try Scene.decision(Scene.securityAdmin)
        var state = Self.founded()
        _ = try Self.apply(.linkApp(Scene.app, roles: .usual, admin), to: &state)
        for command in [
            Tenant.Command.unlinkApp(Scene.app, admin), .linkApp(Scene.app, roles: RoleSet(.administration), admin),
        ] {
            #expect(throws: Tenant.Rejection.lastApp) { try Tenant.decide(state, command) }
        }
        _ = try Self.apply(.linkApp(Sample.id(61), roles: RoleSet(.access), admin), to: &state)
        #expect(try Tenant.decide(state, .unlinkApp(Scene.app, admin)).count == 1)
    }

    @Test func `a shorter recovery delay applies once the longer one has passed`() throws {
        let admin = try Scene.decision(Scene.securityAdmin)
        var state = Self.founded()
        #expect(state.recoveryDelayHours(at: Sample.start) == 24)
        for (hours, at) in [(100, 0), (2, 10)] {
            let change = Tenant.PolicyChange(TenantPolicy(recoveryDelayHours: hours), at: Scene.now)
            let events = try Tenant.decide(state, .changePolicy(change, admin))
            for event in events {
                Tenant.evolve(
                    &state, Sample.recorded(event, at: Sample.start.adding(.seconds(at * 3_600)), position: 20))
            }
        }
        func delay(afterHours hours: Int) -> Int {
            state.recoveryDelayHours(at: Sample.start.adding(.seconds(hours * 3_600)))
        }
        #expect(delay(afterHours: 10) == 100 && delay(afterHours: 109) == 100 && delay(afterHours: 110) == 2)
    }
}
