import Canonical
import Foundation
import IdentityService
import TenureAPI
import Testing

/// The log-in in a browser, through the pages, as a browser would send it.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `A log-in in a browser` {
    /// A company with its founder, whose people a client takes, and that links the pages.
    private func scene(
        _ company: String, questions: Bool = false, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, member: Member, browser: PageClient) {
        let world = try sharedWorld()
        let person = questions ? Person.withQuestions("founder", at: company) : Person("founder", at: company)
        let member = try await world.client.found(company, by: person)
        try await world.linkPages(to: company)
        let party = try await RelyingParty.make(world, of: [company], changing: change)
        return (party, member, PageClient(try world.client))
    }

    @Test(arguments: [false, true]) func `ends at the client, which gets the person`(questions: Bool) async throws {
        let (party, member, browser) = try await scene("login-\(questions).example", questions: questions)
        let asked = try await authorize(party, browser, ["login_hint": "founder", "tenant": member.person.company])
        #expect(asked.status == 303 && asked.place == "/login", "\(asked)")
        let handle = try handle(asked)
        let form = try await browser.open("/login/\(handle)").form("/login")
        #expect(form["company"] == member.person.company && form["employee"] == "founder")

        let secret = try await browser.beginLogIn(member.person, member.device, request: handle)
        #expect(secret.text.contains("founder at \(member.person.company)"), "\(secret)")
        #expect(browser.cookies["tenure"] == nil && browser.flow?.stage == "login")
        let done = try await browser.answer(secret, member.person)
        #expect(done.location == "/answer/\(handle)", "\(done)")
        #expect(browser.cookies["tenure"] != nil && browser.flow?.stage == "request")

        let code = try #require(try party.answer(try await browser.follow(done).reply)["code"])
        let tokens = try GrantTokens(try await party.redeem(code))
        let me = try await party.world.client.get("/v1/me", by: member.session)
        #expect(try tokens.claims["sub"] == me["employeeId"])
        // The next request of the same browser needs no log-in, and one that asks for the account shows it.
        #expect(try party.answer(try await authorize(party, browser).reply)["code"] != nil)
        let choice = try await browser.follow(try await authorize(party, browser, ["prompt": "select_account"]))
        #expect(choice.text.contains("You are logged in as founder"), "\(choice)")
        let unarmed = try await browser.submit(try choice.form("/accounts"))
        #expect(unarmed.status == 403, "\(unarmed)")
        let armed = try await browser.armed(try choice.form("/accounts"))
        let chosen = try await browser.follow(try await browser.submit(armed))
        #expect(try party.answer(chosen.reply)["code"] != nil)
    }

    @Test func `to another account goes to the client at once, and one that it does not take is told`() async throws {
        let (party, member, browser) = try await scene("login-choice.example")
        let other = try await party.world.client.found("login-choice-other.example")
        try await party.world.linkPages(to: "login-choice-other.example")
        _ = try await browser.logIn(other.person, other.device)
        let page = try await browser.follow(try await authorize(party, browser, ["prompt": "select_account"]))
        #expect(page.text.contains("takes no accounts of your company"), "\(page)")
        #expect((try? page.form("/accounts")) == nil)
        let path = try #require(page.html.firstMatch(of: /<a href="(\/login[^"]*)">/)?.output.1)
        let handle = String(try #require(path.split(separator: "/").last))
        let done = try await browser.logIn(member.person, member.device, request: handle)
        #expect(try party.answer(try await browser.follow(done).reply)["code"] != nil)
    }

    @Test func `without a client leads to the account`() async throws {
        let (_, member, browser) = try await scene("login-account.example")
        let done = try await browser.logIn(member.person, member.device)
        #expect(done.status == 303 && done.location == "/account", "\(done)")
        let again = try await browser.open("/login")
        #expect(again.text.contains("You are logged in as founder"))
        // Each log-in has a cookie of its own, and a value that somebody placed before is none.
        let first = try #require(browser.cookies["tenure"])
        _ = try await browser.logIn(member.person, member.device)
        #expect(browser.cookies["tenure"] != first)
    }

    @Test func `is the same for a name that nobody has, for an unlinked company and for a wrong secret`() async throws {
        let (party, member, _) = try await scene("login-decoy.example")
        let other = try await party.world.client.found("login-unlinked.example")
        var pages: [String] = []
        for person in [member.person, Person("nobody", at: member.person.company), other.person] {
            var wrong = person
            wrong.passphrase = "wrong \(Person.word())"
            let browser = PageClient(try party.world.client)
            let asked = try await browser.beginLogIn(person, Device())
            #expect(asked.status == 200, "\(asked)")
            let isPassphrase = (try? asked.form("/flow/passphrase")) != nil
            let refused = isPassphrase ? try await browser.answer(asked, wrong) : nil
            if let refused {
                #expect(refused.status == 403 && refused.text.contains("That did not match."), "\(refused)")
                let text = refused.text.replacing(person.company, with: "C").replacing(person.id, with: "I")
                // A name that nobody has may seem to have questions too, as a person may.
                pages.append(text.replacing("Answer your questions instead ", with: ""))
            }
        }
        #expect(Set(pages).count == 1, "\(pages)")
    }

    @Test func `goes on after a wrong secret`() async throws {
        let (_, member, browser) = try await scene("login-wrong.example")
        var wrong = member.person
        wrong.passphrase = "wrong \(Person.word())"
        let refused = try await browser.answer(try await browser.beginLogIn(member.person, member.device), wrong)
        #expect(refused.status == 403 && !refused.html.contains(wrong.passphrase ?? "?"), "\(refused)")
        let done = try await browser.answer(refused, member.person)
        #expect(done.location == "/account", "\(done)")
    }

    @Test func `opens one session for a form that is sent twice at once`() async throws {
        let (party, member, browser) = try await scene("login-twice.example")
        let secret = try await browser.beginLogIn(member.person, member.device)
        let before = try await party.world.client.get("/v1/sessions", by: member.session)["items"]?.items.count ?? 0
        let done = try await concurrently(2) { _ in try await browser.answer(secret, member.person) }
        #expect(done.map(\.location) == ["/account", "/account"], "\(done)")
        let after = try await party.world.client.get("/v1/sessions", by: member.session)["items"]?.items.count ?? 0
        #expect(after == before + 1)
        // The same form again, on a page that came back: no other session.
        #expect(try await browser.answer(secret, member.person).title == "You are logged in")
        let last = try await party.world.client.get("/v1/sessions", by: member.session)["items"]?.items.count ?? 0
        #expect(last == after)
        // It opened one browser session too, whose cookie every reply had.
        let events = try await party.world.client.events(member.person.company, "type=BrowserSessionOpened")
        let page = try await browser.open("/login")
        #expect(events.count == 1 && page.text.contains("You are logged in as founder"))
    }

    @Test func `of two tabs ends at two clients`() async throws {
        let (first, member, browser) = try await scene("login-tabs.example")
        let second = try await RelyingParty.make(first.world, of: ["login-tabs.example"])
        let handles = [
            try handle(try await authorize(first, browser)), try handle(try await authorize(second, browser)),
        ]
        var secrets: [Page] = []
        for handle in handles {
            secrets.append(try await browser.beginLogIn(member.person, member.device, request: handle))
        }
        for (party, secret) in zip([first, second], secrets) {
            let done = try await browser.follow(try await browser.answer(secret, member.person))
            let code = try #require(try party.answer(done.reply)["code"])
            _ = try GrantTokens(try await party.redeem(code))
        }
    }

    @Test func `is refused to a form of another browser, and to a stranger's cookie`() async throws {
        let (party, member, browser) = try await scene("login-other.example")
        let secret = try await browser.beginLogIn(member.person, member.device)
        let thief = PageClient(try party.world.client)
        #expect(try await thief.answer(secret, member.person).status == 410)
        _ = try await thief.open("/login")
        #expect(try await thief.answer(secret, member.person).title == "Begin again here")
        // The cookie of the flow alone shows the page, but its form is of that browser.
        let flow = try #require(browser.flow), name = "tenure-flow-" + flow.id
        thief.set(cookie: name, browser.cookies[name])
        #expect(try await thief.open("/flow/\(flow.id)/key").status == 200)
        #expect(try await thief.answer(secret, member.person).status == 403)
        let foreign = try await browser.submit(
            try secret.form("/flow/passphrase"), ["passphrase": member.person.passphrase],
            headers: [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
        #expect(foreign.status == 403)
        #expect(try await browser.answer(secret, member.person).location == "/account")
    }

    @Test func `leads on from a page of an earlier step`() async throws {
        let (_, member, browser) = try await scene("login-back.example")
        let page = try await browser.open("/login")
        let names = [
            "company": member.person.company, "employee": member.person.id,
            "key": Base64URL.encode(member.device.point),
        ]
        let key = try await browser.follow(try await browser.submit(try page.form("/login"), names))
        let secret = try await browser.prove(key, member.device)
        #expect(try await browser.get("/flow/key").place == "/flow/passphrase")
        #expect(try await browser.get("/flow/answers").place == "/flow/passphrase")
        // The page of the key is sent again, with another signature.
        #expect(try await browser.prove(key, member.device).title == secret.title)
        #expect(try await browser.answer(secret, member.person).location == "/account")
        let over = try await browser.get("/flow/passphrase")
        #expect(over.status == 200 && over.title == "You are logged in", "\(over)")
    }

    @Test func `needs the key that it began with`() async throws {
        let (_, member, browser) = try await scene("login-key.example")
        let page = try await browser.open("/login")
        let names: [String: String?] = ["company": member.person.company, "employee": member.person.id]
        var withKey = names
        withKey["key"] = Base64URL.encode(member.device.point)
        let key = try await browser.follow(try await browser.submit(try page.form("/login"), withKey))
        let refused = try await browser.prove(key, Device())
        #expect(refused.status == 400 && refused.title == "This browser could not be recognized", "\(refused)")
        for text in ["", "AAAA", "=", Base64URL.encode([UInt8](repeating: 4, count: 65))] {
            withKey["key"] = text
            let refused = try await browser.submit(try page.form("/login"), withKey)
            #expect(refused.status == 400 && refused.text.contains("This browser sent no key."), "\(refused)")
        }
    }

    @Test(arguments: [
        "\"><script>alert(1)</script>", "{{token}}", "javascript:alert(1)", "'; DROP TABLE tenure.entry; --",
        "\u{202E}evil", "\u{FEFF}", "a\r\nSet-Cookie: tenure=x", "a.b.c", "ﷺ", "👩‍👩‍👧", "../../etc", "%00",
        String(repeating: "W", count: 5_000),
    ]) func `takes every name as a text`(name: String) async throws {
        let world = try sharedWorld()
        try await world.enablePages()
        let browser = PageClient(try world.client)
        let page = try await browser.open("/login/\(segment(name))")
        #expect(page.status < 500)
        for (company, id) in [(name, "7"), ("acme.example", name)] {
            let form = try await browser.open("/login").form("/login")
            let reply = try await browser.follow(
                try await browser.submit(
                    form, ["company": company, "employee": id, "key": Base64URL.encode(Device().point)]))
            #expect(reply.status == 200 || reply.status == 400, "\(reply)")
            #expect(!reply.html.contains("<script>alert") && reply.reply.headers["set-cookie"]?.contains("=x") != true)
        }
    }

    @Test func `by blind credentials is told which programs work`() async throws {
        let (party, member, browser) = try await scene("login-blind.example")
        let policy = try await party.world.client.signed(
            by: member, "PATCH", party.world.client.path("login-blind.example", "/policy"), ["blindOnly": true])
        try #require(policy.status == 200, "\(policy)")
        let refused = try await browser.logIn(member.person, member.device)
        #expect(refused.status == 403 && refused.title == "Another program is needed", "\(refused)")
    }
}

/// A log-in in a browser, with a clock of its own.
@Suite(.onServer)
struct `A late log-in in a browser` {
    @Test func `begins again at the same client`() async throws {
        let clock = TestClock()
        var options = WorldOptions.waiting(clock)
        options.servesPages = true
        try await inTurn(options) { world in
            let member = try await world.client.found("login-late.example")
            try await world.linkPages(to: "login-late.example")
            let party = try await RelyingParty.make(world, of: ["login-late.example"])
            let browser = PageClient(try world.client)
            let handle = try handle(try await authorize(party, browser))
            let secret = try await browser.beginLogIn(member.person, member.device, request: handle)
            clock.pass(.seconds(1_801))
            let late = try await browser.answer(secret, member.person)
            #expect(late.status == 409 && late.title == "This log-in has ended", "\(late)")
            let path = try #require(late.html.firstMatch(of: /<a href="(\/answer[^"]*)">/)?.output.1)
            let again = try await browser.open(String(path))
            #expect(again.title.hasPrefix("Log in to"), "\(again)")
            let done = try await browser.logIn(member.person, member.device, request: handle)
            #expect(done.location == "/answer/\(handle)", "\(done)")
        }
    }
}

/// Sends a browser to the authorization endpoint.
private func authorize(
    _ party: RelyingParty, _ browser: PageClient, _ changes: [String: String?] = [:]
) async throws -> Page {
    let query = party.parameters(changes).map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
    return try await browser.get("/authorize?" + query)
}

/// The id of the flow that a redirect to a page names.
private func handle(_ page: Page) throws -> String {
    String(try #require(page.location?.split(separator: "/").last, "\(page)"))
}
