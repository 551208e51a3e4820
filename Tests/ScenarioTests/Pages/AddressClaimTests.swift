import Canonical
import Foundation
import IdentityService
import Keys
import Postgres
import TestSupport
import Testing

/// Somebody registers with an address that a stranger has registered before.
@Suite(.onServer)
struct `A claimed address` {
    /// A stranger who founded a company with the address of somebody, and the company that the owner wants to join.
    private struct Scene {
        let world: TenureWorld
        let client: Client
        let mailbox: Mailbox
        let clock: MPinClock
        let squatter: Member
        let admin: Member
        let company: String
        let owner: Person

        /// A browser that registers the owner, or somebody else with the same address, and meets the stranger's question.
        func browser(_ person: Person? = nil, _ device: Device = Device()) async throws -> (PageClient, Page) {
            let browser = PageClient(client)
            let asked = try await browser.register("/register/join", person ?? owner, device)
            try #require(asked.text.contains("These are not my questions"), "\(asked)")
            return (browser, try await browser.press("/address", in: asked))
        }

        /// Asks for the mail, and returns the page with the form for its code.
        func claim(_ browser: PageClient, _ page: Page) async throws -> Page {
            try await browser.follow(try await browser.submit(try page.form("/flow/address")))
        }

        func type(_ code: String, in browser: PageClient, _ page: Page) async throws -> Page {
            try await browser.submit(try page.form("/flow/address/code"), ["code": code])
        }

        /// The texts of the mails about claims, oldest first, once every mail has its last event.
        func mails() async throws -> [String] {
            try await world.until { try await world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
            return mailbox.copies.map { $0.text.replacingOccurrences(of: "=\r\n", with: "") }
                .filter { $0.contains("Somebody asks for your e-mail address") }
        }

        func code() async throws -> String {
            let mail = try #require(try await mails().last, "no mail")
            let code = try #require(mail.firstMatch(of: /asks for it: ([0-9A-Z]{4}-[0-9A-Z]{4})/), "\(mail)")
            return String(code.output.1)
        }

        /// Invites the owner, and returns the code of the mail.
        func invitedCode() async throws -> String {
            let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
            let body: [String: JSONValue] = [
                "companyEmployeeId": .string(owner.id), "subjectSalt": .string(salt), "email": .string(owner.email),
            ]
            let path = client.path(company, "/invitations")
            expectOutcome(try await client.signed(by: admin, "POST", path, body), "done")
            func link() -> Substring? {
                mailbox.copies.lazy.compactMap { copy in
                    let text = copy.text.replacingOccurrences(of: "=\r\n", with: "")
                        .replacingOccurrences(of: "=3D", with: "=")
                    return text.firstMatch(of: /\/join#[^\s"]*invitation=([^\s"&]*)/)?.output.1
                }.first
            }
            try await world.until { link() != nil }
            let found = try #require(link())
            return try #require(found.removingPercentEncoding)
        }

        func expectLawful() async throws {
            let environment = [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path, "SWIFT_BACKTRACE": "enable=no",
            ]
            let verified = try await ChildProcess("tenure", ["verify"], environment: environment).finish()
            #expect(verified.status == 0, "\(verified.lines)")
        }
    }

    private func with(_ name: String, _ body: (Scene) async throws -> Void) async throws {
        let mailbox = Mailbox(), clock = MPinClock()
        var options = WorldOptions()
        options.servesPages = true
        options.settings.now = { clock.now }
        mailbox.serve(&options)
        try await inTurn(options) { world in
            let client = try world.client, company = "\(name).example"
            let admin = try await client.found(company)
            try await world.linkPages(to: company)
            let owner = Person.withQuestions("zed", at: company, email: "zed@\(name).example")
            let squatter = try await client.found(
                "evil-\(name).example", by: Person("mallory", at: "evil-\(name).example", email: owner.email))
            try await body(
                Scene(
                    world: world, client: client, mailbox: mailbox, clock: clock, squatter: squatter, admin: admin,
                    company: company, owner: owner))
        }
    }

    @Test func `moves to whom the mailbox proves, and nothing else changes for its holder`() async throws {
        try await with("gives") { scene in
            let device = Device(), (browser, page) = try await scene.browser(nil, device)
            let form = try await scene.claim(browser, page)
            // Showing the page again sends nothing.
            for _ in 1...2 { _ = try await browser.open("/flow/address") }
            let mails = try await scene.mails()
            #expect(mails.count == 1 && mails[0].contains("zed") && mails[0].contains("gives example"), "\(mails)")
            let wrong = try await scene.type("0000-0000", in: browser, form)
            #expect(wrong.status == 403 && wrong.text.contains("Tries left: 4"), "\(wrong)")
            let proved = try await scene.type(try await scene.code(), in: browser, wrong)
            #expect(proved.status == 303 && proved.place == "/flow/credentials", "\(proved)")
            #expect(try await scene.world.count("EmailGaveWay") == 0)
            let done = try await browser.choose(try await browser.follow(proved), scene.owner)
            #expect(done.status == 303 && done.place == "/waiting", "\(done)")
            #expect(try await scene.world.count("EmailGaveWay") == 1)
            #expect(try await scene.world.count("EmailVerified") == 1)

            // The holder's session, credentials and role stay.
            let squatter = scene.squatter
            let me = try await scene.client.get("/v1/me", by: squatter.session)
            #expect(me.status == 200 && me["role"] == "securityAdmin" && me["emailVerified"] == false)
            #expect(
                me["notices"]?.items.contains { $0["type"]?.text == "email.gave_way" } == true, "\(me)")
            #expect(try await scene.client.logIn(squatter.person, squatter.device).status == 200)
            try expectProblem(
                try await scene.client.post("/v1/me/email-verification", by: squatter.session), "email.missing")

            expectOutcome(try await scene.client.authorize(device, of: scene.owner), "done")
            #expect(try await PageClient(scene.client).logIn(scene.owner, device).location == "/account")
            try await scene.expectLawful()
        }
    }

