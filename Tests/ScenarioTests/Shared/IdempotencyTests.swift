import Canonical
import Postgres
import Testing
import TestSupport

@Suite(.onServer, .sharedWorld)
struct `An idempotency key` {
    @Test func `replays the response of the same request byte for byte`() async throws {
        let client = try sharedWorld().client
        let person = Person("f", at: "repeat.example")
        let device = Device()
        let flow = try await Flow.register(person, device, client)
        let key = flow.request("key", try flow.proof(device), key: "k-\(Person.word())")
        let asked = try await client.send(key)
        expectOutcome(asked, "setCredentials")
        #expect(try await client.send(key).body == asked.body)
        let credentials = try flow.completion(person, asked, key: "c-\(Person.word())")
        let success = try await client.send(credentials)
        let member = try Member(person, device, success)
        for _ in 0..<3 {
            let again = try await client.send(credentials)
            #expect(again.status == 200 && again.body == success.body)
            #expect(again.headers["tenure-position"] == success.headers["tenure-position"])
        }
        #expect(try await client.send(key).body == asked.body, "also when the flow has ended")
        #expect(try await client.get("/v1/sessions", by: member.session)["items"]?.items.count == 1)
    }

    @Test func `replays the response of a signed PATCH, PUT and DELETE`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let owner = try await client.found("repeat-changes.example")
        let app = client.path("repeat-changes.example", "/apps/\(try await world.makeApp(name: "repeat").appId)")
        let changes: [(method: String, path: String, body: [String: JSONValue])] = [
            ("PATCH", client.path("repeat-changes.example", "/policy"), ["approval": "admin"]), ("PUT", app, [:]),
            ("DELETE", app, [:]),
        ]
        for (method, path, body) in changes {
            let asked = try await client.send(client.request(method, path, .object(body), by: owner.session))
            var signed = body
            signed["statement"] = asked["statement"]
            signed["signature"] = .string(try owner.device.sign(base64: asked["statement"]?.text))
            let key = "change-\(Person.word())"
            let change = client.request(method, path, .object(signed), by: owner.session, key: key)
            let done = try await client.send(change)
            expectOutcome(done, "done")
            let again = try await client.send(change)
            #expect(again.status == 200 && again.body == done.body, "\(method): a signature has a single use")
            let other = client.request(method, path, .object(body), by: owner.session, key: key)
            try expectProblem(try await client.send(other), "idempotency.conflict")
        }
    }

    @Test func `used for another request is a conflict`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.found("conflict.example")
        let flow = try await Flow.logIn(owner.person, owner.device, client)
        _ = try await flow.prove(owner.device)
        let key = "one-\(Person.word())"
        let wrong = try await flow.step("passphrase", ["passphrase": "wrong passphrase"], key: key)
        try expectProblem(wrong, "passphrase.incorrect", goesOn: true)
        let right: JSONValue = ["passphrase": .string(try #require(owner.person.passphrase))]
        try expectProblem(try await flow.step("passphrase", right, key: key), "idempotency.conflict")
        try expectProblem(
            try await client.post(client.path(owner.person, "/cancellation"), by: .app(client.app), key: key),
            "idempotency.conflict")
        expectOutcome(try await flow.step("passphrase", right, key: "two-\(Person.word())"), "success")
    }

    @Test func `belongs to its caller`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let other = client.by(try await world.makeApp(name: "keys"))
        let key = "shared-\(Person.word())"
        for (client, company) in [(client, "caller-one.example"), (other, "caller-two.example")] {
            let person = Person("f", at: company)
            let device = Device()
            let flow = try await Flow.register(person, device, client)
            let asked = try await flow.prove(device)
            let reply = try await flow.complete(person, asked, key: key)
            #expect(reply["employee"]?["companyName"]?.text == company, "\(reply)")
        }
    }

    @Test func `of concurrent requests has one outcome`() async throws {
        let client = try sharedWorld().client
        let person = Person("f", at: "together.example")
        let device = Device()
        let flow = try await Flow.register(person, device, client)
        let request = try flow.completion(person, try await flow.prove(device), key: "t-\(Person.word())")
        let replies = try await concurrently(12) { _ in try await client.send(request) }
        let done = replies.filter { $0.status == 200 }
        #expect(!done.isEmpty && Set(done.map(\.body)).count == 1)
        for reply in replies where reply.status != 200 { try expectProblem(reply, "idempotency.in_progress") }
        #expect(try await client.send(request).body == done.first?.body)
        #expect(try await client.events("together.example", "type=SessionOpened").count == 1)
    }

    @Test func `that is malformed is refused`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("no-key.example")
        let path = client.path(founder.person, "/keys/\(founder.device.fingerprint)/authorization")
        for wrong in ["", "a b", "ü", String(repeating: "k", count: 256)] {
            let reply = try await client.send(client.request("POST", path).with("Idempotency-Key", wrong))
            try expectProblem(reply, "request.invalid")
        }
    }
}

@Suite(.onServer)
struct `An idempotency key whose first request still runs` {
    @Test(.onOneServer) func `is reported as in progress`() async throws {
        try await inTurn { world in
            let client = try world.client
            let person = Person("f", at: "running.example")
            let device = Device()
            let flow = try await Flow.register(person, device, client)
            let request = try flow.completion(person, try await flow.prove(device), key: "running")
            var connection = try await world.database.connect(as: .superuser)
            // The first request can do everything but append.
            try await connection.executeScript("BEGIN; LOCK TABLE tenure.event IN EXCLUSIVE MODE")
            async let first = client.send(request)
            // It has its key: only then is the second one the second. What waits for the table may be somebody else.
            while try await connection.query(
                """
                SELECT FROM tenure.idempotency WHERE state = 'running' AND EXISTS (
                    SELECT FROM pg_locks WHERE relation = 'tenure.event'::regclass AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
                """
            ).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            let second = try await client.send(request)
            try await connection.executeScript("ROLLBACK")
            try expectProblem(second, "idempotency.in_progress")
            let reply = try await first
            expectOutcome(reply, "success")
            #expect(try await client.send(request).body == reply.body)
        }
    }
}

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
    func `of a registration is replayed, and there is one event`(milliseconds: UInt32?) async throws {
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

    @Test func `of a login is replayed, and there is one session`() async throws {
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

    @Test func `of a wrong answer is replayed and charged once`() async throws {
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

    @Test func `of an authorization is replayed, and there is one event`() async throws {
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
