import Canonical
import FoundationEssentials
import Identity
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct StateAtTests {
    @Test func `yesterday's state is what was so yesterday`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            let founder = try script.register("1")
            let second = try script.register("2")
            let yesterday = script.now
            let before = try script.state()
            try script.cancel(second)
            try script.decide(SecurityAdminSucceeded(employeeID: second, by: .operator))
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

    @Test func `at every position the state is the fold of the events up to it`() async throws {
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

    @Test func `the comparison finds a text that differs in its Unicode form alone`() async throws {
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
