import Canonical
import Foundation
import Identity
import IdentityService
import Ledger
import Postgres
import TenureAPI
import TestSupport
import Testing

/// Passkeys on the pages: added on the account page, and used to log in.
@Suite(
    .onServer,
    .sharedWorld {
        $0.servesPages = true
        $0.settings.tokenIssuer = "http://localhost:8080"
    })
struct `A passkey in a browser` {
    private static let origin = "http://localhost:8080"
    private static let paths = (add: "/account/passkeys", logIn: "/passkey/login", challenge: "/passkey/challenge")
    private static let addChallenge = "/account/passkeys/challenge"

    /// A company that permits passkeys alone, with an employee who is logged in in a browser.
    private func scene(
        _ company: String, logIn: String = "passkeyOrSecret"
    ) async throws -> (client: Client, member: Member, browser: PageClient) {
        let scene = try await founded(company, logIn: logIn)
        return (scene.client, scene.member, scene.browser)
    }

    private func founded(
        _ company: String, logIn: String = "passkeyOrSecret"
    ) async throws -> (client: Client, founder: Member, member: Member, browser: PageClient) {
        let world = try sharedWorld(), client = try world.client
        let founder = try await client.found(company)
        try await world.linkPages(to: company)
        try await world.instance.commands.setOrigins(
            try PasskeyRules(rpID: "localhost", origins: [Self.origin]))
        if logIn != "secret" {
            try await client.change(policy: ["logIn": .string(logIn)], of: company, by: founder)
        }
        let member = try await client.join(Person("second", at: company)), browser = PageClient(client)
        let done = try await browser.logIn(member.person, member.device)
        try #require(done.location == "/account", "\(done)")
        return (client, founder, member, browser)
    }

    private func authenticator(rpID: String = "localhost", origin: String = origin) -> SoftwareAuthenticator {
        SoftwareAuthenticator(rpID: rpID, origin: origin)
    }

    /// A challenge of the service for the browser.
    private func challenge(_ browser: PageClient, at path: String = paths.challenge) async throws -> [UInt8] {
        let reply = try await browser.submit(Form(action: path, fields: []))
        try #require(reply.status == 200, "\(reply)")
        return try #require(Base64URL.decode(reply.html))
    }

    /// Sends a new passkey, as the module does: the answer to the form comes back.
    ///
    /// - Parameter challenge: What the passkey signs; by default a challenge of the page.
    private func present(
        _ passkey: SoftwareAuthenticator, _ browser: PageClient, signing challenge: [UInt8]? = nil
    ) async throws -> Page {
        let page = try await browser.press(Self.paths.add, in: try await browser.open("/account/devices"))
        var bytes = challenge ?? []
        if challenge == nil { bytes = try await self.challenge(browser, at: Self.addChallenge) }
        var fields = passkey.creation()
        fields["challenge"] = Base64URL.encode(bytes)
        fields["proof"] = try passkey.evidence(over: bytes)
        return try await browser.submit(try await browser.armed(try page.form(Self.paths.add)), fields)
    }

    /// Adds a passkey, and has the device key sign for it.
    private func add(
        _ made: SoftwareAuthenticator, _ member: Member, _ browser: PageClient
    ) async throws -> SoftwareAuthenticator {
        var passkey = made
        let page = try await browser.press(Self.paths.add, in: try await browser.open("/account/devices"))
        passkey.handle = try #require(page.attribute("data-handle").flatMap { Base64URL.decode($0) })
        let answer = try await present(passkey, browser)
        try #require(answer.status == 200, "\(answer) \(answer.text)")
        guard case .object(let members) = try StrictJSON.parse(answer.reply.body) else {
            throw Flow.Unexpected(description: answer.html)
        }
        var fields = members.map { (name: $0.key, value: $0.value.text ?? "") }
        let statement = try #require(members["statement"]?.text.flatMap { Base64URL.decode($0) })
        let signature = try bytes(base64: try member.device.sign(statement, .raw))
        fields += [("action", "authorize"), ("signature", Base64URL.encode(signature))]
        let done = try await browser.submit(Form(action: "/account/decision", fields: fields))
        try #require(done.status == 303 && done.location?.hasPrefix("/account/devices?done=") == true, "\(done)")
        return passkey
    }

    /// The form of the log-in, as the module fills it in.
    private func form(
        _ passkey: SoftwareAuthenticator, over bytes: [UInt8], _ browser: PageClient, type: String = "webauthn.get"
    ) async throws -> Form {
        let form = try await browser.open("/login").form(Self.paths.logIn)
        let values = [
            "credential": Base64URL.encode(passkey.id), "user": Base64URL.encode(passkey.handle),
            "challenge": Base64URL.encode(bytes), "proof": try passkey.evidence(over: bytes, type: type),
        ]
        return Form(
            action: form.action,
            fields: form.fields.filter { values[$0.name] == nil } + values.map { (name: $0.key, value: $0.value) },
            policy: form.policy)
    }

