import Canonical
import Foundation
import IdentityService
import TenureAPI
import TestSupport
import Testing

/// Whoever comes from a client arrives there, whatever the browser did meanwhile.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `A browser that comes from a client` {
    private func scene(
        _ company: String, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, member: Member, browser: PageClient) {
        let world = try sharedWorld(), member = try await world.client.found(company)
        try await world.linkPages(to: company)
        return (
            try await RelyingParty.make(world, of: [company], changing: change), member, PageClient(try world.client)
        )
    }

    @Test func `arrives by a page that any policy permits, and a reload answers nothing twice`() async throws {
        let (party, member, browser) = try await scene("arrive-page.example")
        let flow = try await browser.ask(party)
        let done = try await browser.follow(try await browser.logIn(member.person, member.device, request: flow))
        #expect(done.status == 200 && done.reply.headers["cache-control"] == "no-store", "\(done)")
        #expect(done.reply.headers["content-security-policy"]?.contains("form-action") == false)
        let code = try #require(try party.answer(done.reply)["code"])
        _ = try GrantTokens(try await party.redeem(code))
        // Reload, and back to each page of the flow.
        for path in ["/answer/\(flow)", "/login/\(flow)", "/flow/\(flow)/passphrase", "/flow/\(flow)/key"] {
            let page = try await browser.get(path)
            #expect(page.status == 200 && page.title == "You are logged in", "\(path): \(page)")
            #expect(page.html.contains("href=\"https://app.example.com/\"") && !page.html.contains("code="))
        }
        let stranger = PageClient(try party.world.client)
        #expect(try await stranger.get("/answer/\(flow)").title == "Begin again here")
    }

    @Test func `gets its answer in a form, errors too`() async throws {
        let (party, member, browser) = try await scene("arrive-form.example") { $0.consent = "always" }
        let flow = try await browser.ask(party, ["response_mode": "form_post"])
        let asked = try await browser.follow(try await browser.logIn(member.person, member.device, request: flow))
        let done = try await browser.submit(try await browser.armed(try asked.form("/consent")))
        let form = try done.form(RelyingParty.redirect)
        #expect(form["state"] == "st &te" && form["iss"] != nil && !done.html.contains("?code="), "\(done)")
        _ = try GrantTokens(try await party.redeem(try #require(form["code"])))

        let cookie = try #require(browser.cookies["tenure"])
        for (changes, error) in [
            (["prompt": "none"], "consent_required"), (["code_challenge_method": "plain"], "invalid_request"),
        ] as [([String: String?], String)] {
            let reply = try await party.authorize(
                changes.merging(["response_mode": "form_post"]) { $1 }, cookie: cookie)
            #expect(reply.status == 200 && reply.headers["location"] == nil)
            #expect(try Page(reply: reply).form(RelyingParty.redirect)["error"] == error)
        }
    }

    @Test func `answers consent and account choice in that page too`() async throws {
        let (party, member, browser) = try await scene("arrive-consent.example") { $0.consent = "always" }
        let flow = try await browser.ask(party)
        let asked = try await browser.follow(try await browser.logIn(member.person, member.device, request: flow))
        let refused = try await browser.submit(try asked.form("/consent"), ["answer": "deny"])
        #expect(try party.answer(refused.reply)["error"] == "access_denied")
        #expect(refused.status == 200 && refused.refresh != nil)
    }

    /// F8: five tabs of applications each morning.
    @Test func `arrives from the log-in page of one tab after the log-in in another`() async throws {
        let (party, member, browser) = try await scene("arrive-tabs.example")
        let other = try await RelyingParty.make(party.world, of: ["arrive-tabs.example"])
        let first = try await browser.ask(party), page = try await browser.open("/login/\(first)")
        let second = try await browser.ask(other)
        let done = try await browser.follow(try await browser.logIn(member.person, member.device, request: second))
        #expect(try other.answer(done.reply)["code"] != nil)
        let names = [
            "company": member.person.company, "employee": member.person.id,
            "key": Base64URL.encode(member.device.point),
        ]
        let late = try await browser.follow(try await browser.submit(try page.form("/login"), names))
        #expect(try party.answer(late.reply)["code"] != nil)
    }

    @Test func `opens two pages at once, and both work`() async throws {
        let (_, member, browser) = try await scene("arrive-fresh.example")
        let first = try await browser.open("/login")
        // The second answer was made before the browser had the cookie of the first one.
        browser.set(cookie: "tenure-form", nil)
        let second = try await browser.open("/login")
        let names = [
            "company": member.person.company, "employee": member.person.id,
            "key": Base64URL.encode(member.device.point),
        ]
        let again = try await browser.submit(try first.form("/login"), names)
        #expect(again.status == 403 && again.text.contains("Send this form once more"), "\(again.text)")
        let form = try again.form("/login")
        #expect(form["company"] == member.person.company && form["employee"] == member.person.id && form["key"] == "")
        for form in [form, try second.form("/login")] {
            let key = try await browser.follow(try await browser.submit(form, names))
            let secret = try await browser.prove(key, member.device)
            #expect(try await browser.answer(secret, member.person).location == "/account")
        }
    }

    @Test func `of an old browser, which does not say which site sends a form, is served`() async throws {
        let (_, member, browser) = try await scene("arrive-old.example")
        let secret = try await browser.beginLogIn(member.person, member.device)
        let form = try secret.form("/flow/passphrase")
        let done = try await browser.submit(
            form, ["passphrase": member.person.passphrase], headers: [("Origin", "null")])
        #expect(done.location == "/account", "\(done)")
    }

    @Test func `keeps eight flows, and each goes on`() async throws {
        let (party, member, browser) = try await scene("arrive-eight.example")
        var flows: [String] = []
        for _ in 0..<9 { flows.append(try await browser.ask(party)) }
        #expect(browser.cookies.keys.count { $0.hasPrefix("tenure-flow-") } == 8)
        let kept = flows.filter { browser.cookies["tenure-flow-" + $0] != nil }
        let done = try await browser.follow(try await browser.logIn(member.person, member.device, request: kept[0]))
        #expect(try party.answer(done.reply)["code"] != nil)
        // The session does for the others.
        for flow in kept.dropFirst() {
            #expect(try party.answer(try await browser.open("/login/\(flow)").reply)["code"] != nil)
        }
    }

    @Test func `is led to the client after a log-out that a page asked about`() async throws {
        let (party, member, browser) = try await scene("arrive-logout.example")
        let other = PageClient(try party.world.client)
        for browser in [browser, other] {
            let flow = try await browser.ask(party)
            _ = try await browser.follow(try await browser.logIn(member.person, member.device, request: flow))
        }
        let hint = try await party.tokens(cookie: try #require(other.cookies["tenure"])).id
        let asked = try await browser.open(
            "/logout?id_token_hint=\(hint)&post_logout_redirect_uri=\(segment(RelyingParty.bye))&state=s")
        let question = try await browser.press("token=", in: asked)
        let done = try await browser.submit(try await browser.armed(try question.form("/logout/confirm")))
        #expect(done.status == 200 && browser.cookies["tenure"] == nil, "\(done)")
        #expect(try party.answer(done.reply, at: RelyingParty.bye)["state"] == "s")
    }
}

/// A browser that comes from a client and waits for the decision about its device key.
@Suite(.onServer)
struct `A browser that waits at a client` {
    @Test func `arrives there after the approval`() async throws {
        try await WaitingScene.with("arrive-wait.example", mails: false) { scene in
            let party = try await RelyingParty.make(scene.world, of: [scene.company])
            let browser = PageClient(scene.client), device = Device()
            let flow = try await browser.ask(party)
            let sent = try await browser.logIn(scene.member.person, device, request: flow)
            #expect(sent.location == "/waiting/\(flow)", "\(sent)")
            expectOutcome(try await scene.client.authorize(device, of: scene.member.person), "done")
            let done = try await browser.follow(try await scene.goOn(browser, device))
            let code = try #require(try party.answer(done.reply)["code"])
            _ = try GrantTokens(try await party.redeem(code))
            #expect(try await browser.get("/waiting/\(flow)").title == "You are logged in")
        }
    }

    @Test func `does not replace the session of somebody else by itself, and goes on with its own`() async throws {
        try await WaitingScene.with("arrive-swap.example", mails: false) { scene in
            let browser = PageClient(scene.client), device = Device(), founder = scene.founder
            #expect(try await browser.logIn(scene.member.person, device).place == "/waiting")
            let wait = try #require(browser.flow).id
            #expect(try await browser.logIn(founder.person, founder.device).location == "/account")
            let session = browser.cookies["tenure"]
            expectOutcome(try await scene.client.authorize(device, of: scene.member.person), "done")
            let page = try await browser.get("/waiting/\(wait)")
            #expect(
                page.text.contains("Log in as \(scene.member.person.id) instead of \(founder.person.id)"),
                "\(page.text)")
            // The module of a tab that was open signs without the button.
            let challenge = try #require(page.attribute("data-wait").flatMap { Base64URL.decode($0) })
            let proof = Base64URL.encode(try bytes(base64: try device.sign(challenge, .raw)))
            let form = try page.form("/waiting/continue")
            let silent = try await browser.submit(form, ["proof": proof, "replaces": ""])
            #expect(silent.location == "/waiting/\(wait)" && browser.cookies["tenure"] == session, "\(silent)")
            #expect(try await browser.submit(form, ["proof": proof]).location == "/account")
            #expect(browser.cookies["tenure"] != session)
            #expect(try await browser.open("/login").text.contains("You are logged in as \(scene.member.person.id)"))
        }
    }

    @Test func `logs nobody in again after a log-out`() async throws {
        try await WaitingScene.with("arrive-out.example", mails: false) { scene in
            let browser = PageClient(scene.client), device = Device(), founder = scene.founder
            _ = try await browser.logIn(scene.member.person, device)
            let wait = try #require(browser.flow).id
            _ = try await browser.logIn(founder.person, founder.device)
            _ = try await browser.submit(try await browser.open("/account").form("/account/logout"))
            #expect(browser.cookies["tenure"] == nil && browser.cookies["tenure-flow-" + wait] == nil)
            #expect(try await browser.get("/waiting/\(wait)").status == 410)
        }
    }
}

extension PageClient {
    /// Sends the browser to the authorization endpoint, and returns the id of the flow that begins.
    func ask(_ party: RelyingParty, _ changes: [String: String?] = [:]) async throws -> String {
        let query = party.parameters(changes).map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
        let asked = try await get("/authorize?" + query)
        return String(try #require(asked.location?.split(separator: "/").last, "\(asked)"))
    }
}
