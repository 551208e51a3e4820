import Canonical
import EventCoding
import FoundationEssentials
@testable import Identity
import Keys
import Ledger
import Testing

@testable import Projections

struct EmployeesModelTests {
    @Test func `a registration creates a row whose sealed names the employee's key opens`() throws {
        var script = CompanyScript()
        let employee = try script.register("E-1")
        let row = try #require(try script.state().employees.first)
        #expect(row.id == employee)
        #expect(row.status == .active)
        #expect(row.role == .securityAdmin)
        #expect(row.registeredPosition == 1)
        #expect(row.registeredAt == CompanyScript.start)
        #expect(try row.companyEmployeeID.open(with: script.keys, in: script.tenant.uuid) == "E-1")
        #expect(try row.email.open(with: script.keys, in: script.tenant.uuid) == "E-1@example.test")
        #expect(try row.email.open(with: [:], in: script.tenant.uuid) == nil)
        // A text moved to another place does not open.
        let moved = SealedText(event: row.email.event, pointer: "/data/companyEmployeeId", sealed: row.email.sealed)
        #expect(throws: KeysError.self) { try moved.open(with: script.keys, in: script.tenant.uuid) }
    }

    @Test func `a reinstatement does not approve, and approval survives a cancellation`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let second = try script.register("2", approved: false)
        func status() throws -> EmployeeStatus? { try script.state().employees.first { $0.id == second }?.status }
        #expect(try status() == .registered)
        try script.cancel(second)
        #expect(try status() == .cancelled)
        try script.reinstate(second)
        #expect(try status() == .registered)
        try script.add(EmployeeApproved(employeeID: second, by: .operator(nil)), "employee", second.uuid)
        try script.cancel(second)
        try script.reinstate(second)
        #expect(try status() == .active)
    }

    @Test func `a succession moves the role, and an appointed predecessor stays an admin`()
        throws
    {
        var script = CompanyScript()
        let first = try script.register("1")
        let second = try script.register("2")
        try script.decide(AdminAppointed(employeeID: first, fingerprints: CompanyScript.listed, by: .operator(nil)))
        try script.decide(
            SecurityAdminSucceeded(employeeID: second, fingerprints: CompanyScript.listed, by: .operator(nil)))
        let roles = Dictionary(uniqueKeysWithValues: try script.state().employees.map { ($0.id, $0.role) })
        #expect(roles == [first: .admin, second: .securityAdmin])
        try script.decide(
            SecurityAdminSucceeded(employeeID: first, fingerprints: CompanyScript.listed, by: .operator(nil)))
        #expect(try script.state().employees.map(\.role) == [.securityAdmin, .employee])
    }

    @Test func `a row records the last event that changed it`() throws {
        var script = CompanyScript()
        let employee = try script.register("1")
        try script.openSession(employee)
        #expect(try script.state().employees.map(\.changedPosition) == [3], "an authorized key makes the id belong")
        try script.cancel(employee)
        #expect(try script.state().employees.map(\.changedPosition) == [5])
        #expect(try script.state().employees.map(\.changedAt) == [script.now])
    }

    @Test func `the projection agrees with the decider about every employee and key`() throws {
        var script = CompanyScript()
        let first = try script.register("1")
        let second = try script.register("2", approved: false)
        let key = CompanyScript.key()
        try script.present(key, of: second)
        try script.refuse(key, of: second)
        try script.present(key, of: second)
        try script.authorize(key, of: second)
        try script.reclaim(second)
        try script.cancel(first)
        let state = try script.state()
        for employee in [first, second] {
            let events = try script.recorded().filter { $0.stream.id == employee.uuid }
            let decided = Employee.fold(try events.map { try EventCodec.decode($0, as: EmployeeEvent.self) })
            let row = try #require(state.employees.first { $0.id == employee })
            #expect(row.status == decided.account?.status)
            #expect(row.isReclaimed == decided.account?.isReclaimed)
            let keys = state.keys.filter { $0.employee == employee }
            #expect(keys.count == decided.keys.count)
            for key in keys { #expect("\(key.state)" == (decided.keys[key.key]?.status).map { "\($0)" }) }
        }
    }

    @Test func `an erasure cancels the account, ends every key and leaves unreadable texts`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let gone = try script.register("2")
        try script.add(EmployeeErased(employeeID: gone, by: .operator(nil)), "employee", gone.uuid)
        let state = try script.state()
        let row = try #require(state.employees.first { $0.id == gone })
        #expect(row.status == .cancelled && row.changedPosition == Int64(script.events.count))
        #expect(try row.email.open(with: [:], in: script.tenant.uuid) == nil)
        #expect(state.employees.first?.status == .active)
        let keys = state.keys.filter { $0.employee == gone }
        #expect(!keys.isEmpty && keys.allSatisfy { $0.state == .revoked })
        #expect(state.pending.allSatisfy { $0.employee != gone })
    }
}
