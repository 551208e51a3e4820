import Canonical
import Credentials
import Foundation
import FoundationEssentials
import Postgres
import Testing

/// What an app can try that has secrets of its own, and people who type.
@Suite(.onServer, .sharedWorld)
struct `A hostile app` {
    @Test func `that enters other people's data gets no further than their secrets permit`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let victim = try await client.found(
            "victim-app.example", by: Person.withQuestions("v", at: "victim-app.example"))
        let hostile = client.by(try await world.makeApp(name: "hostile"))
        let own = try await hostile.found("hostile-app.example")
        let device = Device()
        // Somebody's address: that person's own challenge, and never new credentials in their place.
        var claimed = Person.withQuestions("claimed", at: "hostile-app.example", email: victim.person.email)
        let registration = try await Flow.register(claimed, device, hostile)
        let asked = try await registration.prove(device)
        expectOutcome(asked, "validateAnswers")
        try expectProblem(try await registration.step("credentials", claimed.credentials), "flow.wrong_step")
        try expectProblem(
            try await registration.step("answers", claimed.answers(to: asked["questions"]?.items ?? [])),
            "answers.incorrect")
        // Somebody's right answers, overheard: an employee of the app's own company, and nothing in the victim's.
        claimed.questions = victim.person.questions
        let joined = try await hostile.register(claimed, device)
        expectOutcome(joined, "authorizationPending")
        expectOutcome(try await hostile.authorize(device, of: claimed), "done")
        let member = try Member(claimed, device, try await hostile.logIn(claimed, device))
        for caller in [member.session, own.session] {
            try expectProblem(
                try await hostile.get(hostile.path("victim-app.example"), by: caller), "company.unknown")
        }
        // And at the company of the victim, where the app is not linked: right answers are answered like wrong ones, and
        // a stand-in may ask for a passphrase that the victim does not have.
        var guessing = victim.person
        guessing.passphrase = "no passphrase of anybody"
        let refused = try await hostile.logIn(guessing, device)
        #expect(["answers.incorrect", "passphrase.incorrect"].contains(refused.code ?? ""), "\(refused)")
        #expect(
            try await client.events("victim-app.example", "type=EmployeeKeyPresented", by: victim.session).count == 1)
    }

    @Test func `cannot relay another tenant's challenge for either signature`() async throws {
        let client = try sharedWorld().client
        let (here, there) = ("relay-here.example", "relay-there.example")
        let person = Person("r", at: here)
        let member = try await client.foundBlind(here, by: person)
        let other = person.also("r", at: there)
        expectOutcome(try await client.registerBlind(other, member.device), "success")
        // The device's signature over the other tenant's challenge.
        let flow = try await Flow.logIn(person, member.device, client)
        let foreign = try await Flow.logIn(other, member.device, client)
        try expectProblem(
            try await flow.step("key", ["keyProof": .string(try member.device.sign(base64: foreign.challenge))]),
            "employee.key_invalid")
        // The user key's: of the same person, over the challenge of a login elsewhere that is on its way.
        let mine = try await BlindFlow.start(.logins, person, member.device, client)
        let elsewhere = try await BlindFlow.start(.logins, other, member.device, client)
        let phrase = try #require(person.passphrase)
        let userKey = try #require(try await mine.open(try mine.opening(passphrase: phrase)))
        try expectProblem(
            try await mine.flow.step("proof", try elsewhere.proof(by: userKey)), "passphrase.incorrect", goesOn: true)
        #expect(try await client.events(here, "type=PassphraseValidated", by: member.session).isEmpty)
    }

    @Test func `that uses another app's flow gets the answer for an unknown handle`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let victim = try await client.found("handles.example")
        let hostile = client.by(try await world.makeApp(name: "handles"))
        try await world.linkApp(hostile.app, to: "handles.example")
        let flow = try await Flow.logIn(victim.person, victim.device, client)
        let proof = try flow.proof(victim.device)
        let never = Base64URL.encode([UInt8](repeating: 9, count: 48))
        for step in ["key", "answers", "passphrase", "evaluations", "proof"] {
            let body: JSONValue =
                switch step {
                case "key": proof
                case "answers":
                    ["answers": .array((1...3).map { ["questionId": .string("AAA\($0)"), "answer": "x"] })]
                case "passphrase": ["passphrase": .string(victim.person.passphrase ?? "")]
                case "evaluations": ["elements": .array([["slot": 255, "element": "AgAA"]])]
                default: ["userSignature": "AQID"]
                }
            let stolen = try await hostile.post("/v1/logins/\(flow.handle)/\(step)", body)
            let absent = try await hostile.post("/v1/logins/\(never)/\(step)", body)
            #expect(stolen.status == absent.status && stolen.code == absent.code, "\(step): \(stolen) \(absent)")
            #expect(stolen.status >= 400, "\(step)")
        }
        // The owner's flow goes on as if nothing had been tried.
        expectOutcome(try await flow.complete(victim.person, try await flow.prove(victim.device)), "success")
    }

    @Test func `without a link or the role can decide nothing`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "not-theirs.example"
        let founder = try await client.found(company)
        let person = Person("waiting", at: company)
        let device = Device()
        expectOutcome(try await client.register(person, device), "authorizationPending")
        let hostile = client.by(try await world.makeApp(name: "not linked"))
        try expectProblem(try await hostile.authorize(device, of: person), "company.unknown")
        try expectProblem(try await hostile.get(hostile.path(company, "/authorizations")), "company.unknown")
        for roles in [["ACCESS"], ["CREATION"], ["ACCESS", "CREATION"]] {
            let weak = client.with(secret: try await world.issueSecret(for: world.app, roles: roles))
            try expectProblem(try await weak.authorize(device, of: person), "app.role_missing")
        }
        let vouching = client.with(secret: try await world.issueSecret(for: world.app, roles: ["AUTHORIZATION"]))
        try expectProblem(try await vouching.post("/v1/logins", founder.person.login(device)), "app.role_missing")
        try expectProblem(
            try await vouching.post("/v1/registrations", Person("n", at: company).registration(device)),
            "app.role_missing")
        // What a person decides no app decides, and a personnel system needs a role of its own.
        for (method, path, body) in [
            ("POST", client.path(person, "/role"), ["role": "admin"] as JSONValue?),
            ("POST", client.path(person, "/cancellation"), nil),
            ("PATCH", client.path(company, "/policy"), ["approval": "admin"]),
            ("PUT", client.path(company, "/apps/\(hostile.app.appId)"), nil),
            ("POST", client.path(company, "/reclaimed-emails"), ["email": .string(person.email), "reason": "r"]),
        ] {
            let reply = try await client.send(client.request(method, path, body))
            let needsRole = path.hasSuffix("/cancellation") || path.hasSuffix("/reclaimed-emails")
            try expectProblem(reply, needsRole ? "app.role_missing" : "session.invalid")
        }
    }

    @Test func `cannot set up credentials with another user's key`() async throws {
        let client = try sharedWorld().client
        let company = "other-key.example"
        let person = Person("f", at: company)
        let victim = try await client.foundBlind("other-key-victim.example")
        let flow = try await BlindFlow.start(.registrations, person, Device(), client)
        let good = try await flow.newCredentials(person)
        // The victim's user key, opened in a login of theirs, signs this set-up's challenge.
        let login = try await BlindFlow.start(.logins, victim.person, victim.device, client)
        let phrase = try #require(victim.person.passphrase)
        let userKey = try #require(try await login.open(try login.opening(passphrase: phrase)))
        let signature = try #require(try flow.proof(by: userKey)["userSignature"])
        try expectProblem(
            try await flow.flow.step("proof", .object(good.members.merging(["userSignature": signature]) { $1 })),
            "request.invalid")
        expectOutcome(try await flow.flow.step("proof", good), "success")
    }
}

