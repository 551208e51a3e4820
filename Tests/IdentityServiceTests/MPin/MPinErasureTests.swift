import Canonical
import Foundation
@testable import Identity
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import EventCoding
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct MPinErasureTests {
    private static let userID = "Zoe@mail.example"

    /// Whoever writes the database may insert a row; the operator's next command would erase whom it names.
    @Test func `a row of an erasure that the log does not have erases nobody`() async throws {
        try await MPinStage.run { stage in
            let id = try await stage.register("1", isFounding: true)
            let identity = try await stage.identity(Self.userID), tenant = stage.tenant.uuid
            for (person, kind) in [(id.uuid, "employee"), (identity.uuid, "mpin")] {
                try await stage.superuser(
                    """
                    INSERT INTO tenure.erasure (ledger_id, person_id, kind, recorded_at)
                    VALUES (\(tenant), \(person), \(kind), now())
                    """)
            }
            #expect(try await stage.erasure.resume().isEmpty)
            #expect(try await stage.keys(of: [id.uuid, identity.uuid]) == [id.uuid, identity.uuid])
        }
    }

    @Test func `a user id loses all identities and codes, the ended ones too, and nobody else's`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let live = try await stage.identity(Self.userID), other = try await stage.identity("other@mail.example")
            let started = try await stage.identity("zoe@MAIL.example", slot: 1, isRegistered: false)
            // The slot of an ended identity passes on to a newer one, so no claim leads to it.
            try await stage.append(
                [MPinRevoked(reason: .superseded, by: .policy)], to: .mpin(started, in: stage.tenant))
            try await stage.superuser(
                "DELETE FROM tenure.claim WHERE kind = 'mpin-user' AND owner = \(started.uuid)")
            let code = try await stage.code(for: Self.userID)
            let plan = try await stage.erasure.plan(company: MPinStage.company, mpin: Self.userID.lowercased())
            let ids = [live.uuid, started.uuid, code.uuid]
            #expect(Set(plan.people.map(\.id)) == Set(ids) && plan.people.count == 3)
            #expect(plan.people.allSatisfy { $0.kind == .mpin && $0.company == MPinStage.company && !$0.isErased })
            #expect(plan.confirmation == Self.userID)
            let erased = try await stage.erasure.run(plan)
            #expect(Set(erased.map(\.id)) == Set(ids) && erased.allSatisfy { $0.masterVersion == 1 })
            #expect(try await stage.keys(of: ids + [other.uuid]) == [other.uuid])
            #expect(Set(try stage.list.read().map(\.id)) == Set(ids))
            #expect(try await stage.claims(of: live.uuid) == ["mpin"])
            #expect(try await stage.claims(of: code.uuid) == [])
            #expect(try await stage.claims(of: other.uuid) == ["mpin", "mpin-user"])
            #expect(try await stage.state(live).status(at: .now()) == .revoked)
            #expect(try await stage.state(other).status(at: .now()) == .registered)
            let text = try await stage.shown().map { String(decoding: $0.json.canonicalBytes(), as: UTF8.self) }
                .joined()
            #expect(!text.lowercased().contains(Self.userID.lowercased()) && text.contains("[erased]"))
            #expect(text.contains("other@mail.example"))
            let again = await #expect(throws: ErasureError.self) {
                try await stage.erasure.plan(company: MPinStage.company, mpin: Self.userID)
            }
            #expect(again?.code == .mpinUnknown)
            // The user id is free: a new identity takes the same slot.
            let next = try await stage.identity(Self.userID)
            #expect(try await stage.state(next).status(at: .now()) == .registered)
        }
    }

    @Test func `one identity is erased by its id, lawfully, once`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let one = try await stage.identity(Self.userID), kept = try await stage.identity(Self.userID, slot: 1)
            let plan = try await stage.erasure.plan(company: MPinStage.company, mpin: one.description)
            #expect(plan.people.map(\.id) == [one.uuid] && plan.confirmation == Self.userID)
            let first = try await stage.erasure.run(plan)
            let size = try await stage.shown().count
            #expect(try await stage.erasure.run(plan) == first)
            #expect(try await stage.shown().count == size)
            #expect(try await stage.keys(of: [one.uuid, kept.uuid]) == [kept.uuid])
            #expect(try await stage.findings() == [])
            let unknown = await #expect(throws: ErasureError.self) {
                try await stage.erasure.plan(company: MPinStage.company, mpin: UUID().uuidString)
            }
            #expect(unknown?.code == .mpinUnknown)
        }
    }

    @Test func `linked identities and their codes are erased with the employee, unlinked ones stay`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let leaver = try await stage.register("2")
            let linked = try await stage.identity("2", isRegistered: false), code = try await stage.code(for: "2")
            try await stage.link(linked, to: leaver)
            let unlinked = try await stage.identity("2", slot: 1)
            let plan = try await stage.erasure.plan(company: MPinStage.company, employee: "2")
            #expect(plan.people.map(\.id) == [leaver.uuid, linked.uuid] && plan.confirmation == "2")
            let erased = try await stage.erasure.run(plan)
            #expect(Set(erased.map(\.id)) == [leaver.uuid, linked.uuid, code.uuid])
            #expect(erased.map(\.kind) == [.employee, .mpin, .mpin])
            #expect(try await stage.keys(of: erased.map(\.id) + [unlinked.uuid]) == [unlinked.uuid])
            #expect(try await stage.state(linked).isErased)
            #expect(Set(try stage.list.read().map(\.id)) == Set(erased.map(\.id)))
        }
    }

    @Test func `a cancelled employee's identity is refused, and works again after the reinstatement`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let employee = try await stage.register("2"), stream = StreamID.employee(employee, in: stage.tenant)
            let id = try await stage.identity("2")
            try await stage.link(id, to: employee)
            let events = try await stage.context.reader.streams([.mpin(id, in: stage.tenant)])
            func prove() async throws -> [MPinIdentityEvent] {
                let account = try await StateLoader(reader: stage.context.reader).employee(employee, in: stage.tenant)
                let proof = MPinIdentity.Proof(
                    isRight: true, policy: .initial, linkedStatus: account.state.account?.status, time: .now())
                return try MPinIdentity.decide(try await stage.state(id), .prove(proof))
            }
            // An app's or an admin's authorization of the first key makes the account active.
            let key = try #require(
                try await StateLoader(reader: stage.context.reader).employee(employee, in: stage.tenant).state.keys.keys
                    .first)
            try await stage.append(
                [EmployeeKeyAuthorized(employeeID: employee, key: key, by: .operator(nil))], to: stream)
            #expect(try await prove() == [])
            try await stage.append(
                [EmployeeCancelled(employeeID: employee, reason: .cancelled, by: .operator(nil))], to: stream)
            await #expect(throws: MPinIdentity.Rejection.inactive) { try await prove() }
            try await stage.append([EmployeeReinstated(employeeID: employee, by: .operator(nil))], to: stream)
            #expect(try await prove() == [])
            #expect(try await stage.context.reader.streams([.mpin(id, in: stage.tenant)]) == events)
        }
    }
}