    private func logIn(_ passkey: SoftwareAuthenticator, _ browser: PageClient) async throws -> Page {
        try await browser.submit(try await form(passkey, over: try await challenge(browser), browser))
    }

    /// The page on which the passkey signs for its account, in a log-in that asks for the secret too.
    private func beginWithSecret(_ passkey: SoftwareAuthenticator, _ browser: PageClient) async throws -> Page {
        let form = try await form(passkey, over: try await challenge(browser), browser)
        let fields = form.fields.filter { $0.name != "with" } + [(name: "with", value: "secret")]
        return try await browser.follow(
            try await browser.submit(Form(action: form.action, fields: fields, policy: form.policy)))
    }

    /// Proves the passkey over the challenge of a flow: the page that asks for the secret comes back.
    private func prove(
        _ passkey: SoftwareAuthenticator, _ page: Page, _ browser: PageClient
    ) async throws -> Page {
        let bytes = try #require(page.attribute("data-challenge").flatMap { Base64URL.decode($0) }, "\(page)")
        return try await browser.follow(
            try await browser.submit(
                try page.form("/flow/key"), ["proof": try passkey.evidence(over: bytes)]))
    }

    @Test func `is added, listed with its kind, and logs in alone from another browser`() async throws {
        let (client, member, browser) = try await scene("passkey-add.example")
        let passkey = try await add(authenticator(), member, browser)
        let list = try await browser.open("/account/devices")
        #expect(list.text.contains("Passkey, bound to one device"), "\(list.text)")
        let elsewhere = PageClient(client), done = try await logIn(passkey, elsewhere)
        #expect(done.status == 303 && done.location == "/account", "\(done) \(done.text)")
        #expect(try await elsewhere.open("/account").text.contains("You are logged in as second"))
    }

    @Test func `that is synced says so`() async throws {
        let (_, member, browser) = try await scene("passkey-synced.example")
        var made = authenticator()
        made.flags |= SoftwareAuthenticator.Flags.backupEligible
        _ = try await add(made, member, browser)
        #expect(try await browser.open("/account/devices").text.contains("Passkey, synced."))
    }

    @Test func `has one answer for whatever is wrong with its proof`() async throws {
        let (client, member, browser) = try await scene("passkey-wrong.example")
        let passkey = try await add(authenticator(), member, browser)
        let elsewhere = PageClient(client)
        var unknown = authenticator(), otherAccount = passkey, unverified = passkey, eligible = passkey
        unknown.handle = passkey.handle
        otherAccount.handle[0] ^= 1
        unverified.flags = SoftwareAuthenticator.Flags.present
        eligible.flags |= SoftwareAuthenticator.Flags.backupEligible
        var texts: Set<String> = []
        for wrong in [unknown, otherAccount, unverified, eligible] {
            let page = try await logIn(wrong, elsewhere)
            #expect(page.status == 400 && page.attribute("data-ended") == nil, "\(page)")
            texts.insert(page.text)
        }
        let bytes = try await challenge(elsewhere)
        let created = try await elsewhere.submit(
            try await form(passkey, over: bytes, elsewhere, type: "webauthn.create"))
        // A challenge of another browser, and bytes that the service did not make.
        let foreign = try await elsewhere.submit(
            try await form(passkey, over: try await challenge(browser), elsewhere))
        let invented = try await elsewhere.submit(
            try await form(passkey, over: Array("tenure/v2/challenge\n{}".utf8), elsewhere))
        // One that adds a passkey to the account of this browser.
        let own = try await challenge(browser, at: Self.addChallenge)
        browser.set(cookie: "tenure", nil)
        let adding = try await browser.submit(try await form(passkey, over: own, browser))
        for page in [created, foreign, invented, adding] {
            #expect(page.status == 400, "\(page)")
            texts.insert(page.text)
        }
        #expect(texts.count == 1 && texts.first?.contains("This passkey cannot log in here") == true, "\(texts)")
        #expect(elsewhere.cookies["tenure"] == nil)
    }

    @Test func `answers a challenge once, however often it is sent at once`() async throws {
        let (client, member, browser) = try await scene("passkey-once.example")
        let passkey = try await add(authenticator(), member, browser)
        let elsewhere = PageClient(client), bytes = try await challenge(elsewhere)
        // Each page is another form, so that none repeats the reply of another one.
        var forms: [Form] = []
        for _ in 0..<40 { forms.append(try await form(passkey, over: bytes, elsewhere)) }
        let pages = try await concurrently(forms.count) { [forms] in try await elsewhere.submit(forms[$0]) }
        #expect(pages.count { $0.status == 303 } == 1, "\(pages.map(\.status))")
        #expect(pages.allSatisfy { $0.status == 303 || $0.text.contains("did not work") })
    }

