import Canonical
import Testing

@Suite(.onServer)
struct `A reclaimed e-mail of somebody with a second account in the company` {
    @Test func `ends that account too, though it never claimed the address for the company`() async throws {
        try await inTurn { world in
            let (client, admin, owner) = try await company("both.example", world)
            let second = try await client.join(owner.person.also("second", at: "both.example"))
            expectOutcome(try await reclaim(owner.person, client, by: admin), "done")
            for member in [owner, second] {
                try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
                try expectProblem(try await client.logIn(member.person, member.device), "employee.inactive")
            }
        }
    }

    @Test func `leaves none that was registered at the same time`() async throws {
        try await inTurn { world in
            for round in 0..<12 {
                let name = "together-\(round).example"
                let (client, admin, owner) = try await company(name, world)
                var person = owner.person.also("second", at: name)
                person.isCompanyOwnedEmail = true
                let device = Device()
                let flow = try await Flow.register(person, device, client)
                let completion = try flow.completion(person, try await flow.prove(device))
                async let registered = client.send(completion)
                try await Task.sleep(for: .milliseconds(Int.random(in: 10...70)))
                let reclaimed = try await reclaim(owner.person, client, by: admin)
                expectOutcome(reclaimed, "done")
                guard try await registered.status == 200 else { continue }
                let authorized = try await client.authorize(device, of: person)
                #expect(authorized.status != 200, "round \(round): \(authorized)")
                try expectProblem(try await client.logIn(person, device), "employee.inactive")
            }
        }
    }

    private func company(
        _ name: String, _ world: TenureWorld
    ) async throws -> (client: Client, admin: Member, owner: Member) {
        let client = try world.client
        let admin = try await client.found(name)
        try await world.confirmDomain(of: name)
        var person = Person("owner", at: name, email: "owner@\(name)")
        person.isCompanyOwnedEmail = true
        return (client, admin, try await client.join(person))
    }

    private func reclaim(_ person: Person, _ client: Client, by admin: Member) async throws -> HTTPReply {
        try await client.post(
            client.path(person.company, "/reclaimed-emails"), ["email": .string(person.email), "reason": "has left"],
            by: admin.session)
    }
}
