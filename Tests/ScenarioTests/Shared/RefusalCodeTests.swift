import Canonical
import Foundation
import IdentityService
import Testing

@Suite(.onServer, .sharedWorld)
struct `Codes of status 403` {
    @Test func `are returned for wrong answers and a wrong passphrase, and the flow continues`() async throws {
        let client = try sharedWorld().client
        let one = try await client.found("one.example", by: .withQuestions("f", at: "one.example"))
        let answers = try await Flow.logIn(one.person, one.device, client)
        let shown = try await answers.prove(one.device)["questions"]?.items ?? []
        let wrong = try await answers.step("answers", one.person.answers(to: shown) { _, _ in "wrong" })
        try expectProblem(wrong, "answers.incorrect", goesOn: true)
        let two = try await client.found("two.example")
        let phrase = try await Flow.logIn(two.person, two.device, client)
        _ = try await phrase.prove(two.device)
        try expectProblem(
            try await phrase.step("passphrase", ["passphrase": "wrong passphrase"]), "passphrase.incorrect",
            goesOn: true)
    }

    @Test(arguments: [
        ("ACCESS", "/v1/registrations"), ("AUTHORIZATION", "/v1/registrations"), ("CREATION", "/v1/logins"),
        ("AUTHORIZATION", "/v1/logins"),
    ])
    func `are returned to a secret without the role that a flow needs`(role: String, path: String) async throws {
        let world = try sharedWorld()
        let secret = try await world.issueSecret(for: world.app, roles: [role])
        let person = Person("e", at: "roles.example")
        let body = path == "/v1/logins" ? person.login(Device()) : person.registration(Device())
        let reply = try await world.client.with(secret: secret).post(path, body)
        try expectProblem(reply, "app.role_missing", goesOn: false)
    }

    @Test func `are returned to a secret without the role that a read or a decision needs`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        _ = try await client.found("role-reads.example")
        try await client.settle("role-reads.example")
        let creation = client.with(secret: try await world.issueSecret(for: world.app, roles: ["CREATION"]))
        let access = client.with(secret: try await world.issueSecret(for: world.app, roles: ["ACCESS"]))
        let vouching = client.with(secret: try await world.issueSecret(for: world.app, roles: ["AUTHORIZATION"]))
        let company = "role-reads.example"
        for rest in ["", "/employees", "/employees/founder", "/security-admin"] {
            try expectProblem(try await creation.get(client.path(company, rest)), "app.role_missing")
            #expect(try await access.get(client.path(company, rest)).status == 200)
        }
        for rest in ["/authorizations", "/events"] {
            try expectProblem(try await access.get(client.path(company, rest)), "app.role_missing")
            try expectProblem(try await creation.get(client.path(company, rest)), "app.role_missing")
            #expect(try await vouching.get(client.path(company, rest)).status == 200)
        }
        let device = Device(), second = Person("second", at: company)
        _ = try await client.register(second, device)
        try expectProblem(try await access.authorize(device, of: second), "app.role_missing")
        expectOutcome(try await vouching.authorize(device, of: second), "done")
    }

    @Test func `are returned after a valid proof to a cancelled or unapproved employee`() async throws {
        let client = try sharedWorld().client
        let company = "status.example"
        let founder = try await client.found(company)
        let leaver = try await client.join(Person("leaver", at: company))
        expectOutcome(try await client.signed(by: founder, "POST", client.path(leaver.person, "/cancellation")), "done")
        try expectProblem(try await client.logIn(leaver.person, leaver.device), "employee.inactive")
        let flow = try await Flow.logIn(leaver.person, leaver.device, client)
        _ = try await flow.prove(leaver.device)
        let wrong = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
        try expectProblem(wrong, "passphrase.incorrect", goesOn: true)

        try await client.change(policy: ["approval": "admin"], of: company, by: founder)
        let person = Person("newcomer", at: company)
        let device = Device()
        expectOutcome(try await client.register(person, device), "authorizationPending")
        _ = try await client.authorize(device, of: person)
        try expectProblem(try await client.logIn(person, device), "employee.not_approved")
    }

    @Test func `are returned to direct calls if the tenant requires blind mode`() async throws {
        let client = try sharedWorld().client
        let company = "blind.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["blindOnly": true], of: company, by: founder)
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        try expectProblem(try await flow.complete(founder.person, asked), "policy.blind_only")
        let newcomer = Person("newcomer", at: company)
        let device = Device()
        let registration = try await Flow.register(newcomer, device, client)
        let setUp = try await registration.prove(device)
        #expect(setUp["rules"]?["blindOnly"]?.flag == true)
        try expectProblem(try await registration.complete(newcomer, setUp), "policy.blind_only")
    }

    @Test func `are returned to employees who are not admins`() async throws {
        let client = try sharedWorld().client
        let company = "ordinary.example"
        let founder = try await client.found(company)
        let ordinary = try await client.join(Person("ordinary", at: company))
        let device = Device()
        let third = Person("third", at: company)
        _ = try await client.register(third, device)
        for rest in ["", "/employees", "/authorizations", "/events", "/policy"] {
            let reply = try await client.get(client.path(company, rest), by: ordinary.session)
            try expectProblem(reply, "authorization.not_permitted")
        }
        for rest in ["/approval", "/cancellation", "/reinstatement"] {
            let reply = try await client.post(client.path(founder.person, rest), by: ordinary.session)
            try expectProblem(reply, "authorization.not_permitted")
        }
        let authorization = try await client.authorize(device, of: third, by: ordinary.session)
        try expectProblem(authorization, "authorization.not_permitted")
        let policy = try await client.send(
            client.request("PATCH", client.path(company, "/policy"), ["approval": "admin"], by: ordinary.session))
        try expectProblem(policy, "authorization.not_permitted")
    }
}