    @Test func `is kept by a holder whom an app vouched for, before and after the mailbox was proved`() async throws {
        try await with("keeps") { scene in
            let (browser, page) = try await scene.browser()
            let form = try await scene.claim(browser, page)
            let proved = try await scene.type(try await scene.code(), in: browser, form)
            #expect(proved.place == "/flow/credentials", "\(proved)")
            // Another company gives the holder an account, and an app authorizes the key.
            _ = try await scene.client.found("third-keeps.example")
            _ = try await scene.client.join(scene.squatter.person.also("m", at: "third-keeps.example"))
            let late = try await browser.choose(try await browser.follow(proved), scene.owner)
            #expect((400..<500).contains(late.status), "\(late)")
            #expect(try await scene.world.count("EmailGaveWay") == 0)

            scene.clock.pass(.seconds(3_600))
            let (again, asked) = try await scene.browser()
            let shown = try await scene.claim(again, asked)
            let kept = try await scene.type(try await scene.code(), in: again, shown)
            #expect(kept.status == 403 && kept.text.contains("somebody vouched for that account"), "\(kept)")
            #expect(try await scene.world.count("EmailGaveWay") == 0)
        }
    }

    @Test func `is claimed by one flow at a time, and its page says the same to the other one`() async throws {
        try await with("race") { scene in
            let (first, page) = try await scene.browser()
            let (second, other) = try await scene.browser(scene.owner.also("eve", at: scene.company))
            let form = try await scene.claim(first, page), blank = try await scene.claim(second, other)
            #expect(form.text == blank.text)
            #expect(try await scene.mails().count == 1)
            let code = try await scene.code()
            // The code proves the mailbox to the browser that asked, and to no other one.
            let refused = try await scene.type(code, in: second, blank)
            #expect(refused.status == 403 && refused.text.contains("Tries left: 4"), "\(refused)")
            let proved = try await scene.type(code, in: first, form)
            let done = try await first.choose(try await first.follow(proved), scene.owner)
            #expect(done.place == "/waiting", "\(done)")
            #expect(try await scene.world.count("EmailGaveWay") == 1)
        }
    }

