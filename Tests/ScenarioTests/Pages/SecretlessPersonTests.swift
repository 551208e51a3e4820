import Canonical
import Foundation
import Identity
import IdentityService
import TenureAPI
import TestSupport
import Testing

/// What a name tells whose owner registered with a passkey in place of questions.
@Suite(.onServer)
struct `A person without a secret` {
    private static let company = "secretless.example"

    /// A company whose founder has a secret, and an employee who has none.
    private func inCompany(
        _ body: (TenureWorld, _ founder: Member, _ person: Person, SoftwareAuthenticator) async throws -> Void
    ) async throws {
        var options = WorldOptions()
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        options.settings.budgets.unknownLimit = 4
        try await inTurn(options) { world in
            let client = try world.client, founder = try await client.found(Self.company)
            try await world.linkPages(to: Self.company)
            try await world.instance.commands.setOrigins(
                try PasskeyRules(rpID: "localhost", origins: [PasskeyScene.origin]))
            try await client.change(policy: ["logIn": "passkeyOrSecret"], of: Self.company, by: founder)
            let person = Person("decoy-000", at: Self.company)
            let passkey = try await register(person, client)
            let path = client.path(person, "/keys/\(passkey.fingerprint)/authorization")
            expectOutcome(try await client.post(path), "done")
            try await body(world, founder, person, passkey)
        }
    }

    /// Registers somebody with a passkey, as the modules of the pages do.
    private func register(_ person: Person, _ client: Client) async throws -> SoftwareAuthenticator {
        let browser = PageClient(client)
        let page = try await browser.register("/register/join", person, Device())
        var passkey = PasskeyScene.authenticator()
        passkey.handle = try bytes(base64url: page.attribute("data-handle"))
        let path = try #require(page.attribute("data-path"), "\(page)")
        let reply = try await browser.submit(Form(action: path, fields: [("key", Base64URL.encode(passkey.publicKey))]))
        var fields = passkey.creation(OddSaying())
        fields["proof"] = try passkey.evidence(over: try bytes(base64url: reply.html), OddSaying())
        let done = try await browser.submit(try page.form("/flow/passkey"), fields)
        try #require(done.status == 303, "\(done) \(done.text)")
        return passkey
    }

    /// What a caller sees of a log-in with a name, up to a wrong passphrase: statuses, members, sizes and the code.
    private func observe(_ person: Person, _ client: Client) async throws -> [String] {
        let device = Device(), started = try await client.post("/v1/logins", person.login(device))
        let flow = try await Flow.logIn(person, device, client), asked = try await flow.prove(device)
        var seen = [started, asked].map { "\($0.status) \($0.outcome ?? "")" }
        seen += try started.json.members.keys.sorted() + asked.json.members.keys.sorted()
        seen.append("\(Base64.decode(flow.challenge)?.count ?? 0)")
        guard asked.status == 200 else { return seen + [asked.code ?? ""] }
        let wrong = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
        return seen + ["\(wrong.status) \(wrong.code ?? "")"] + (try wrong.json.members.keys.sorted())
    }

    /// An id that nobody has and whose decoy asks for a passphrase alone.
    private func stranger(_ client: Client) async throws -> Person {
        for number in 100..<500 {
            let person = Person("decoy-\(number)", at: Self.company), device = Device()
            let asked = try await Flow.logIn(person, device, client).prove(device)
            if asked.outcome == "validatePassphrase", asked["questions"] == nil { return person }
        }
        throw Flow.Unexpected(description: "no decoy asks for a passphrase")
    }

    @Test func `is answered like somebody who does not exist, and locked after as many attempts`() async throws {
        try await inCompany { world, _, person, passkey in
            let client = try world.client, stranger = try await stranger(client)
            var seen: [[[String]]] = []
            for each in [person, stranger] {
                var attempts: [[String]] = []
                for _ in 0..<6 { attempts.append(try await observe(each, client)) }
                seen.append(attempts)
            }
            #expect(seen[0] == seen[1])
            #expect(seen[0].last?.contains { $0.contains("credentials.locked") } == true, "\(seen[0])")
            #expect(seen[0].first?.contains { $0.contains("credentials.locked") } == false, "\(seen[0])")
            // Strangers who spend the attempts of the name keep nobody from their passkey.
            let browser = PageClient(client)
            let challenge = try await browser.submit(Form(action: "/passkey/challenge", fields: []))
            let done = try await browser.submit(
                try await browser.open("/login").form("/passkey/login"),
                [
                    "credential": Base64URL.encode(passkey.id), "user": Base64URL.encode(passkey.handle),
                    "challenge": challenge.html,
                    "proof": try passkey.evidence(over: try bytes(base64url: challenge.html), OddSaying()),
                ])
            #expect(done.status == 303 && done.location == "/account", "\(done) \(done.text)")
        }
    }

    @Test func `keeps the company from asking for secrets, by name, until the account ends`() async throws {
        try await inCompany { world, founder, person, _ in
            let client = try world.client, path = client.path(Self.company, "/policy")
            let secret: [String: JSONValue] = ["logIn": "secret"]
            let refused = try await client.signed(by: founder, "PATCH", path, secret)
            try expectProblem(refused, "policy.secretless_people")
            let details = refused["errors"]?.items.compactMap { $0["detail"]?.text } ?? []
            #expect(details == ["\(person.id) has no secret"], "\(refused)")
            // Other members change meanwhile, and a member that says the same as before is no change.
            try await client.change(policy: ["clonedKey": "stop"], of: Self.company, by: founder)
            #expect(try await client.get(path, by: founder.session)["logIn"]?.text == "passkeyOrSecret")

            let ended = try await client.signed(by: founder, "POST", client.path(person, "/cancellation"))
            try #require(ended.status == 200, "\(ended)")
            try await client.change(policy: secret, of: Self.company, by: founder)
        }
    }
}
