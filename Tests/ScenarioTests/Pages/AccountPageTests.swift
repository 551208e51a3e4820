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

    /// The page that asks for a signature, by the link of its list.
    private func ask(
        _ action: String, _ device: Device, from list: String = "/account/devices", _ browser: PageClient
    ) async throws -> Page {
        try await browser.press(decision(action, device), in: try await browser.open(list))
    }

    /// The page that asks for the signature of a revocation, by the form of the list.
    private func askToRevoke(_ device: Device, _ reason: String, _ browser: PageClient) async throws -> Page {
        let form = try form(
            "/account/decision", about: device.fingerprint, in: try await browser.open("/account/devices"))
        let fields = String(decoding: FormEncoding.encode(form.fields + [("reason", reason)]), as: UTF8.self)
        return try await browser.follow(try await browser.get("/account/decision?" + fields))
    }

    /// Signs what a page shows, as its module does, and sends the form.
    private func sign(
        _ page: Page, with device: Device, to action: String = "/account/decision", _ browser: PageClient
    ) async throws -> Page {
        try await sign(try await browser.armed(try page.form(action)), with: device, browser)
    }

    private func sign(_ form: Form, with device: Device, _ browser: PageClient) async throws -> Page {
        let statement = try #require(form["statement"].flatMap { Base64URL.decode($0) }, "\(form)")
        let signature = try bytes(base64: try device.sign(statement, .raw))
        return try await browser.submit(form, ["signature": Base64URL.encode(signature)])
    }

    /// The rows of words to choose from, as the values of their buttons.
    private func rows(_ page: Page) -> [String] {
        page.html.matches(of: /name="words" value="([0-9a-f]{16})"/).map { String($0.output.1) }
    }

    /// Chooses a row, as the module does. The form that is signed next comes back; `nil` for a first wrong choice.
    private func choose(_ row: String, _ page: Page, _ browser: PageClient) async throws -> Form? {
        let form = try await browser.armed(try page.form("/account/decision"))
        let reply = try await browser.submit(form, ["words": row])
        try #require(reply.status == 200, "\(reply)")
        guard case .object(let answer)? = try StrictJSON.parse(reply.reply.body)["statement"] else { return nil }
        let kept = form.fields.filter { answer[$0.name] == nil }
        return Form(
            action: form.action, fields: kept + answer.map { (name: $0.key, value: $0.value.text ?? "") })
    }

    /// Approves a device that waits, as somebody who reads its words does.
    private func approve(_ page: Page, _ waiting: Device, with device: Device, _ browser: PageClient) async throws
        -> Page
    {
        let form = try #require(try await choose(String(waiting.fingerprint.prefix(16)), page, browser))
        return try await sign(form, with: device, browser)
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

        // The same form in another session leads back to its page, as does a device of somebody else.
        let other = try await self.browser(of: founder)
        #expect(try await other.submit(form, ["name": "Mine"]).location == "/account/devices")
        let own = try self.form(
            path, about: founder.device.fingerprint, in: try await other.open("/account/devices"))
        let foreign = Form(
            action: path,
            fields: own.fields.map { field in
                (name: field.name, value: field.name == "request" ? member.device.fingerprint : field.value)
            })
        #expect(try await other.submit(foreign, ["name": "Mine"]).location == "/account/devices")
        for name in ["", "a\u{202E}b", String(repeating: "x", count: 129)] {
            let refused = try await other.submit(own, ["name": name])
            #expect(refused.status == 400 && refused.html.contains("aria-invalid"), "\(refused)")
        }
        let named = try await client.events("account-names.example", "type=DeviceNamed", by: founder.session)
        #expect(named.count == 1)
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
        let words = FingerprintWords(Hex.decode(device.fingerprint) ?? []).text
        #expect(!list.text.contains(words), "the words of a device that waits are asked for")

        #expect(try await browser.get(decision("authorize", device)).location == "/account/devices")
        let page = try await ask("authorize", device, browser)
        #expect(page.text.contains(words) && rows(page).count == 3, "\(page.text)")
        #expect(page.text.contains("this device can log in as second at account-own.example"), "\(page.text)")
        let unsigned = try await browser.submit(try page.form("/account/decision"))
        #expect(unsigned.status == 303 && unsigned.location?.hasPrefix("/account/") == true, "\(unsigned)")
        let forged = try await approve(page, device, with: device, browser)
        #expect(forged.status == 403 && forged.text.contains("The signature does not fit"), "\(forged)")
        let done = try await approve(page, device, with: member.device, browser)
        #expect(done.location?.hasPrefix("/account/devices?done=authorize") == true, "\(done)")
        let added = try Member(member.person, device, try await client.logIn(member.person, device))

        let revoking = try await askToRevoke(device, "stolen", browser)
        #expect(revoking.text.contains("It was stolen"))
        let again = try page.form("/account/decision")
        let removed = try await sign(revoking, with: member.device, browser)
        #expect(try await browser.follow(removed).text.contains("Removed: the device of"))
        try expectProblem(try await client.get("/v1/me", by: added.session), "session.invalid")
        // An ended device is decided no more.
        let late = try await browser.submit(try await browser.armed(again), ["words": rows(page)[0]])
        #expect(late.status == 404, "\(late)")
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

        let waiting = "/account/approvals"
        let approving = try await ask("authorize", devices[0], from: waiting, admin)
        let done = try await approve(approving, devices[0], with: founder.device, admin)
        #expect(done.location?.hasPrefix("/account/approvals?done=authorize") == true, "\(done)")
        #expect(try await admin.follow(done).html.matches(of: /action=authorize/).count == 1)
        let refusing = try await ask("refuse", devices[1], from: waiting, admin)
        let left = try await admin.follow(try await sign(refusing, with: founder.device, admin))
        #expect(left.text.contains("Nobody waits for you."), "\(left.text)")
        expectOutcome(try await client.logIn(member.person, devices[0]), "success")
        try expectProblem(try await client.logIn(member.person, devices[1]), "authorization.not_permitted")

        #expect(try await browser.get("/account/approvals").status == 403)
        // The link of another session leads nowhere.
        let link = try await admin.open("/account/devices").html.firstMatch(of: /name="token" value="([^"]*)"/)
        let token = String(try #require(link).output.1), path = decision("revoke", founder.device, "&reason=lost")
        #expect(try await browser.get("\(path)&token=\(token)").location == "/account/devices")
        try await expectLawful(company)
    }

    @Test func `the second wrong choice of words refuses a device, whoever chooses and reloads`() async throws {
        let company = "account-words.example"
        let (client, founder, member, browser) = try await scene(company)
        let device = try await presented(of: member, client)
        try await client.settle(company)
        let page = try await ask("authorize", device, browser), choices = rows(page)
        let right = String(device.fingerprint.prefix(16))
        #expect(choices.count == 3 && Set(choices).count == 3 && choices.contains(right), "\(choices)")
        #expect(rows(try await ask("authorize", device, browser)) == choices, "a reload tells the decoys")
        let wrong = choices.filter { $0 != right }
        #expect(try await choose(wrong[0], page, browser) == nil)

        // The admin's page has the same rows, and counts on.
        let admin = try await self.browser(of: founder)
        let other = try await ask("authorize", device, from: "/account/approvals", admin)
        #expect(rows(other) == choices)
        let refusal = try #require(try await choose(wrong[1], other, admin))
        #expect(refusal["action"] == "refuse")
        // Nobody gets the approval any more, with the right row neither.
        #expect(try await choose(right, page, browser)?["action"] == "refuse")
        let spent = try await ask("authorize", device, browser)
        #expect(spent.text.contains("wrong twice") && rows(spent).isEmpty, "\(spent.text)")

        let done = try await sign(refusal, with: founder.device, admin)
        #expect(done.location?.hasPrefix("/account/approvals") == true, "\(done)")
        try expectProblem(try await client.logIn(member.person, device), "authorization.not_permitted")
        try await expectLawful(company)
    }

    @Test func `a wrong choice and then the right one approves`() async throws {
        let (client, _, member, browser) = try await scene("account-second-try.example")
        let device = try await presented(of: member, client), page = try await ask("authorize", device, browser)
        let right = String(device.fingerprint.prefix(16))
        let wrong = try #require(rows(page).first { $0 != right })
        #expect(try await choose(wrong, page, browser) == nil)
        let approved = try await approve(page, device, with: member.device, browser)
        #expect(approved.location?.hasPrefix("/account/devices?done=authorize") == true)
        expectOutcome(try await client.logIn(member.person, device), "success")
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
        #expect(try await browser.get("/account/recovery").location == "/account")
        let page = try await browser.press("/account/recovery?token=", in: account)
        let done = try await sign(page, with: member.device, to: "/account/recovery", browser)
        #expect(done.location == "/account", "\(done)")
        #expect(!(try await browser.open("/account").html.contains("href=\"/account/recovery")))
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
