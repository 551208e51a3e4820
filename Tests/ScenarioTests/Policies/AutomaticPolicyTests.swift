import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `The policy automatic` {
    @Test func `countersigns an employee's first key at once and no other`() async throws {
        let client = try sharedWorld().client
        let company = "automatic.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["keyAuthorization": "automatic"], of: company, by: founder)
        let person = Person("second", at: company)
        let first = Device()
        let registered = try await client.register(person, first)
        expectOutcome(registered, "success")
        #expect(registered["employee"]?["role"]?.text == "employee")
        let second = Device()
        expectOutcome(try await client.logIn(person, second), "authorizationPending")
        expectOutcome(try await client.logIn(person, first), "success")
        let events = try await client.events(company, "type=EmployeeKeyAuthorized&employee=second")
        #expect(events.count == 1)
        #expect(events.first?["data"]?["by"]?["kind"]?.text == "app", "a secret vouches, and the log says which")
    }

    @Test func `does so only for a secret that may authorize`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "automatic-roles.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["keyAuthorization": "automatic"], of: company, by: founder)
        let creating = client.with(secret: try await world.issueSecret(for: world.app, roles: ["ACCESS", "CREATION"]))
        let person = Person("second", at: company)
        let device = Device()
        expectOutcome(try await creating.register(person, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: person), "done")
        expectOutcome(try await creating.logIn(person, device), "success")
    }

    @Test func `does not countersign the first key of somebody who must be approved`() async throws {
        let client = try sharedWorld().client
        let company = "automatic-approval.example"
        let founder = try await client.found(company)
        try await client.change(
            policy: ["keyAuthorization": "automatic", "approval": "admin"], of: company, by: founder)
        let person = Person("second", at: company)
        let device = Device()
        let reply = try await client.register(person, device)
        #expect(reply.outcome != "success", "\(reply)")
        try expectProblem(try await client.logIn(person, device), "employee.not_approved")
        expectOutcome(try await client.post(client.path(person, "/approval"), by: founder.session), "done")
        let after = try await client.logIn(person, device)
        #expect(["success", "authorizationPending"].contains(after.outcome), "\(after)")
    }
}
