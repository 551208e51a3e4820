import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 12: a lost reply` {
    /// Sends a request, loses its reply, and sends it again until the first one no longer runs.
    private func sendTwice(_ request: HTTPRequest, _ client: Client, cut: TCPConnection.Cut) async throws -> HTTPReply {
        try await client.lose(request, cut: cut)
        for _ in 0..<2_000 {
            let reply = try await client.send(request)
            guard reply.code == "idempotency.in_progress" else { return reply }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TCPConnection.Failure(description: "the first request never ended")
    }

    @Test(arguments: [0, 1, 5, 20, 60, nil] as [UInt32?])
    func `of a registration is told again, and there is one event`(milliseconds: UInt32?) async throws {
        let client = try sharedWorld().client
        let cut = milliseconds.map { TCPConnection.Cut.afterSending(milliseconds: $0) } ?? .whenReplyArrives
        let company = "lost-\(milliseconds.map(String.init) ?? "reply").example"
        let person = Person("f", at: company)
        let device = Device()
        let flow = try await Flow.register(person, device, client)
        let asked = try await flow.prove(device)
        let request = try flow.completion(person, asked, key: "lost-\(Person.word())")
        let reply = try await sendTwice(request, client, cut: cut)
        let member = try Member(person, device, reply)
        #expect(try await client.send(request).body == reply.body)
        #expect(try await client.get("/v1/sessions", by: member.session).status == 200)
        for type in ["EmployeeRegistered", "SessionOpened"] {
            #expect(try await client.events(company, "type=\(type)", by: member.session).count == 1, "\(type)")
        }
    }

    @Test func `of a login is told again, and there is one session`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("lost-login.example")
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        let request = try flow.completion(founder.person, asked, key: "login-\(Person.word())")
        let member = try Member(
            founder.person, founder.device, try await sendTwice(request, client, cut: .whenReplyArrives))
        #expect(try await client.get("/v1/sessions", by: member.session)["items"]?.items.count == 2)
        let events = try await client.events("lost-login.example", "type=PassphraseValidated", by: member.session)
        #expect(events.count == 1)
    }

    @Test func `of a wrong answer is told again and charged once`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.found("lost-wrong.example")
        let device = Device()
        let flow = try await Flow.logIn(owner.person, device, client)
        _ = try await flow.prove(device)
        let wrong = flow.request("passphrase", ["passphrase": "wrong passphrase"], key: "wrong-\(Person.word())")
        let first = try await sendTwice(wrong, client, cut: .whenReplyArrives)
        try expectProblem(first, "passphrase.incorrect", goesOn: true)
        // An unknown device has 20 attempts; 30 repetitions would spend more.
        for _ in 0..<30 {
            let again = try await client.send(wrong)
            #expect(again.code == "passphrase.incorrect" && again.challenge == first.challenge)
        }
        let right: JSONValue = ["passphrase": .string(try #require(owner.person.passphrase))]
        expectOutcome(try await flow.step("passphrase", right), "authorizationPending")
    }

    @Test func `of an authorization is told again, and there is one event`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("lost-key.example")
        let person = Person("second", at: "lost-key.example")
        let device = Device()
        _ = try await client.register(person, device)
        let request = client.request(
            "POST", client.path(person, "/keys/\(device.fingerprint)/authorization"), key: "auth-\(Person.word())")
        let reply = try await sendTwice(request, client, cut: .whenReplyArrives)
        expectOutcome(reply, "done")
        #expect(reply["position"]?.number != nil, "the first answer, not that of a second authorization")
        let events = try await client.events(
            "lost-key.example", "type=EmployeeKeyAuthorized&employee=second", by: founder.session)
        #expect(events.count == 1)
    }
}
