import Canonical
@testable import Identity
import Testing

@Suite struct `Administering an employee` {
    @Test func `a reinstatement restores neither approval nor keys`() throws {
        for approval in Approval.allCases {
            var state = try Scene.state([.register(Scene.register(policy: TenantPolicy(approval: approval)))])
            let byApp = try Scene.decision(Scene.appCaller())
            Scene.apply(try Employee.decide(state, Scene.authorize(Scene.firstKey, by: byApp)), to: &state)
            let before = state.account?.status
            Scene.apply(try Employee.decide(state, Scene.cancel()), to: &state)
            #expect(state.account?.status == .cancelled && state.authorizedKeys.isEmpty)
            Scene.apply(try Employee.decide(state, Scene.reinstate()), to: &state)
            #expect(state.account?.status == before && state.authorizedKeys.isEmpty)
            #expect(state.keys[Scene.firstKey]?.status == .revoked)
        }
    }

    @Test func `an app reinstates only an account that an app cancelled`() throws {
        let byApp = try Scene.decision(Scene.appCaller())
        let known = try Scene.state([
            .register(Scene.register()), Scene.authorize(Scene.firstKey, by: byApp),
        ])
        for (canceller, isTaken) in [(Scene.person(), false), (Scene.personnelApp, true)] {
            var state = known
            Scene.apply(try Employee.decide(state, Scene.cancel(canceller)), to: &state)
            if isTaken {
                #expect(try Employee.decide(state, Scene.reinstate(Scene.personnelApp)).count == 1)
            } else {
                #expect(throws: Employee.Rejection.notPermitted) {
                    try Employee.decide(state, Scene.reinstate(Scene.personnelApp))
                }
            }
            #expect(try Employee.decide(state, Scene.reinstate()).count == 1)
        }
    }

    @Test func `only an admin's approval verifies an address, in a confirmed domain only`() throws {
        let state = try Scene.state([.register(Scene.register(policy: TenantPolicy(approval: .admin)))])
        let cases: [(DecidingParty, Set<String>, Bool)] = [
            (Scene.person(), ["bayunsystems.com"], true), (Scene.person(), ["bayunsystems.co"], false),
            (Scene.person(), [], false), (Scene.personnelApp, ["bayunsystems.com"], false),
        ]
        for (caller, domains, isVerified) in cases {
            let events = try Employee.decide(state, Scene.approve(caller, domains: domains))
            let by = try Scene.decision(caller).authority
            #expect(
                events == [
                    .approved(EmployeeApproved(employeeID: Scene.employee, emailVerified: isVerified, by: by))
                ])
        }
    }

    @Test func `an id is owned once a key is authorized or a statement approves the account`() throws {
        let provisional = try Scene.state([.register(Scene.register())])
        #expect(provisional.isProvisional, "an approval by policy does not count")
        let byApp = try Scene.decision(Scene.appCaller())
        let authorized = try Scene.state([.register(Scene.register()), Scene.authorize(Scene.firstKey, by: byApp)])
        let approved = try Scene.state([
            .register(Scene.register(policy: TenantPolicy(approval: .admin))), Scene.approve(),
        ])
        let refused = try Scene.state([
            .register(Scene.register()), .refuseKey(Scene.end(Scene.firstKey, by: byApp)),
        ])
        #expect(!authorized.isProvisional && !approved.isProvisional && refused.isProvisional)

        let types = { (events: [EmployeeEvent]) in events.map { type(of: $0.payload).type } }
        #expect(
            types(try Employee.decide(provisional, Scene.cancel())) == ["EmployeeCancelled", "EmployeeIdReleased"])
        #expect(types(try Employee.decide(authorized, Scene.cancel())) == ["EmployeeCancelled"])
        let late = Sample.start.adding(Employee.provisionalLifetime)
        let early = Timestamp(microseconds: late.microseconds - 1)
        #expect(try Employee.decide(provisional, .releaseID(.expired(at: early))) == [])
        #expect(types(try Employee.decide(provisional, .releaseID(.expired(at: late)))) == ["EmployeeIdReleased"])
        #expect(types(try Employee.decide(provisional, .releaseID(.invited))) == ["EmployeeIdReleased"])
        for owned in [authorized, approved] {
            #expect(throws: Employee.Rejection.alreadyRegistered) {
                try Employee.decide(owned, .releaseID(.expired(at: late)))
            }
        }
        var released = provisional
        Scene.apply(try Employee.decide(released, .releaseID(.invited)), to: &released)
        #expect(released.account?.status == .cancelled && released.authorizedKeys.isEmpty)
        #expect(throws: Employee.Rejection.inactive) { try Employee.decide(released, Scene.reinstate()) }
        #expect(try Employee.decide(released, .releaseID(.expired(at: late))) == [])
    }

    @Test func `a reclaim releases an address once and ends every key`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let command = Employee.Command.reclaimEmail(try `Life of an employee key`.reclaim())
        let events = try Employee.decide(state, command)
        let by = try Scene.decision(Scene.person()).authority
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

    @Test func `any address in a confirmed domain can be reclaimed, and no other`() throws {
        let owned = try Scene.state([.register(Scene.register())])
        let claimedNot = try Scene.state([.register(Scene.register(owned: false))])
        var command = try `Life of an employee key`.reclaim()
        for state in [owned, claimedNot] {
            let events = try Employee.decide(state, .reclaimEmail(command))
            #expect(events.contains { if case .emailReclaimed = $0 { true } else { false } })
        }
        for domains: Set<String> in [[], ["bayunsystems.co"], ["BayunSystems.com"]] {
            command.confirmedDomains = domains
            #expect(throws: Employee.Rejection.emailNotReclaimable) {
                try Employee.decide(owned, .reclaimEmail(command))
            }
        }
    }

    @Test func `the security admin cannot be cancelled before a succession`() throws {
        let state = try Scene.state([.register(Scene.register(founding: true))])
        #expect(throws: Employee.Rejection.securityAdmin) {
            try Employee.decide(state, Scene.cancel(role: .securityAdmin))
        }
        let reclaim = try `Life of an employee key`.reclaim(role: .securityAdmin)
        #expect(throws: Employee.Rejection.securityAdmin) { try Employee.decide(state, .reclaimEmail(reclaim)) }
    }
}
