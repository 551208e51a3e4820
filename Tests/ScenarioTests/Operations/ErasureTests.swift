import Canonical
import Foundation
@testable import Identity
import IdentityService
import Keys
import Ledger
import Logging
import Postgres
import Projections
import TestSupport
import Testing

@Suite(.onServer, .sharedWorld)
struct `Erasing a person` {
    @Test func `in one tenant ends their access and hides their texts there, and nowhere else`()
        async throws
    {
        let world = try sharedWorld()
        let client = try world.client
        let admin = try await client.found("one.example")
        let leaver = try await client.join(Person("leaver-id", at: "one.example"))
        _ = try await client.found("elsewhere.example")
        let there = try await client.join(leaver.person.also("there-id", at: "elsewhere.example"))
        let before = try await client.events("one.example", by: admin.session)

        let erased = try await world.erase(leaver.person)
        #expect(erased.count == 1 && erased.first?.masterVersion == 1)
        try expectProblem(try await client.get("/v1/sessions", by: leaver.session), "session.invalid")
        try expectProblem(try await client.logIn(leaver.person, leaver.device), "employee.inactive")
        try await client.settle("one.example")
        let read = try await client.get(client.path(leaver.person), by: admin.session)
        #expect(read.status == 200 && read["status"]?.text == "cancelled", "\(read)")
        #expect(read["companyEmployeeId"] == nil && read["email"] == nil)
        #expect(read["keys"]?.items.allSatisfy { $0["state"]?.text == "revoked" } == true)
        let list = try await client.get(client.path("one.example", "/employees"), by: admin.session)
        #expect(list["items"]?.items.count == 2)
        #expect(try await client.get(client.path("one.example"))["employees"]?.number == 1)

        // What had been said is said still, without the person.
        let after = try await client.events("one.example", by: admin.session)
        #expect(after.map { $0["eventId"] }.starts(with: before.map { $0["eventId"] }))
        #expect(after.suffix(2).map { $0["type"]?.text } == ["EmployeeCancelled", "EmployeeErased"])
        let text = Data(JSONValue.array(after).canonicalBytes())
        #expect(!Forms("id", leaver.person.id).isFound(in: text))
        #expect(!Forms("e-mail", leaver.person.email).isFound(in: text))
        #expect(text.range(of: Data("[erased]".utf8)) != nil)

        #expect(try await client.get("/v1/sessions", by: there.session).status == 200)
        expectOutcome(try await client.logIn(there.person, there.device), "success")
        let other = try await client.get(client.path(there.person))
        #expect(other["companyEmployeeId"]?.text == "there-id" && other["email"]?.text == leaver.person.email)
        let again = Person("leaver-id", at: "one.example")
        try expectProblem(try await client.register(again, Device()), "employee.already_registered")
        try expectProblem(
            try await client.signed(by: admin, "POST", client.path(leaver.person, "/reinstatement")),
            "employee.inactive")
    }

