import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Codes of status 409 and 412` {
    @Test func `are returned for an existing employee, even with another e-mail`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("taken.example")
        for person in [founder.person, Person("founder", at: "taken.example"), Person("FOUNDER ", at: "Taken.Example")]
        {
            try expectProblem(try await client.register(person, Device()), "employee.already_registered")
        }
    }

    @Test func `are returned for an e-mail claimed for a company of another name`() async throws {
        let client = try sharedWorld().client
        for email in ["f@elsewhere.example", "f@sub.owned.example", "f@owned.example.org"] {
            var person = Person("f", at: "owned.example", email: email)
            person.isCompanyOwnedEmail = true
            let device = Device()
            let started = try await client.post("/v1/registrations", person.registration(device))
            let reply = started.status == 201 ? try await client.register(person, device) : started
            try expectProblem(reply, "email.not_company_owned")
        }
        #expect(try await client.get(client.path("owned.example")).status == 404, "nothing was founded")
    }

    @Test func `are returned for an e-mail that cannot be reclaimed`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "reclaims.example"
        let founder = try await client.found(company)
        var owned = Person("owned", at: company, email: "owned@reclaims.example")
        owned.isCompanyOwnedEmail = true
        let private1 = Person("private", at: company, email: "private@mail.example")
        for person in [owned, private1] { _ = try await client.register(person, Device()) }
        func reclaim(_ email: String) async throws -> HTTPReply {
            try await client.signed(
                by: founder, "POST", client.path(company, "/reclaimed-emails"),
                ["email": .string(email), "reason": "left"])
        }
        try expectProblem(try await reclaim(owned.email), "email.not_reclaimable")
        try await world.confirmDomain(of: company)
        for email in [private1.email, "nobody@reclaims.example", founder.person.email, "x@other.example"] {
            try expectProblem(try await reclaim(email), "email.not_reclaimable")
        }
        expectOutcome(try await reclaim(owned.email), "done")
        try expectProblem(try await reclaim(owned.email), "email.not_reclaimable")
    }

    @Test func `are returned for a step in another order`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("steps.example", by: .withQuestions("f", at: "steps.example"))
        let answers: JSONValue = founder.person.answers(to: (0..<3).map { ["questionId": .bytes([$0])] })
        let login = try await Flow.logIn(founder.person, founder.device, client)
        for step in [("answers", answers), ("passphrase", ["passphrase": "long enough"])] as [(String, JSONValue)] {
            try expectProblem(try await login.step(step.0, step.1), "flow.wrong_step")
        }
        let asked = try await login.prove(founder.device)
        try expectProblem(try await login.step("passphrase", ["passphrase": "long enough"]), "flow.wrong_step")
        try expectProblem(
            try await login.step("key", try login.proof(founder.device), key: "again"), "flow.wrong_step")
        expectOutcome(try await login.complete(founder.person, asked), "success")

        let person = Person("second", at: "steps.example")
        let device = Device()
        let registration = try await Flow.register(person, device, client)
        try expectProblem(try await registration.step("credentials", person.credentials), "flow.wrong_step")
        let setUp = try await registration.prove(device)
        try expectProblem(try await registration.step("answers", answers), "flow.wrong_step")
        expectOutcome(try await registration.complete(person, setUp), "authorizationPending")
    }

    @Test func `are returned for an ended flow`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("ended.example")
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        expectOutcome(try await flow.complete(founder.person, asked), "success")
        try expectProblem(try await flow.complete(founder.person, asked, key: "new"), "flow.already_used")
        try expectProblem(try await flow.prove(founder.device), "flow.already_used")
    }

    @Test(arguments: Flow.Kind.allCases)
    func `are returned for a handle that is malformed, of another app, or of another kind`(kind: Flow.Kind) async throws
    {
        let world = try sharedWorld()
        let client = try world.client
        let company = "handles-\(kind.rawValue).example"
        let founder = try await client.found(company)
        let person = Person("second", at: company)
        let device = kind == .logins ? founder.device : Device()
        let flow =
            kind == .logins
            ? try await Flow.logIn(founder.person, device, client)
            : try await Flow.register(person, device, client)
        let other = client.by(try await world.makeApp(name: "handles \(kind.rawValue)"))
        try await world.linkApp(other.app, to: company)
        var replies = [try await flow.at(other).prove(device)]
        let otherKind: Flow.Kind = kind == .logins ? .registrations : .logins
        replies.append(
            try await Flow(client: client, kind: otherKind, handle: flow.handle, challenge: flow.challenge).prove(
                device))
        for handle in ["x", String(flow.handle.dropLast()), flow.handle + "A", Base64URL.encode([1, 2, 3])] {
            replies.append(
                try await Flow(client: client, kind: kind, handle: handle, challenge: flow.challenge).prove(device))
        }
        for reply in replies {
            #expect((400..<500).contains(reply.status) && reply.challenge == nil, "\(reply)")
            try expectProblem(reply, reply.code ?? "")
        }
        let asked = try await flow.prove(device)
        #expect(try await flow.complete(kind == .logins ? founder.person : person, asked).status == 200)
    }

    @Test func `are returned for an outdated policy version`() async throws {
        let client = try sharedWorld().client
        let company = "stale.example"
        let founder = try await client.found(company)
        let path = client.path(company, "/policy")
        let read = try await client.get(path, by: founder.session)
        let tag = try #require(read.headers["etag"])
        #expect(read["version"]?.number.map { "\"\($0)\"" } == tag)
        func patch(_ tag: String) async throws -> HTTPReply {
            let request = client.request("PATCH", path, ["approval": "admin"], by: founder.session)
            return try await client.send(request.with("If-Match", tag))
        }
        #expect(try await patch(tag).outcome == "signatureRequired")
        try await client.change(policy: ["keyAuthorization": "securityAdmin"], of: company, by: founder)
        try expectProblem(try await patch(tag), "request.stale")
        #expect(try await client.get(path, by: founder.session).headers["etag"] != tag)
    }
}
