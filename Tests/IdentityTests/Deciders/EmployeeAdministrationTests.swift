import Identity
import Testing

@Suite struct `Administering an employee` {
    @Test func `reinstating approves nobody and gives keys back as they were`() throws {
        for approval in Approval.allCases {
            var state = try Scene.state([.register(Scene.register(policy: TenantPolicy(approval: approval)))])
            let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
            Scene.apply(try Employee.decide(state, Scene.authorize(Scene.firstKey, by: byApp)), to: &state)
            let before = state
            let cancel = Employee.Cancel(role: .admin, caller: Scene.person())
            Scene.apply(try Employee.decide(state, .cancel(cancel)), to: &state)
            #expect(state.account?.status == .cancelled)
            Scene.apply(try Employee.decide(state, .reinstate(.init(caller: Scene.person()))), to: &state)
            #expect(state == before)
        }
    }

    @Test func `a reclaim releases nothing twice and ends every key`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let command = Employee.Command.reclaimEmail(try `Life of an employee key`.reclaim())
        let events = try Employee.decide(state, command)
        let by = Authority.employee(Scene.admin, nil)
        #expect(
            events == [
                .emailReclaimed(
                    EmailReclaimed(
                        employeeID: Scene.employee, userID: Scene.user, reason: Personal(Scene.employee, "Left."),
                        by: by)),
                .cancelled(EmployeeCancelled(employeeID: Scene.employee, reason: .reclaimed, by: by)),
            ])
        Scene.apply(events, to: &state)
        #expect(state.authorizedKeys.isEmpty)
        #expect(state.keys[Scene.firstKey]?.status == .revoked)
        #expect(state.account?.isReclaimed == true && state.account?.status == .cancelled)
        #expect(try Employee.decide(state, command).isEmpty)
    }

    @Test func `only a company's own address of a confirmed domain is reclaimed`() throws {
        let owned = try Scene.state([.register(Scene.register())])
        let claimedNot = try Scene.state([.register(Scene.register(owned: false))])
        var command = try `Life of an employee key`.reclaim()
        #expect(throws: Employee.Rejection.emailNotReclaimable) {
            try Employee.decide(claimedNot, .reclaimEmail(command))
        }
        for domains: Set<String> in [[], ["bayunsystems.co"], ["BayunSystems.com"]] {
            command.confirmedDomains = domains
            #expect(throws: Employee.Rejection.emailNotReclaimable) {
                try Employee.decide(owned, .reclaimEmail(command))
            }
        }
    }

    @Test func `an erased address cannot be reclaimed`() throws {
        var state = Employee.initial
        let event = EmployeeRegistered(
            employeeID: Scene.employee, userID: Scene.user, companyEmployeeID: Personal(Scene.employee, nil),
            email: Personal(Scene.employee, nil), isCompanyOwnedEmail: true, approved: true)
        Scene.apply([.registered(event)], to: &state)
        let command = try `Life of an employee key`.reclaim()
        #expect(throws: Employee.Rejection.emailNotReclaimable) { try Employee.decide(state, .reclaimEmail(command)) }
    }

    @Test func `the security admin cannot go before somebody succeeded`() throws {
        let state = try Scene.state([.register(Scene.register(founding: true))])
        #expect(throws: Employee.Rejection.securityAdmin) {
            try Employee.decide(state, .cancel(.init(role: .securityAdmin, caller: Scene.person())))
        }
        let reclaim = try `Life of an employee key`.reclaim(role: .securityAdmin)
        #expect(throws: Employee.Rejection.securityAdmin) { try Employee.decide(state, .reclaimEmail(reclaim)) }
    }

    @Test func `every rejection has a code of the contract`() {
        let contract: Set<String> = [
            "employee.already_registered", "employee.unknown", "email.not_company_owned", "employee.inactive",
            "authorization.unknown_key", "authorization.not_permitted", "email.not_reclaimable", "company.unknown",
            "request.invalid", "app.unknown", "app.secret_invalid", "flow.wrong_step", "request.stale",
            "recovery.unknown", "recovery.in_progress", "recovery.other_companies",
        ]
        var codes = Employee.Rejection.allCases.map(\.code) + Tenant.Rejection.allCases.map(\.code)
        codes += User.Rejection.allCases.map(\.code) + App.Rejection.allCases.map(\.code)
        #expect(Set(codes) == contract)
    }
}
