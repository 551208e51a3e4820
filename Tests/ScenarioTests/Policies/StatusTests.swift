import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Decisions about an employee` {
    @Test func `approve by an admin where the policy says so, and not by an app`() async throws {
        let client = try sharedWorld().client
        let company = "approval.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["approval": "admin"], of: company, by: founder)
        let person = Person("second", at: company)
        let device = Device()
        let pending = try await client.register(person, device)
        let read = try await client.get(client.path(person), by: founder.session, at: pending["position"]?.number)
        #expect(read["status"]?.text == "registered")
        _ = try await client.authorize(device, of: person)
        try expectProblem(try await client.logIn(person, device), "employee.not_approved")
        try expectProblem(try await client.post(client.path(person, "/approval")), "authorization.not_permitted")
        let approved = try await client.post(
            client.path(person, "/approval"), ["note": "checked the contract"], by: founder.session)
        expectOutcome(approved, "done")
        #expect(approved["employee"]?["status"]?.text == "active")
        expectOutcome(try await client.logIn(person, device), "success")
        let again = try await client.post(client.path(person, "/approval"), by: founder.session)
        expectOutcome(again, "done")
        #expect(again["position"] == nil)
    }

    @Test func `cancel, which ends all sessions at once, and reinstate`() async throws {
        let client = try sharedWorld().client
        let company = "cancel.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let reply = try await client.post(client.path(member.person, "/cancellation"), by: founder.session)
        expectOutcome(reply, "done")
        #expect(reply["employee"]?["status"]?.text == "cancelled")
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        let refreshed = try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody)
        try expectProblem(refreshed, "session.invalid")
        try expectProblem(try await client.logIn(member.person, member.device), "employee.inactive")
        try expectProblem(
            try await client.register(Person("second", at: company), Device()), "employee.already_registered")

        expectOutcome(try await client.post(client.path(member.person, "/reinstatement"), by: founder.session), "done")
        expectOutcome(try await client.logIn(member.person, member.device), "success")
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
    }

    @Test func `never cancel the security admin`() async throws {
        let client = try sharedWorld().client
        let company = "headless.example"
        let founder = try await client.found(company)
        let reply = try await client.post(client.path(founder.person, "/cancellation"), by: founder.session)
        #expect((400..<500).contains(reply.status), "\(reply)")
        expectOutcome(try await client.logIn(founder.person, founder.device), "success")
    }
}