    @Test func `is not enough where the company asks for a secret`() async throws {
        let (client, member, browser) = try await scene("passkey-secret.example", logIn: "secret")
        let passkey = try await add(authenticator(), member, browser)
        let page = try await logIn(passkey, PageClient(client))
        #expect(page.status == 403 && page.text.contains("asks for the secret too"), "\(page)")
    }

    @Test func `of one account cannot be added to another one, and each account has a handle of its own`() async throws
    {
        let (client, member, browser) = try await scene("passkey-first.example")
        let passkey = try await add(authenticator(), member, browser)
        let (_, other, second) = try await scene("passkey-second.example")
        let refused = try await present(passkey, second)
        #expect(refused.status == 400, "\(refused)")
        let own = try await add(authenticator(), other, second)
        #expect(own.handle != passkey.handle)
        for each in [passkey, own] {
            let done = try await logIn(each, PageClient(client))
            #expect(done.location == "/account", "\(done)")
        }
    }

    @Test func `is added by an answer to the account's own challenge alone`() async throws {
        let (_, _, browser) = try await scene("passkey-own.example")
        let refused = try await present(authenticator(), browser, signing: try await challenge(browser))
        #expect(refused.status == 400, "\(refused)")
        let stranger = try await PageClient(sharedWorld().client).submit(Form(action: Self.addChallenge, fields: []))
        #expect(stranger.status == 403, "\(stranger)")
    }

    @Test(arguments: [
        ("badlocalhost", origin), ("localhost", "http://localhost:8081"), ("localhost", "https://localhost"),
    ])
    func `of another site is not added`(rpID: String, origin: String) async throws {
        let (_, _, browser) = try await scene("passkey-site-\(UUID().uuidString.prefix(8).lowercased()).example")
        let refused = try await present(authenticator(rpID: rpID, origin: origin), browser)
        #expect(refused.status == 400, "\(refused)")
    }

    /// What verification finds in the ledger of a company.
    private func violations(_ company: String) async throws -> [String] {
        let world = try sharedWorld(), ledger = try await world.ledger(company)
        let request = VerifyRequest(key: try await world.logKey(), ledger: ledger)
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        // In this world no recovery waits.
        return report.violations.map(\.detail).filter { !$0.contains("before the waiting time is over") }
    }

    @Test(arguments: [false, true])
    func `bound to one device cancels a recovery that others opened, and a synced one shows it`(
        isSynced: Bool
    ) async throws {
        let company = "passkey-recovery-\(isSynced).example"
        let (client, founder, member, browser) = try await founded(company)
        var made = authenticator()
        if isSynced { made.flags |= SoftwareAuthenticator.Flags.backupEligible }
        let passkey = try await add(made, member, browser), thief = Device()
        _ = try await client.askToRecover(member.person, thief)
        expectOutcome(try await client.decide("opening", member.person, thief, by: founder), "done")
        let elsewhere = PageClient(client)
        #expect(try await logIn(passkey, elsewhere).location == "/account")
        let cancelled = try await client.events(company, "type=RecoveryCancelled", by: founder.session)
        #expect(cancelled.count == (isSynced ? 0 : 1))
        #expect(try await elsewhere.open("/account").html.contains("href=\"/account/recovery") == isSynced)
        let found = try await violations(company)
        #expect(found == [], "\(found)")
    }

    @Test func `that others revoked cancels their recovery, and is told that it is unknown`() async throws {
        let company = "passkey-revoked.example"
        let (client, founder, member, browser) = try await founded(company)
        let passkey = try await add(authenticator(), member, browser), thief = Device()
        let path = client.path(member.person, "/keys/\(passkey.fingerprint)/revocation")
        expectOutcome(try await client.signed(by: founder, "POST", path, ["reason": "lost"]), "done")
        _ = try await client.askToRecover(member.person, thief)
        expectOutcome(try await client.decide("opening", member.person, thief, by: founder), "done")
        let page = try await logIn(passkey, PageClient(client))
        #expect(page.status == 403 && page.text.contains("This passkey cannot log in here"), "\(page)")
        // The picker forgets it, because the log holds its end.
        #expect(page.attribute("data-ended") == Base64URL.encode(passkey.id))
        #expect(try await client.events(company, "type=RecoveryCancelled", by: founder.session).count == 1)
        let found = try await violations(company)
        #expect(found == [], "\(found)")
    }

