import Canonical
import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
import Testing
import TestSupport
@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct StateAtTests {
    @Test func `a state at an earlier time is the state of that time`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            let founder = try script.register("1")
            let second = try script.register("2")
            let yesterday = script.now
            let before = try script.state()
            try script.cancel(second)
            try script.decide(
                SecurityAdminSucceeded(employeeID: second, fingerprints: CompanyScript.listed, by: .operator(nil)))
            try await stage.append(script)
            let states = StateAt(reader: stage.reader)
            let then = try await states.company(script.tenant, at: .time(yesterday))
            #expect(then.employees == before.employees)
            #expect(then.tenant == before.tenant)
            #expect(then.securityAdmin?.current.employee == founder)
            #expect(then.pending.map(\.employee) == [second])
            #expect(then.position == before.position)
            let now = try await states.company(script.tenant)
            #expect(now.employees.map(\.status) == [.active, .cancelled])
            #expect(now.securityAdmin?.current.employee == second)
            // The last moment before an event does not hold it, the moment of the event does.
            let founding = CompanyScript.start
            #expect(
                try await states.company(script.tenant, at: .time(founding.adding(.microseconds(-1)))).tenant == nil)
            #expect(try await states.company(script.tenant, at: .time(founding)).tenant != nil)
        }
    }

    @Test func `the state at every position is the fold of the events up to it`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            var expected = CompanyState()
            for event in try script.recorded() {
                try expected.apply(event)
                let state = try await StateAt(reader: stage.reader).company(
                    script.tenant, at: .position(event.position))
                #expect(state.employees == expected.employees)
                #expect(state.keys == expected.keys)
                #expect(state.tenant == expected.tenant)
                #expect(state.pending == expected.pending)
                #expect(state.securityAdmin == expected.securityAdmin)
            }
        }
    }

    @Test func `the comparison reports a text that differs only in its Unicode form`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript("Bu\u{308}cher")
            _ = try script.register("1")
            try await stage.append(script)
            try await stage.following { _ in try await stage.settle(script) }
            try await stage.expectEqual(script.tenant)
            try await stage.execute("UPDATE tenure.tenants SET company_name = \("B\u{FC}cher")")
            let state = try await StateAt(reader: stage.reader).company(script.tenant)
            let differences = try await LiveViews(pool: stage.readers).compare(state, of: script.tenant).differences
            #expect(differences.map(\.kind) == [.changed(columns: ["company_name"])])
        }
    }
}

struct StateChangeTests {
    private func changes(_ before: CompanyScript, _ after: CompanyScript) throws -> [StateChange] {
        try before.state().changes(to: after.state(), times: (before.now, after.now))
    }

    @Test func `a time compared with itself has no changes`() throws {
        let script = try CompanyScript.eventful()
        #expect(try changes(script, script).isEmpty)
    }

    @Test func `a founding, a role and a cancellation are shown with the earlier values`() throws {
        var script = CompanyScript()
        let founder = try script.register("1")
        let founding = try CompanyState().changes(to: script.state(), times: (CompanyScript.start, script.now))
        #expect(
            founding.contains(
                StateChange(
                    subject: .company, member: "securityAdmin", before: nil, after: founder.description)))
        #expect(
            founding.contains(
                StateChange(
                    subject: .employee(founder), member: "role", before: nil, after: "securityAdmin")))
        let second = try script.register("2")
        let before = script
        try script.decide(AdminAppointed(employeeID: second, fingerprints: CompanyScript.listed, by: .operator(nil)))
        #expect(
            try changes(before, script) == [
                StateChange(subject: .employee(second), member: "role", before: "employee", after: "admin")
            ])
        let appointed = script
        try script.cancel(second)
        let cancelled = try changes(appointed, script)
        #expect(
            cancelled.contains(
                StateChange(
                    subject: .employee(second), member: "status", before: "active", after: "cancelled")))
        #expect(cancelled.contains(StateChange(subject: .company, member: "employees", before: "2", after: "1")))
    }

    @Test func `an expired pending key is a change without an event`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        _ = try script.register("2")
        let state = try script.state()
        let later = script.now.adding(.seconds(31 * 86_400))
        let changed = state.changes(to: state, times: (script.now, later))
        #expect(changed.map(\.before) == ["pending"] && changed.map(\.after) == ["expired"])
    }
}
