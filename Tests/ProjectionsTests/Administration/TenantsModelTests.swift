import FoundationEssentials
@testable import Identity
import Ledger
import Testing

@testable import Projections

struct TenantsModelTests {
    @Test func `the founder's registration creates the tenant and its security admin at position 1`() throws {
        var script = CompanyScript("Bücher & Söhne")
        let founder = try script.register("1")
        _ = try script.register("2")
        let state = try script.state()
        #expect(state.tenant?.companyName == "Bücher & Söhne")
        #expect(state.tenant?.foundedAt == CompanyScript.start)
        #expect(state.tenant?.securityAdmin == founder)
        #expect(state.securityAdmin?.first.employee == founder)
        #expect(state.securityAdmin?.first.proof.position == 1)
        #expect(state.securityAdmin?.first.proof.id == script.events[0].event.id)
        #expect(state.securityAdmin?.current == state.securityAdmin?.first)
    }

    @Test func `a successor is the current security admin, and the founder stays the first`() throws {
        var script = CompanyScript()
        let founder = try script.register("1")
        let second = try script.register("2")
        try script.decide(
            SecurityAdminSucceeded(employeeID: second, fingerprints: CompanyScript.listed, by: .operator(nil)))
        let admins = try #require(try script.state().securityAdmin)
        #expect(admins.first.employee == founder)
        #expect(admins.current.employee == second)
        #expect(admins.current.proof.position == Int64(script.events.count))
        #expect(admins.current.since == script.now)
        #expect(try script.state().tenant?.securityAdmin == second)
    }

    @Test func `an employee counts once until cancelled, even if the cancellation is repeated`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let second = try script.register("2")
        let third = try script.register("3")
        func count() throws -> Int64? { try script.state().tenant?.employees }
        #expect(try count() == 3)
        try script.cancel(second)
        try script.cancel(second)
        #expect(try count() == 2)
        try script.reinstate(second)
        #expect(try count() == 3)
        try script.cancel(third)
        try script.reclaim(third)
        #expect(try count() == 2)
    }

    @Test func `policy, domain and apps follow the last decision, apps sorted by id`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let policy = TenantPolicy(keyAuthorization: .securityAdmin, approval: .admin, blindOnly: true)
        let apps = (0..<5).map { _ in AppID(UUID()) }
        try script.decide(TenantPolicyChanged(policy: policy, by: .operator(nil)))
        try script.decide(DomainConfirmed(domain: "example.test", aLabel: "example.test", by: .operator(nil)))
        for app in apps + apps.prefix(2) { try script.decide(AppLinked(appID: app, by: .operator(nil))) }
        try script.decide(AppUnlinked(appID: apps[3], by: .operator(nil)))
        let tenant = try #require(try script.state().tenant)
        #expect(tenant.policy == policy)
        #expect(tenant.confirmedDomain == "example.test")
        let linked = [apps[0], apps[1], apps[2], apps[4]].map(\.description).sorted()
        #expect(tenant.linkedApps.map(\.description) == linked)
        #expect(tenant.changedPosition == Int64(script.events.count))
    }

    @Test func `a confirmed domain is in A-labels, and the last one that was confirmed`() throws {
        var script = CompanyScript("strasse.test")
        _ = try script.register("1")
        for aLabel in ["strasse.test", "xn--strae-oqa.test"] {
            try script.decide(DomainConfirmed(domain: "strasse.test", aLabel: aLabel, by: .operator(nil)))
            #expect(try script.state().tenant?.confirmedDomain == aLabel)
        }
    }

    @Test func `an unknown event type is an error and never skipped`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        script.addUnknown()
        #expect(throws: EventError.self) { try script.state() }
    }
}
