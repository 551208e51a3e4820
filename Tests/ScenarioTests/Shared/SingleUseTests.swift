import Canonical
import Postgres
import Testing

@Suite(.onServer, .sharedWorld)
struct `Single use` {
    @Test func `applies to an admin's signature, even after its decision was reversed`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let admin = try await client.found("link-again.example")
        let app = try await world.makeApp(name: "link again")
        let path = client.path("link-again.example", "/apps/\(app.appId)")
        let asked = try await client.send(client.request("PUT", path, [:], by: admin.session))
        let signature = try admin.device.sign(base64: asked["statement"]?.text, .raw)
        let signed: JSONValue = .object([
            "statement": try #require(asked["statement"]), "signature": .string(signature),
        ])
        let link = client.request("PUT", path, signed, by: admin.session)
        expectOutcome(try await client.send(link), "done")
        expectOutcome(try await client.signed(by: admin, "DELETE", path), "done")
        try expectProblem(try await client.send(link), "request.stale")
        expectOutcome(try await client.signed(by: admin, "PUT", path), "done")
    }

    @Test func `applies to a flow, even if its last step is sent concurrently`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("once.example")
        for person in [member.person, Person("new", at: "once.example")] {
            let isNew = person.id == "new"
            let device = isNew ? Device() : member.device
            let flow =
                isNew
                ? try await Flow.register(person, device, client) : try await Flow.logIn(person, device, client)
            let completion = try flow.completion(person, try await flow.prove(device))
            let replies = try await concurrently(6) { _ in try await client.send(completion) }
            #expect(replies.filter { $0.status == 200 }.count == 1, "\(replies)")
            for reply in replies where reply.status != 200 {
                let codes: [String?] = ["flow.already_used", "flow.wrong_step", "employee.already_registered"]
                #expect(codes.contains(reply.code), "\(reply)")
            }
            try expectProblem(try await client.send(completion), "flow.already_used")
        }
    }

    @Test func `applies to a refresh token, whose idempotency key is bound to its session`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let word = Person.word()
        for name in ["key-one.example", "key-two.example"] {
            let member = try await client.found(name)
            let body: JSONValue = ["refreshToken": .string(member.refreshToken)]
            let first = try await client.post("/v1/sessions/refresh", body, by: .nobody, key: word)
            #expect(first.status == 200, "\(first)")
            let again = try await client.post("/v1/sessions/refresh", body, by: .nobody, key: word)
            #expect(again["accessToken"] == first["accessToken"])
        }
    }
}

@Suite(.onServer)
struct `A refresh token without a session` {
    @Test func `leaves no trace with any idempotency key`() async throws {
        try await inTurn { world in
            let client = try world.client
            let member = try await client.found("no-row.example")
            let forged = String(member.refreshToken.dropLast(4)) + "AAAA"
            let before = try await rows(world)
            for token in [forged, "x", member.accessToken] {
                let reply = try await client.post(
                    "/v1/sessions/refresh", ["refreshToken": .string(token)], by: .nobody, key: Person.word())
                try expectProblem(reply, "session.invalid")
            }
            #expect(try await rows(world) == before)
        }
    }

    private func rows(_ world: TenureWorld) async throws -> Int64 {
        try await world.superuser { connection in
            let rows = try await connection.query("SELECT count(*) FROM tenure.idempotency")
            return try rows.first?.decode(Int64.self) ?? -1
        }
    }
}
