import Canonical
import Identity
import Testing

@testable import Projections

struct StateChangeTests {
    private func changes(_ before: CompanyScript, _ after: CompanyScript) throws -> [StateChange] {
        try before.state().changes(to: after.state(), times: (before.now, after.now))
    }

    @Test func `nothing is otherwise between a moment and itself`() throws {
        let script = try CompanyScript.eventful()
        #expect(try changes(script, script).isEmpty)
    }

    @Test func `a founding, a role and a cancellation are told with what was before`() throws {
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
        try script.decide(AdminAppointed(employeeID: second, by: .operator))
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

    @Test func `a key that waited too long is otherwise although no event says so`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        _ = try script.register("2")
        let state = try script.state()
        let later = script.now.adding(.seconds(31 * 86_400))
        let changed = state.changes(to: state, times: (script.now, later))
        #expect(changed.map(\.before) == ["pending"] && changed.map(\.after) == ["expired"])
    }
}
