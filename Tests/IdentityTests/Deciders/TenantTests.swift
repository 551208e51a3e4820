import Identity
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
        let people: [EmployeeID] = (50..<56).map { Sample.id($0) }
        for position in Int64(2)..<60 {
            let person = try #require(people.randomElement(using: &generator))
            let event: TenantEvent =
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: Self.registered(person)
                case 1: .adminAppointed(AdminAppointed(employeeID: person, by: .operator))
                case 2: .adminDismissed(AdminDismissed(employeeID: person, by: .operator))
                case 3: .securityAdminSucceeded(SecurityAdminSucceeded(employeeID: person, by: .operator))
                default: .policyChanged(TenantPolicyChanged(policy: TenantPolicy(blindOnly: true), by: .operator))
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

    @Test func `each command taken twice is taken once`() throws {
        let admin = Tenant.Decision(caller: Scene.person())
        let operated = Tenant.Decision(caller: .operator)
        var state = Self.founded()
        let commands: [Tenant.Command] = [
            .changePolicy(TenantPolicy(approval: .admin), admin),
            .confirmDomain(try CompanyName(" BAYUNSYSTEMS.com"), operated), .linkApp(Scene.app, operated),
            .unlinkApp(Scene.app, admin), .linkApp(Scene.app, admin),
            .appointAdmin(Scene.employee, status: .active, admin), .dismissAdmin(Scene.employee, admin),
            .appointAdmin(Scene.employee, status: .active, admin),
            .succeedSecurityAdmin(Sample.id(55), status: .active, operated),
        ]
        for command in commands {
            #expect(try Self.apply(command, to: &state).count == 1, "\(command)")
            #expect(try Self.apply(command, to: &state).isEmpty, "\(command)")
        }
        #expect(state.confirmedDomains == ["bayunsystems.com"] && state.linkedApps == [Scene.app])
        #expect(state.role(of: Scene.employee) == .admin && state.policy.approval == .admin)
        #expect(state.role(of: Sample.id(55)) == .securityAdmin && state.role(of: Self.founder) == .employee)
        #expect(state.policySince?.position == 9)
    }

    @Test func `who may do what`() throws {
        let domain = try CompanyName("bayunsystems.com")
        let callers: [(Caller, String)] = [
            (Scene.person(), "+n++n"), (Scene.person(role: .securityAdmin), "+n+++"), (.operator, "n++n+"),
            (Scene.person(role: .employee), "nnnnn"), (Scene.person(role: .securityAdmin, status: .cancelled), "nnnnn"),
            (Scene.appCaller(), "nnnnn"),
        ]
        for (caller, expected) in callers {
            let by = Tenant.Decision(caller: caller)
            let commands: [Tenant.Command] = [
                .changePolicy(TenantPolicy(blindOnly: true), by), .confirmDomain(domain, by),
                .linkApp(Scene.app, by), .appointAdmin(Scene.employee, status: .active, by),
                .succeedSecurityAdmin(Scene.employee, status: .active, by),
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

    @Test func `a statement must be signed with the caller's own key`() throws {
        for (key, taken) in [(Scene.adminKey, true), (Scene.otherKey, false)] {
            let by = Tenant.Decision(caller: Scene.person(), statement: try Sample.statement(by: key))
            let command = Tenant.Command.changePolicy(TenantPolicy(blindOnly: true), by)
            if taken {
                #expect(try Tenant.decide(Self.founded(), command).count == 1)
            } else {
                #expect(throws: Tenant.Rejection.notPermitted) { try Tenant.decide(Self.founded(), command) }
            }
        }
    }

    @Test func `what is refused`() throws {
        let admin = Tenant.Decision(caller: Scene.person())
        let operated = Tenant.Decision(caller: .operator)
        for domain in ["victim.example", "mail.bayunsystems.com"] {
            #expect(throws: Tenant.Rejection.domainNotCompanyName) {
                try Tenant.decide(Self.founded(), .confirmDomain(CompanyName(domain), operated))
            }
        }
        for status in [EmployeeStatus.registered, .cancelled] {
            #expect(throws: Tenant.Rejection.inactive) {
                try Tenant.decide(Self.founded(), .appointAdmin(Scene.employee, status: status, admin))
            }
            #expect(throws: Tenant.Rejection.inactive) {
                try Tenant.decide(Self.founded(), .succeedSecurityAdmin(Scene.employee, status: status, operated))
            }
        }
        #expect(throws: Tenant.Rejection.unknownTenant) {
            try Tenant.decide(Tenant.initial, .linkApp(Scene.app, operated))
        }
        // The security admin stays that until somebody succeeds: neither less nor something else.
        for command in [
            Tenant.Command.appointAdmin(Self.founder, status: .active, admin), .dismissAdmin(Self.founder, admin),
        ] {
            #expect(throws: Tenant.Rejection.securityAdmin) { try Tenant.decide(Self.founded(), command) }
        }
        #expect(throws: Tenant.Rejection.notPermitted) {
            try Tenant.decide(Self.founded(), .dismissAdmin(Scene.employee, operated))
        }
    }
}