    @Test func `everywhere ends all their accounts and frees the address`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        _ = try await client.found("first.example")
        let first = try await client.join(Person("here-id", at: "first.example"))
        _ = try await client.found("second.example")
        let second = try await client.join(first.person.also("there-id", at: "second.example"))
        let erased = try await world.erasing { erasure in
            let plan = try await erasure.plan(email: first.person.email.uppercased())
            #expect(plan.people.map(\.kind) == [.user, .employee, .employee])
            #expect(plan.confirmation == first.person.email)
            #expect(Set(plan.people.dropFirst().map(\.name)) == ["here-id", "there-id"])
            return try await erasure.run(plan)
        }
        #expect(erased.map(\.kind) == [.user, .employee, .employee])
        for member in [first, second] {
            try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
            // Nobody's credentials are left, so the person looks like somebody who never was.
            let login = try await client.logIn(member.person, member.device)
            #expect(login.outcome != "success" && login.outcome != "authorizationPending", "\(login)")
        }
        let ids = Set(erased.map(\.id))
        #expect(ids.isSubset(of: Set(try world.eraseList.read().map(\.id))))
        let error = await #expect(throws: ErasureError.self) {
            try await world.erasing { try await $0.plan(email: first.person.email) }
        }
        #expect(error?.code == .userUnknown)

        let heir = Person("heir-id", at: "first.example", email: first.person.email)
        let device = Device()
        let flow = try await Flow.register(heir, device, client)
        let asked = try await flow.prove(device)
        expectOutcome(asked, "setCredentials")
        expectOutcome(try await flow.complete(heir, asked), "authorizationPending")
    }

    @Test func `leaves log, projections and statistics consistent`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let admin = try await client.found("proof.example")
        let leaver = try await client.join(Person("gone-id", at: "proof.example"))
        let noted = try await client.signed(
            by: admin, "POST", client.path(leaver.person, "/cancellation"), ["note": "was gone-id"])
        expectOutcome(noted, "done")
        let ledger = try await world.erasing { erasure in
            try await erasure.plan(company: "proof.example", employee: "gone-id").people.first?.ledger
        }
        let tenant = TenantID(try #require(ledger))
        let leaves: SQL = "SELECT position, leaf FROM tenure.event WHERE ledger_id = \(tenant.uuid)"
        let before = try await world.superuser { try await $0.query(leaves) }
        let texts = try before.map { try Leaf($0) }
        try await world.erase(leaver.person)
        let after = try await world.superuser { try await $0.query(leaves) }.map { try Leaf($0) }
        #expect(Set(texts).isSubset(of: Set(after)) && after.count == texts.count + 1)

        // The views follow, and a rebuild says the same as they do.
        try await client.settle("proof.example")
        let report = try await world.database.withPool(as: .reader) { pool in
            try await Rebuild(pool: pool, codes: .unchecked, logger: Logger(label: "test")).run(
                RebuildRequest(tenant: tenant, isDryRun: true)
            ) { _ in }
        }
        #expect(report.differences.isEmpty, "\(report.differences)")
        try await world.superuser { connection in
            try await connection.executeScript("ANALYZE")
            let rows = try await connection.query(
                """
                SELECT tablename || '.' || attname FROM pg_stats WHERE schemaname = 'tenure'
                    AND attname IN ('wrapped', 'sealed', 'answer')
                    AND (histogram_bounds IS NOT NULL OR most_common_vals IS NOT NULL)
                """)
            #expect(try rows.map { try $0.decode(String.self) }.isEmpty)
        }
    }

    @Test func `has no further effect when repeated, and needs an option for the security admin`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let founder = try await client.found("twice.example")
        let leaver = try await client.join(Person("leaver-id", at: "twice.example"))
        let error = await #expect(throws: ErasureError.self) { try await world.erase(founder.person) }
        #expect(error?.code == .securityAdmin)
        #expect(try await client.get("/v1/sessions", by: founder.session).status == 200)
        let first = try await world.erase(leaver.person)
        let count = try await client.events("twice.example").count
        #expect(try await world.erase(leaver.person) == first)
        #expect(try await client.events("twice.example").count == count)
        let entries = try world.eraseList.read().filter { $0.id == first.first?.id }
        #expect(entries.count == 1)
        let unknown = await #expect(throws: ErasureError.self) {
            try await world.erase(Person("nobody", at: "twice.example"))
        }
        #expect(unknown?.code == .employeeUnknown)
        try await world.erasing { erasure in
            let plan = try await erasure.plan(company: "twice.example", employee: founder.person.id)
            #expect(plan.orphanedCompanies == ["twice.example"])
            _ = try await erasure.run(plan, includingSecurityAdmins: true)
        }
        try expectProblem(try await client.get("/v1/sessions", by: founder.session), "session.invalid")
        let admin = try await client.get(client.path("twice.example", "/security-admin"))
        #expect(admin.status == 200 && admin["employee"]?["companyEmployeeId"] == nil, "\(admin)")
    }

    private struct Leaf: Hashable {
        let position: Int64
        let hash: [UInt8]

        init(_ row: PostgresRow) throws {
            (position, hash) = try row.decode(Int64.self, [UInt8].self)
        }
    }
}
