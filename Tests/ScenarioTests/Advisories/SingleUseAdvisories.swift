import Canonical
import Foundation
import Testing

/// Advisories about things that were used twice, or that lived on after they had ended.
@Suite(.onServer, .sharedWorld)
struct `Advisories about single use` {
    private func refresh(_ token: String, _ client: Client) async throws -> HTTPReply {
        try await client.post("/v1/sessions/refresh", ["refreshToken": .string(token)], by: .nobody)
    }

    @Test func `CVE-2022-23555: a flow's handle works for its own kind of flow only`() async throws {
        let client = try sharedWorld().client
        let company = "kinds.example"
        let owner = try await client.found(company)
        let login = try await Flow.logIn(owner.person, owner.device, client)
        let registration = try await Flow.register(Person("n", at: company), owner.device, client)
        for (kind, flow) in [("registrations", login), ("logins", registration)] {
            let reply = try await client.post("/v1/\(kind)/\(flow.handle)/key", try flow.proof(owner.device))
            try expectProblem(reply, "flow.wrong_step")
        }
    }

    @Test func `CVE-2023-26481: a signature for one employee is refused for another`() async throws {
        let client = try sharedWorld().client
        let company = "other-subject.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["keyAuthorization": "securityAdmin"], of: company, by: founder)
        let people = ["one", "two"].map { Person($0, at: company) }
        let device = Device()
        for person in people { expectOutcome(try await client.register(person, device), "authorizationPending") }
        func path(_ person: Person) -> String {
            client.path(person, "/keys/\(device.fingerprint)/authorization")
        }
        let asked = try await client.post(path(people[0]), by: founder.session)
        let signed: JSONValue = [
            "statement": try #require(asked["statement"]),
            "signature": .string(try founder.device.sign(base64: asked["statement"]?.text)),
        ]
        let reply = try await client.post(path(people[1]), signed, by: founder.session)
        #expect(reply.status >= 400, "\(reply)")
        expectOutcome(try await client.post(path(people[0]), signed, by: founder.session), "done")
        expectOutcome(try await client.logIn(people[1], device), "authorizationPending")
    }

    @Test func `CVE-2026-73431, CVE-2025-46815: a flow, a proof and a statement can be used once`() async throws {
        let client = try sharedWorld().client
        let company = "once.example"
        let owner = try await client.found(company)
        let flow = try await Flow.logIn(owner.person, owner.device, client)
        let asked = try await flow.prove(owner.device)
        expectOutcome(try await flow.complete(owner.person, asked), "success")
        for reply in [
            try await flow.prove(owner.device),
            try await flow.step("passphrase", ["passphrase": .string(owner.person.passphrase ?? "")]),
        ] {
            try expectProblem(reply, "flow.already_used")
        }
        let first = try await client.send(
            client.request("PATCH", client.path(company, "/policy"), ["approval": "admin"], by: owner.session))
        let statement = try #require(first["statement"])
        let body: JSONValue = [
            "approval": "admin", "statement": statement,
            "signature": .string(try owner.device.sign(base64: statement.text)),
        ]
        let change = client.request("PATCH", client.path(company, "/policy"), body, by: owner.session)
        expectOutcome(try await client.send(change), "done")
        try await client.change(policy: ["approval": "automatic"], of: company, by: owner)
        let replayed = try await client.send(change)
        #expect(replayed.status >= 400, "\(replayed)")
    }

    @Test
    func `CVE-2026-1035, CVE-2026-126280: one of fifty refreshes wins, and reuse ends the session`()
        async throws
    {
        let client = try sharedWorld().client
        let member = try await client.found("fifty.example")
        let replies = try await concurrently(50) { _ in try await refresh(member.refreshToken, client) }
        let winners = replies.filter { $0.status == 200 }
        #expect(winners.count <= 1)
        for reply in replies where reply.status != 200 {
            try expectProblem(reply, reply.code == "session.reused" ? "session.reused" : "session.invalid")
        }
        if let token = winners.first?["refreshToken"]?.text {
            try expectProblem(try await refresh(token, client), "session.invalid")
        }
    }

    @Test func `CVE-2026-9802: a revocation holds for a service that starts later`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "after-restart.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let path = client.path(member.person, "/keys/\(member.device.fingerprint)/revocation")
        expectOutcome(try await client.signed(by: founder, "POST", path, ["reason": "lost"]), "done")
        try await world.withSecondInstance { url in
            let second = try Client(url, world.app)
            try expectProblem(try await refresh(member.refreshToken, second), "session.invalid")
            try expectProblem(try await second.get("/v1/sessions", by: member.session), "session.invalid")
            try expectProblem(try await second.logIn(member.person, member.device), "authorization.not_permitted")
        }
    }

    @Test func `CVE-2025-12390: no two sessions share an id or a token`() async throws {
        let client = try sharedWorld().client
        let company = "session-ids.example"
        let founder = try await client.found(company)
        let members = try await concurrently(6) { _ in
            try Member(founder.person, founder.device, try await client.logIn(founder.person, founder.device))
        }
        let tokens = members.flatMap { [$0.accessToken, $0.refreshToken] }
        #expect(Set(tokens).count == 12)
        let listed = try await client.get("/v1/sessions", by: founder.session)["items"]?.items ?? []
        #expect(listed.count == 7 && Set(listed.compactMap { $0["sessionId"]?.text }).count == 7)
        // Closing one ends no other.
        _ = try await client.send(client.request("DELETE", "/v1/sessions/current", by: members[0].session))
        for member in members.dropFirst() {
            #expect(try await client.get("/v1/sessions", by: member.session).status == 200)
        }
    }

    @Test func `CVE-2026-8922: a cancellation overrides every earlier permission`() async throws {
        let client = try sharedWorld().client
        let company = "over-all.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let cancel = client.path(member.person, "/cancellation")
        expectOutcome(try await client.signed(by: founder, "POST", cancel), "done")
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        try expectProblem(try await refresh(member.refreshToken, client), "session.invalid")
        try expectProblem(try await client.logIn(member.person, member.device), "employee.inactive")
        let device = Device()
        try expectProblem(try await client.logIn(member.person, device), "employee.inactive")
        #expect(try await client.authorize(device, of: member.person).outcome != "done")
    }
}
