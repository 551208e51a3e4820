import Canonical
import Foundation
import Identity
import IdentityService
import Postgres
import TenureAPI
import TestSupport
import Testing

/// What a name tells whose owner registered with a passkey in place of questions.
@Suite(.onServer)
struct `A person without a secret` {
    private static let company = "secretless.example"

    /// A company whose founder has a secret, and an employee who has none.
    private func inCompany(
        mailbox: Mailbox? = nil,
        _ body: (TenureWorld, _ founder: Member, _ person: Person, SoftwareAuthenticator) async throws -> Void
    ) async throws {
        var options = WorldOptions()
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        options.settings.budgets.unknownLimit = 4
        mailbox?.serve(&options)
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
            _ = try await entered(passkey, client)
        }
    }

    /// A browser that is logged in by a passkey.
    private func entered(_ passkey: SoftwareAuthenticator, _ client: Client) async throws -> PageClient {
        let browser = PageClient(client)
        let challenge = try await browser.submit(Form(action: "/passkey/challenge", fields: []))
        let done = try await browser.submit(
            try await browser.open("/login").form("/passkey/login"),
            [
                "credential": Base64URL.encode(passkey.id), "user": Base64URL.encode(passkey.handle),
                "challenge": challenge.html,
                "proof": try passkey.evidence(over: try bytes(base64url: challenge.html), OddSaying()),
            ])
        try #require(done.status == 303 && done.location == "/account", "\(done) \(done.text)")
        return browser
    }

    /// The path of the newest link that confirms somebody's address.
    private func link(to person: Person, _ mailbox: Mailbox, _ world: TenureWorld) async throws -> String {
        try await world.until { try await world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
        let form = /https:\/\/id\.example(\/verify-email\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/
        let links = mailbox.copies.reversed().lazy.filter { $0.mail.recipient == person.email }.compactMap { copy in
            copy.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
                .firstMatch(of: form).map { String($0.1) }
        }
        return try #require(links.first, "a mail with a link")
    }

    @Test func `has the address once it is confirmed, whoever registered with it meanwhile`() async throws {
        let mailbox = Mailbox()
        try await inCompany(mailbox: mailbox) { world, _, person, passkey in
            let client = try world.client, evil = "evil-secretless.example"
            let squatter = try await client.found(evil, by: Person("mallory", at: evil, email: person.email))
            let browser = try await entered(passkey, client)
            let asked = try await browser.submit(try await browser.open("/account").form("/account/address"))
            #expect(asked.status == 303, "\(asked)")
            let link = try await link(to: person, mailbox, world)
            // Whoever presses elsewhere, as a mail scanner may, takes the address from nobody.
            let elsewhere = try await world.press(link), text = Page(reply: elsewhere).text
            #expect(elsewhere.status == 403 && text.contains("log in to it in this browser"), "\(text)")
            #expect(try await world.count("EmailVerified") == 0)

            let first = try await browser.get(link, [("Sec-Fetch-Site", "cross-site")])
            #expect(first.text.contains(Self.company) && first.text.contains(person.id), "\(first.text)")
            let page = try await browser.press("token=", in: first)
            let done = try await browser.submit(try await browser.armed(try page.form(link)))
            #expect(done.status == 200, "\(done) \(done.text)")
            #expect(try await world.count("EmailGaveWay") == 1)
            #expect(try await world.count("EmailVerified") == 1)
            let me = try await client.get("/v1/me", by: squatter.session)
            #expect(me["notices"]?.items.contains { $0["type"]?.text == "email.gave_way" } == true, "\(me)")

            // A mail that the stranger asks for now goes nowhere, and nobody else registers with the address.
            try expectProblem(
                try await client.post("/v1/me/email-verification", by: squatter.session), "email.missing")
            let also = person.also("other", at: Self.company)
            let other = try await PageClient(client).register("/register/join", also, Device())
            #expect(other.title == "Enter your passphrase", "\(other)")
            let verified = try await world.tenure(["verify"])
            #expect(verified.status == 0, "\(verified)")
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
