import Canonical
import Credentials
import Testing

@Suite(.onServer, .sharedWorld)
struct `Blind mode only` {
    @Test func `by the company's policy refuses direct mode for known, unknown and new people alike`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "policy-blind.example"
        let founder = try await client.foundBlind(company)
        try await client.change(policy: ["blindOnly": true], of: company, by: founder)
        let known = try await BlindFlow.start(.logins, founder.person, founder.device, client)
        let unknown = try await BlindFlow.start(.logins, Person("nobody", at: company), Device(), client)
        for flow in [known, unknown] {
            let isPassphrase = flow.asked.outcome == "validatePassphrase"
            let body: JSONValue =
                isPassphrase
                ? ["passphrase": "wrong passphrase"]
                : Person("x", at: company).answers(to: flow.asked["questions"]?.items ?? [])
            try expectProblem(
                try await flow.flow.step(isPassphrase ? "passphrase" : "answers", body), "policy.blind_only")
        }
        let new = Person("new", at: company)
        let flow = try await BlindFlow.start(.registrations, new, Device(), client)
        #expect(flow.asked["rules"]?["blindOnly"]?.flag == true)
        try expectProblem(try await flow.flow.step("credentials", new.credentials), "policy.blind_only")
        for flow in [known, unknown] {
            #expect(try await world.charges(of: try flow.context.credentialId) == 0, "nothing was tried")
        }
        expectOutcome(try #require(try await flow.complete(new)), "authorizationPending")
        expectOutcome(try #require(try await known.complete(founder.person)), "success")
    }

    @Test func `by the person's own choice refuses direct mode in every company`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let person = Person("chosen", at: "flag-blind.example")
        let device = Device()
        let setUp = try await BlindFlow.start(.registrations, person, device, client)
        expectOutcome(
            try await setUp.flow.step("proof", try await setUp.newCredentials(person, blindOnly: true)), "success")
        _ = try await client.found("flag-elsewhere.example")
        let login = try await BlindFlow.start(.logins, person, device, client)
        #expect(try login.context.flags.contains(.blindOnly))
        let elsewhere = person.also("chosen", at: "flag-elsewhere.example")
        let second = try await BlindFlow.start(.registrations, elsewhere, device, client)
        for flow in [login, second] {
            let right: JSONValue = ["passphrase": .string(try #require(person.passphrase))]
            try expectProblem(try await flow.flow.step("passphrase", right), "policy.blind_only")
        }
        #expect(try await world.charges(of: try login.context.credentialId) == 0)
        expectOutcome(try #require(try await login.complete(person)), "success")
        expectOutcome(try #require(try await second.complete(elsewhere)), "authorizationPending")
    }
}
