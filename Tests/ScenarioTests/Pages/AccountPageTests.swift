import Canonical
import Foundation
import IdentityService
import TenureAPI
import TestSupport
import Testing

/// The pages of one's own account, as a browser would use them: its key signs what needs a signature.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `The account in a browser` {
    /// A company that links the pages, with its founder, and an employee who is logged in in a browser.
    private func scene(
        _ company: String
    ) async throws -> (client: Client, founder: Member, member: Member, browser: PageClient) {
        let world = try sharedWorld(), client = try world.client
        let founder = try await client.found(company)
        try await world.linkPages(to: company)
        let member = try await client.join(Person("second", at: company))
        return (client, founder, member, try await browser(of: member))
    }

    private func browser(of member: Member) async throws -> PageClient {
        let browser = PageClient(try sharedWorld().client)
        let done = try await browser.logIn(member.person, member.device)
        try #require(done.location == "/account", "\(done)")
        return browser
    }

    /// A further device of a member, which waits.
    private func presented(of member: Member, _ client: Client) async throws -> Device {
        let device = Device()
        expectOutcome(try await client.logIn(member.person, device), "authorizationPending")
        return device
    }

    /// The path of the page that asks for a signature.
    private func decision(_ action: String, _ device: Device, _ more: String = "") -> String {
        "/account/decision?request=\(device.fingerprint)&action=\(action)\(more)"
    }

    /// Signs what a page shows, as its module does, and sends the form.
    private func sign(
        _ page: Page, with device: Device, to action: String = "/account/decision", _ browser: PageClient
    ) async throws -> Page {
        let form = try page.form(action)
        let statement = try #require(form["statement"].flatMap { Base64URL.decode($0) }, "\(page)")
        let signature = try bytes(base64: try device.sign(statement, .raw))
        return try await browser.submit(form, ["signature": Base64URL.encode(signature)])
    }

    /// The form of a page that is about something.
    private func form(_ action: String, about request: String, in page: Page) throws -> Form {
        let found = page.html.matches(of: /<form[^>]*>[\s\S]*?<\/form>/).map { String($0.output) }.first {
            $0.contains("action=\"\(action)\"") && $0.contains("value=\"\(request)\"")
        }
        let html = try #require(found, "\(page)")
        let fields = html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
            (name: String($0.output.1), value: String($0.output.2))
        }
        return Form(action: action, fields: fields)
    }

    private func devices(_ member: Member, _ client: Client) async throws -> [JSONValue] {
        try #require(try await client.get("/v1/devices", by: member.session)["items"]?.items)
    }

    @Test func `a device gets a name that its owner reads, once, and nobody else can give one`() async throws {
        let (client, founder, member, browser) = try await scene("account-names.example")
        let path = "/account/devices/name"
        let form = try form(path, about: member.device.fingerprint, in: try await browser.open("/account/devices"))
        for _ in 0..<2 {
            let done = try await browser.submit(form, ["name": "  Zoë’s “tablet” "])
            #expect(done.status == 303 && done.location == "/account/devices", "\(done)")
        }
        #expect(try await browser.open("/account/devices").text.contains("Zoë’s “tablet”"))
        #expect(try await devices(member, client).first?["name"]?.text == "Zoë’s “tablet”")
        let named = try await client.events("account-names.example", "type=DeviceNamed", by: founder.session)
        #expect(named.count == 1)

        // The same form in another session is refused, and a device of somebody else is none of one's own.
        let other = try await self.browser(of: founder)
        #expect(try await other.submit(form, ["name": "Mine"]).status == 403)
        let own = try self.form(
            path, about: founder.device.fingerprint, in: try await other.open("/account/devices"))
        let foreign = Form(
            action: path,
            fields: own.fields.map { field in
                (name: field.name, value: field.name == "request" ? member.device.fingerprint : field.value)
            })
        #expect(try await other.submit(foreign, ["name": "Mine"]).status == 403)
        for name in ["", "a\u{202E}b", String(repeating: "x", count: 129)] {
            let refused = try await other.submit(own, ["name": name])
            #expect(refused.status == 400 && refused.html.contains("aria-invalid"), "\(refused)")
        }
    }

    @Test func `an erasure makes the names of a person's devices unreadable`() async throws {
        let company = "account-erased.example"
        let (client, founder, member, browser) = try await scene(company)
        let form = try form(
            "/account/devices/name", about: member.device.fingerprint, in: try await browser.open("/account/devices"))
        #expect(try await browser.submit(form, ["name": "Leaver's tablet"]).status == 303)
        let before = try await client.events(company, "type=DeviceNamed", by: founder.session)
        #expect(before.first?["data"]?["name"]?.text == "Leaver's tablet")
        try await sharedWorld().erase(member.person)
        let after = try await client.events(company, "type=DeviceNamed", by: founder.session)
        #expect(after.map { $0["data"]?["name"]?.text } == ["[erased]"])
        #expect(try await browser.get("/account").location == "/login")
        try await expectLawful(company)
    }

    @Test func `a browser that presents its key has a name, which admins see while it waits`() async throws {
        let (client, founder, member, _) = try await scene("account-agents.example")
        let device = Device(), browser = PageClient(client)
        let page = try await browser.beginLogIn(member.person, device)
        let waiting = try await browser.submit(
            try page.form("/flow/passphrase"), ["passphrase": member.person.passphrase],
            headers: [
                ("Origin", "null"), ("Sec-Fetch-Site", "same-origin"),
                ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
            ])
        #expect(waiting.status == 303, "\(waiting)")
        #expect(try await devices(member, client).map { $0["name"]?.text } == [nil, "Firefox on Linux"])
        try await client.settle("account-agents.example")
        let list = try await client.get(
            client.path("account-agents.example", "/authorizations"), by: founder.session)
        #expect(list["items"]?.items.map { $0["deviceName"]?.text } == ["Firefox on Linux"])
        // An app decides by the key alone, and does not learn the name.
        let asApp = try await client.get(client.path("account-agents.example", "/authorizations"))
        #expect(asApp["items"]?.items.map { $0["deviceName"]?.text } == [nil])
    }

    @Test func `a device is approved and revoked on another one of its owner`() async throws {
        let (client, _, member, browser) = try await scene("account-own.example")
        let device = try await presented(of: member, client)
        let list = try await browser.open("/account/devices")
        #expect(list.text.contains(FingerprintWords(Hex.decode(device.fingerprint) ?? []).text))

        let page = try await browser.open(decision("authorize", device))
        #expect(page.text.contains("this device may log in as second at account-own.example"), "\(page.text)")
        let unsigned = try await browser.submit(try page.form("/account/decision"))
        #expect(unsigned.status == 200)
        let forged = try await sign(page, with: device, browser)
        #expect(forged.status == 403 && forged.text.contains("The signature does not fit"), "\(forged)")
        let done = try await sign(page, with: member.device, browser)
        #expect(done.location == "/account/devices", "\(done)")
        let added = try Member(member.person, device, try await client.logIn(member.person, device))

        let revoking = try await browser.open(decision("revoke", device, "&reason=stolen"))
        #expect(revoking.text.contains("It was stolen"))
        #expect(try await sign(revoking, with: member.device, browser).location == "/account/devices")
        try expectProblem(try await client.get("/v1/me", by: added.session), "session.invalid")
        // What is decided needs no second signature, and an ended device none at all.
        #expect(try await browser.get(decision("revoke", device, "&reason=lost")).location == "/account/devices")
        #expect(try await browser.get(decision("authorize", device)).status == 404)
        try await expectLawful("account-own.example")
    }

    @Test func `an admin decides about who waits, and an employee about nobody else`() async throws {
        let company = "account-admins.example"
        let (client, founder, member, browser) = try await scene(company)
        let devices = [try await presented(of: member, client), try await presented(of: member, client)]
        try await client.settle(company)
        let admin = try await self.browser(of: founder)
        let list = try await admin.open("/account/approvals")
        #expect(list.status == 200 && list.html.matches(of: /action=authorize/).count == 2, "\(list.text)")

        let approving = try await admin.open(decision("authorize", devices[0], "&owner=second"))
        let done = try await sign(approving, with: founder.device, admin)
        #expect(done.location?.hasPrefix("/account/approvals?position=") == true, "\(done)")
        #expect(try await admin.follow(done).html.matches(of: /action=authorize/).count == 1)
        let refusing = try await admin.open(decision("refuse", devices[1], "&owner=second"))
        let left = try await admin.follow(try await sign(refusing, with: founder.device, admin))
        #expect(left.text.contains("No device waits."), "\(left.text)")
        expectOutcome(try await client.logIn(member.person, devices[0]), "success")
        try expectProblem(try await client.logIn(member.person, devices[1]), "authorization.not_permitted")

        #expect(try await browser.get("/account/approvals").status == 403)
        let foreign = try await browser.get(decision("revoke", founder.device, "&reason=lost"))
        #expect(foreign.status == 404, "\(foreign)")
        #expect(try await browser.get(decision("authorize", devices[0], "&owner=founder")).status == 403)
        try await expectLawful(company)
    }

    @Test func `other sessions end, and a log-out ends one's own`() async throws {
        let (client, _, member, browser) = try await scene("account-sessions.example")
        let second = try await self.browser(of: member)
        let page = try await browser.open("/account/sessions")
        #expect(page.text.contains("This is the session that you use now."))
        let others = try form("/account/sessions", about: "others", in: page)
        #expect(try await browser.submit(others).location == "/account/sessions")
        #expect(try await second.get("/account").location == "/login")
        try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")

        let account = try await browser.open("/account")
        #expect(account.status == 200, "\(account)")
        let out = try await browser.submit(try account.form("/account/logout"))
        #expect(out.text.contains("You are logged out.") && browser.cookies["tenure"] == nil, "\(out)")
        #expect(try await browser.get("/").location == "/login")
    }

    @Test func `a recovery is cancelled by the owner's signature`() async throws {
        let company = "account-recovery.example"
        let (client, founder, member, browser) = try await scene(company)
        let device = Device()
        _ = try await client.askToRecover(member.person, device)
        expectOutcome(try await client.decide("opening", member.person, device, by: founder), "done")
        let account = try await browser.open("/account")
        #expect(account.html.contains("href=\"/account/recovery\""), "\(account.text)")
        let page = try await browser.open("/account/recovery")
        let done = try await sign(page, with: member.device, to: "/account/recovery", browser)
        #expect(done.location == "/account", "\(done)")
        #expect(!(try await browser.open("/account").html.contains("href=\"/account/recovery\"")))
        #expect(try await browser.get("/account/recovery").status == 404)
        let cancelled = try await client.events(company, "type=RecoveryCancelled", by: founder.session)
        #expect(cancelled.count == 1)
    }

    /// Expects that verification finds nothing in the ledger of a company.
    private func expectLawful(_ company: String) async throws {
        let world = try sharedWorld(), ledger = try await world.ledger(company)
        let request = VerifyRequest(key: try await world.logKey(), ledger: ledger)
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        #expect(report.violations == [], "\(report.violations)")
    }
}