    @Test func `takes five codes in a flow, and three mails in a month`() async throws {
        try await with("limits") { scene in
            // The month of the budget does not end within the test.
            let month: Int64 = 30 * 86_400, left = month - scene.clock.now.microseconds / 1_000_000 % month
            if left < 86_400 { scene.clock.pass(.seconds(left + 1)) }
            for round in 1...4 {
                let (browser, page) = try await scene.browser()
                var form = try await scene.claim(browser, page)
                #expect(form.text.contains("If this address can get a mail now"), "\(form)")
                #expect(try await scene.mails().count == min(round, 3))
                if round == 1 {
                    for _ in 1...5 { form = try await scene.type("0000-0000", in: browser, form) }
                    #expect(form.text.contains("No more codes are accepted"), "\(form)")
                    let right = try await scene.type(try await scene.code(), in: browser, form)
                    #expect(right.status == 403 && right.text.contains("No more codes"), "\(right)")
                }
                scene.clock.pass(.seconds(7_200))
            }
            #expect(try await scene.world.count("EmailGaveWay") == 0)
        }
    }

    @Test func `moves to an invited person without a mail, when a stranger has used up the claims of the month`()
        async throws
    {
        try await with("burnt") { scene in
            let month: Int64 = 30 * 86_400, left = month - scene.clock.now.microseconds / 1_000_000 % month
            if left < 86_400 { scene.clock.pass(.seconds(left + 1)) }
            let code = try await scene.invitedCode()
            for _ in 1...3 {
                let (stranger, page) = try await scene.browser(scene.owner.also("eve", at: scene.company))
                _ = try await scene.claim(stranger, page)
                // A mail that is not sent before the time passes has expired.
                _ = try await scene.mails()
                scene.clock.pass(.seconds(7_200))
            }
            // The fourth one holds the right to claim at this moment.
            let (stranger, page) = try await scene.browser(scene.owner.also("eve", at: scene.company))
            _ = try await scene.claim(stranger, page)
            let mails = try await scene.mails()
            #expect(mails.count == 3, "\(mails)")
            let browser = PageClient(scene.client)
            let asked = try await browser.register("/join", scene.owner, Device(), code: code)
            let form = try await browser.press("/address", in: asked)
            #expect(form.text.contains("so you need no code"), "\(form)")
            let proved = try await browser.submit(try form.form("/flow/address"))
            #expect(proved.status == 303 && proved.place == "/flow/credentials", "\(proved)")
            let done = try await browser.choose(try await browser.follow(proved), scene.owner)
            #expect(done.location == "/account", "\(done)")
            #expect(try await scene.world.count("EmailGaveWay") == 1)
            #expect(try await scene.mails().count == 3)
            try await scene.expectLawful()
        }
    }

    @Test func `of a holder who was erased meanwhile is free, and the claim is over`() async throws {
        try await with("erased") { scene in
            let (browser, page) = try await scene.browser()
            let form = try await scene.claim(browser, page)
            let proved = try await scene.type(try await scene.code(), in: browser, form)
            let address = scene.owner.email
            _ = try await scene.world.erasing { erasure in
                try await erasure.run(try await erasure.plan(email: address), includingSecurityAdmins: true)
            }
            let late = try await browser.choose(try await browser.follow(proved), scene.owner)
            #expect(late.status >= 400 && late.status < 500, "\(late)")
            let fresh = PageClient(scene.client)
            let asked = try await fresh.register("/register/join", scene.owner, Device())
            #expect(asked.title == "Choose your questions", "\(asked)")
            #expect(try await scene.world.count("EmailGaveWay") == 0)
        }
    }
}