@Suite(.onServer, .sharedWorld)
struct `Codes of status 401` {
    @Test func `are returned to an unknown app or a wrong secret`() async throws {
        let client = try sharedWorld().client
        let start = Person("e", at: "callers.example").login(Device())
        let unknown = TestApp(appId: UUID().uuidString.lowercased(), secret: client.app.secret, salt: "")
        try expectProblem(try await client.by(unknown).post("/v1/logins", start), "app.unknown")
        try expectProblem(try await client.post("/v1/logins", start, by: .nobody), "app.unknown")
        for garbled in ["Basic", "Basic !", "Basic " + Base64.encode(Array("no colon".utf8)), "Digest x=y", ""] {
            try expectProblem(try await client.post("/v1/logins", start, by: .raw(garbled)), "app.unknown")
        }
        for secret in [client.app.secret + "x", String(client.app.secret.dropLast()), "x", client.app.salt] {
            try expectProblem(
                try await client.with(secret: secret).post("/v1/logins", start), "app.secret_invalid")
        }
    }

    @Test func `are returned to an employee with an invalid token`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("tokens.example")
        var flipped = Array(founder.accessToken)
        flipped[flipped.count / 2] = flipped[flipped.count / 2] == "A" ? "B" : "A"
        for token in ["x", String(flipped), founder.refreshToken, String(repeating: "A", count: 86)] {
            try expectProblem(try await client.get("/v1/sessions", by: .session(token)), "session.invalid")
        }
        try expectProblem(try await client.get("/v1/sessions", by: .nobody), "session.invalid")
        try expectProblem(try await client.get("/v1/sessions"), "session.invalid")
    }
}

@Suite(.onServer)
struct `A session that has expired` {
    @Test func `is reported as expired and can be refreshed`() async throws {
        let clock = TestClock()
        var options = WorldOptions()
        // Shorter than the session, which lasts an hour.
        options.settings.accessLifetime = .seconds(600)
        options.settings.now = { clock.now }
        try await inTurn(options) { world in
            let client = try world.client
            let founder = try await client.found("expired.example")
            clock.pass(.seconds(600))
            try expectProblem(try await client.get("/v1/sessions", by: founder.session), "session.expired")
            let refreshed = try await client.post(
                "/v1/sessions/refresh", ["refreshToken": .string(founder.refreshToken)], by: .nobody)
            try #require(refreshed.status == 200, "\(refreshed)")
            let token = try #require(refreshed["accessToken"]?.text)
            #expect(try await client.get("/v1/sessions", by: .session(token)).status == 200)
        }
    }
}