    @Test func `that waits for a decision says so`() async throws {
        let (client, _, browser) = try await scene("passkey-waits.example")
        var passkey = authenticator()
        let page = try await browser.press(Self.paths.add, in: try await browser.open("/account/devices"))
        passkey.handle = try #require(page.attribute("data-handle").flatMap { Base64URL.decode($0) })
        #expect(try await present(passkey, browser).status == 200)
        let waits = try await logIn(passkey, PageClient(client))
        #expect(waits.text.contains("has not been approved yet"), "\(waits)")
    }

    @Test func `of an admin carries the role alone only if it is bound`() async throws {
        let world = try sharedWorld(), client = try world.client, company = "passkey-role.example"
        let founder = try await client.found(company), browser = PageClient(client)
        try await world.linkPages(to: company)
        try await world.instance.commands.setOrigins(try PasskeyRules(rpID: "localhost", origins: [Self.origin]))
        try await client.change(policy: ["logIn": "passkeyOrSecret"], of: company, by: founder)
        try #require(try await browser.logIn(founder.person, founder.device).location == "/account")
        var synced = authenticator()
        synced.flags |= SoftwareAuthenticator.Flags.backupEligible
        for (made, isAdmin) in [(synced, false), (authenticator(), true)] {
            let elsewhere = PageClient(client), passkey = try await add(made, founder, browser)
            try #require(try await logIn(passkey, elsewhere).location == "/account")
            try await expectPages(of: elsewhere, areOfAdmin: isAdmin)
            // With the secret each carries the role.
            let proved = PageClient(client), key = try await beginWithSecret(passkey, proved)
            #expect(key.attribute("data-passkey") == Base64URL.encode(passkey.id), "\(key)")
            let done = try await proved.answer(try await prove(passkey, key, proved), founder.person)
            try #require(done.location == "/account", "\(done)")
            try await expectPages(of: proved, areOfAdmin: true)
        }
    }

    private func expectPages(of browser: PageClient, areOfAdmin isAdmin: Bool) async throws {
        let account = try await browser.open("/account")
        #expect(account.html.contains("/account/approvals") == isAdmin, "\(account.html)")
        for path in ["/account/approvals", "/account/recoveries", "/account/colleague", "/account/invite"] {
            let page = try await browser.open(path)
            #expect((page.status == 200) == isAdmin, "\(path) \(page)")
        }
    }

    @Test func `and the secret log in where the company asks for both`() async throws {
        let (client, member, browser) = try await scene("passkey-both.example", logIn: "secret")
        let passkey = try await add(authenticator(), member, browser), elsewhere = PageClient(client)
        // What the passkey did not sign, or another site asked for, proves nothing.
        var other = passkey
        other.flags = SoftwareAuthenticator.Flags.present
        let stranger = authenticator()
        for wrong in [
            { try other.evidence(over: $0) }, { try stranger.evidence(over: $0) },
            { Base64URL.encode(try bytes(base64: try member.device.sign($0, .raw))) },
        ] as [([UInt8]) throws -> String] {
            let key = try await beginWithSecret(passkey, elsewhere)
            let challenge = try #require(key.attribute("data-challenge").flatMap { Base64URL.decode($0) })
            let refused = try await elsewhere.submit(try key.form("/flow/key"), ["proof": try wrong(challenge)])
            #expect(refused.status >= 400, "\(refused)")
        }
        let begun = try await beginWithSecret(passkey, elsewhere)
        let done = try await elsewhere.answer(try await prove(passkey, begun, elsewhere), member.person)
        #expect(done.location == "/account", "\(done)")
    }

    @Test func `that waits for a decision waits on its own page after the secret`() async throws {
        let (client, member, browser) = try await scene("passkey-waits-secret.example", logIn: "secret")
        var passkey = authenticator()
        let page = try await browser.press(Self.paths.add, in: try await browser.open("/account/devices"))
        passkey.handle = try #require(page.attribute("data-handle").flatMap { Base64URL.decode($0) })
        try #require(try await present(passkey, browser).status == 200)
        let elsewhere = PageClient(client), begun = try await beginWithSecret(passkey, elsewhere)
        let waiting = try await elsewhere.follow(
            try await elsewhere.answer(try await prove(passkey, begun, elsewhere), member.person))
        #expect(waiting.html.contains(passkey.fingerprint), "\(waiting)")
        let device = try await client.post(
            client.path(member.person, "/keys/\(passkey.fingerprint)/authorization"), nil)
        try #require(device.status == 200, "\(device)")
        let opening = try await elsewhere.open(try #require(waiting.attribute("data-page")))
        let bytes = try #require(opening.attribute("data-wait").flatMap { Base64URL.decode($0) }, "\(opening)")
        #expect(opening.attribute("data-passkey") == Base64URL.encode(passkey.id))
        let form = try #require(
            try? opening.form("/waiting/continue"), "\(opening.html)")
        let done = try await elsewhere.submit(form, ["proof": try passkey.evidence(over: bytes)])
        #expect(done.location == "/account", "\(done)")
    }
}
