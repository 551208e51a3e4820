import Canonical
import Foundation
import IdentityService
import Postgres
import TenureAPI
import TestSupport
import Testing

/// An employee with a verified address, in a company that linked the pages.
struct WaitingScene {
    let world: TenureWorld
    let client: Client
    let company: String
    let founder: Member
    let member: Member
    let mailbox: Mailbox
    let clock: MPinClock
    /// The app of the pages.
    let pages: UUID

    /// Runs `body` in a world with pages, mails and a clock.
    static func with(
        _ company: String, verified: Bool = true, mails: Bool = true, _ body: (WaitingScene) async throws -> Void
    ) async throws {
        let mailbox = Mailbox(), clock = MPinClock()
        var options = WorldOptions()
        options.servesPages = true
        options.settings.now = { clock.now }
        if mails { mailbox.serve(&options) }
        try await inTurn(options) { world in
            let client = try world.client, founder = try await client.found(company)
            let view = try await world.instance.commands.enablePages().view
            try await world.instance.commands.linkApp(view.appId, to: company)
            let scene = WaitingScene(
                world: world, client: client, company: company, founder: founder,
                member: try await client.join(Person("zoe", at: company)), mailbox: mailbox, clock: clock,
                pages: view.appId)
            if verified, mails { try await scene.verify(scene.member) }
            try await body(scene)
        }
    }

    /// Verifies somebody's address by the link of a mail.
    func verify(_ member: Member) async throws {
        expectOutcome(try await client.post("/v1/me/email-verification", by: member.session), "sent")
        let link = try await link(/https:\/\/id\.example(\/verify-email\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/)
        #expect(try await world.press(try #require(link)).status == 200)
    }

    /// The path of the newest link about a device; `nil` if no mail has one.
    func deviceLink() async throws -> String? {
        try await link(
            /https:\/\/id\.example(\/waiting\/mail\/[0-9a-f-]{36}\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/)
    }

    /// The number of mails about devices.
    func deviceMails() -> Int {
        mailbox.copies.count {
            $0.text.contains("Subject: Is this new device yours?")
                || $0.text.contains("Subject: Your account is almost ready")
        }
    }

    private func link(_ form: Regex<(Substring, Substring)>) async throws -> String? {
        try await world.until { try await world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
        return mailbox.copies.reversed().lazy.compactMap { copy in
            copy.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
                .firstMatch(of: form).map { String($0.1) }
        }.first
    }

    /// A browser that waits on a new device.
    func waiting(
        _ device: Device, as person: Person? = nil, request: String? = nil
    ) async throws -> PageClient {
        let browser = PageClient(client)
        let page = try await browser.logIn(person ?? member.person, device, request: request)
        try #require(page.status == 303 && page.place == "/waiting", "\(page)")
        #expect(browser.flow?.stage == "wait")
        return browser
    }

    /// Signs the challenge of the page, as its module does, and goes on.
    func goOn(_ browser: PageClient, _ device: Device) async throws -> Page {
        let page = try await browser.get("/waiting")
        let text = try #require(page.attribute("data-wait"), "\(page)")
        let challenge = try #require(Base64URL.decode(text))
        let proof = try bytes(base64: try device.sign(challenge, .raw))
        return try await browser.submit(try page.form("/waiting/continue"), ["proof": Base64URL.encode(proof)])
    }

    /// The code that the page behind a link shows.
    func code(_ page: Page) throws -> String {
        String(
            try #require(page.html.firstMatch(of: /<code[^>]*>([0-9A-Z]{4}-[0-9A-Z]{4})<\/code>/), "\(page)").output.1)
    }

    /// Presses a button of the page behind a link. The one that confirms is on a page that it leads to.
    func answer(_ browser: PageClient, _ link: String, _ wish: String) async throws -> Page {
        var page = try await browser.get(link)
        let path = String(link.prefix { $0 != "?" })
        if wish == "confirm", page.html.contains("token=") { page = try await browser.press("token=", in: page) }
        guard var form = try? page.form(path) else { return page }
        if form["page"] != nil { form = try await browser.armed(form) { clock.pass(.seconds(2)) } }
        return try await browser.submit(form, ["answer": wish])
    }

    /// Types a code on the waiting page.
    func type(_ code: String, in browser: PageClient) async throws -> Page {
        try await browser.submit(try await browser.get("/waiting").form("/waiting/code"), ["code": code])
    }
}
