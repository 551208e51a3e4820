import Canonical
import EventCoding
import FoundationEssentials
@testable import Identity
import Ledger
import Testing

@testable import Projections

struct EmployeeKeysModelTests {
    @Test func `a presented key is pending until decided, and again when presented again`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let key = CompanyScript.key()
        let second = try script.register("2", key: key)
        func row() throws -> EmployeeKeyRow? { try script.state().keys.first { $0.key == key } }
        func waits() throws -> Bool { try script.state().pending.contains { $0.key == key } }
        #expect(try row()?.state == .pending)
        #expect(try waits())
        try script.refuse(key, of: second)
        let refused = try #require(try row())
        #expect(refused.state == .refused)
        #expect(refused.decision?.reason == "unknown_device")
        #expect(try refused.decision?.note?.open(with: script.keys, in: script.tenant.uuid) == "who is this?")
        #expect(try !waits())
        try script.present(key, of: second)
        #expect(try row()?.state == .pending)
        #expect(try row()?.decision == nil)
        #expect(try row()?.presented.position == 7)
        #expect(try waits())
        try script.authorize(key, of: second)
        #expect(try row()?.state == .authorized)
        #expect(try row()?.decision?.by == EmployeeKeyRow.Decider(kind: "operator"))
        #expect(try !waits())
    }

    @Test func `a pending key expires a day after its presentation`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        _ = try script.register("2")
        let row = try #require(try script.state().keys.last)
        let end = row.presentedAt.adding(.seconds(86_400))
        #expect(row.stateName(at: end) == "pending")
        #expect(row.stateName(at: end.adding(.microseconds(1))) == "expired")
        let pending = try #require(try script.state().pending.first)
        #expect(!pending.isExpired(at: end))
        #expect(pending.isExpired(at: end.adding(.microseconds(1))))
    }

    @Test func `a reclaimed address ends every key of that employee and of no other`() throws {
        var script = CompanyScript()
        let first = try script.register("1")
        let second = try script.register("2")
        try script.present(CompanyScript.key(), of: second)
        try script.reclaim(second)
        let state = try script.state()
        #expect(state.keys.filter { $0.employee == second }.map(\.state) == [.revoked, .revoked])
        #expect(state.keys.filter { $0.employee == first }.map(\.state) == [.authorized])
        #expect(state.pending.isEmpty)
        // The reclaim itself is what ended them, not the cancellation that follows.
        #expect(state.keys.filter { $0.employee == second }.compactMap(\.decision?.place.position) == [7, 7])
    }

    @Test func `a cancellation ends the keys`() throws {
        var script = CompanyScript()
        try script.cancel(try script.register("1"))
        #expect(try script.state().keys.map(\.state) == [.revoked])
    }

    @Test func `a pending key has the leaf of the event that presented it`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        _ = try script.register("2")
        let pending = try #require(try script.state().pending.first)
        let event = try #require(try script.recorded().first { $0.id == pending.presented.id })
        #expect(pending.presentedLeaf == event.leaf)
        #expect(pending.presented.position == event.position)
    }
}