/// A secret that is right opens a session for an employee of the user whose secret it is, and for no other.
@Suite(.onServer)
struct `An employee who belongs to another user` {
    /// Has the event that registered one employee name the user of another.
    private func swap(_ victim: String, to other: String, in world: TenureWorld) async throws {
        let changed = try await world.rewrite(
            """
            UPDATE tenure.event SET entry = convert_to(replace(
                convert_from(entry, 'UTF8'), '"userId":"' || \(victim), '"userId":"' || \(other)), 'UTF8')
            WHERE type = 'EmployeeRegistered' AND position(\(victim) IN convert_from(entry, 'UTF8')) > 0
            """)
        #expect(changed == 1)
    }

    /// The ids of the users who registered, in that order.
    private func users(_ world: TenureWorld) async throws -> [String] {
        try await world.superuser { connection in
            try await connection.query(
                """
                SELECT convert_from(entry, 'UTF8')::jsonb #>> '{data,userId}' FROM tenure.event
                WHERE type = 'EmployeeRegistered' ORDER BY position
                """
            ).map { try $0.decode(String.self) }
        }
    }

    @Test(.onOneServer, arguments: [false, true])
    func `gets no session, even with a right secret`(isBlind: Bool) async throws {
        try await inTurn { world in
            let client = try world.client, company = "foreign-employee.example"
            _ = try await client.found(company)
            let member = try await client.join(Person("member", at: company))
            let opened = try await world.count("SessionOpened")
            let users = try await users(world)
            try #require(users.count == 2)
            let begun = try await BlindFlow.start(.logins, member.person, member.device, client)
            try await swap(users[1], to: users[0], in: world)
            if isBlind {
                try expectProblem(try #require(try await begun.complete(member.person)), "request.stale")
            } else {
                let phrase = try #require(member.person.passphrase)
                try expectProblem(
                    try await begun.flow.step("passphrase", ["passphrase": .string(phrase)]), "request.stale")
            }
            #expect(try await world.count("SessionOpened") == opened)
        }
    }
}
