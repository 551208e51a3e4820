import Canonical
import Foundation
import IdentityService
import Ledger
import Postgres
import TenureServer
import Testing
import TestSupport

/// The authorization endpoint and the log-out endpoint, in a browser.
@Suite(.onServer, .sharedWorld)
struct `The authorization endpoint` {
    private func scene(
        _ company: String, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, member: Member, cookie: String) {
        let world = try sharedWorld()
        let member = try await world.client.found(company)
        let party = try await RelyingParty.make(world, of: [company], changing: change)
        return (party, member, try await party.cookie(of: member))
    }

    @Test func `oidcc-ensure-registered-redirect-uri sends nobody to a URI that differs`() async throws {
        let (party, _, cookie) = try await scene("uri.example")
        for uri in [
            RelyingParty.redirect + "/", "https://app.example.com:443/callback", "https://app.example.com/Callback",
            RelyingParty.redirect + "#x", RelyingParty.redirect + "?x=y", "https://evil.example/callback",
        ] {
            for prompt in ["none", "login"] {
                let reply = try await party.authorize(["redirect_uri": uri, "prompt": prompt], cookie: cookie)
                #expect(reply.status == 400 && reply.headers["location"] == nil, "\(uri)")
                let page = String(decoding: reply.body, as: UTF8.self)
                #expect(!page.contains("=\"https://evil") && !page.contains("=\"https://app"), "no link is made of it")
                #expect(reply.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
            }
        }
        let unknown = try await party.authorize(["client_id": UUID().uuidString.lowercased()], cookie: cookie)
        #expect(unknown.status == 400 && unknown.headers["location"] == nil)
        let plain = try await party.world.client.get("/authorize", by: .nobody)
        #expect(plain.status == 400)
    }

    @Test func `oidcc-prompt-none-not-logged-in and every other error have state and iss`() async throws {
        let (party, _, cookie) = try await scene("errors.example")
        for (changes, error) in [
            (["prompt": "none", "max_age": "0"], "login_required"), (["code_challenge": nil], "invalid_request"),
            (["code_challenge_method": "plain"], "invalid_request"), (["scope": "profile"], "invalid_scope"),
            (["response_type": "token"], "unsupported_response_type"), (["request": "x"], "request_not_supported"),
        ] as [([String: String?], String)] {
            let answer = try party.answer(try await party.authorize(changes, cookie: cookie))
            #expect(answer["error"] == error && answer["state"] == "st &te" && answer["iss"] != nil, "\(changes)")
            #expect(answer["code"] == nil)
        }
        let answer = try party.answer(try await party.authorize(["prompt": "none"], cookie: nil))
        #expect(answer["error"] == "login_required")
    }

    @Test func `without a session stores the request for the log-in page, and goes on after it`() async throws {
        let (party, member, _) = try await scene("login.example")
        let asked = try await party.authorize(cookie: nil)
        let location = try #require(asked.headers["location"])
        #expect(asked.status == 303 && location.hasPrefix("/login/"))
        let handle = try party.handle(asked)
        #expect(!location.contains(handle), "the handle stands in an address")
        let call = Call(requestId: "page")
        let pending = try await party.world.service.run(ReadAuthorization(handle: handle, cookie: nil), call)
        #expect(pending?.page == .logIn)
        let cookie = try await party.cookie(of: member)
        let went = try await party.world.service.run(ContinueAuthorization(handle: handle, cookie: cookie), call)
        guard case .redirect(let answer) = went else {
            Issue.record("the request does not go on")
            return
        }
        #expect(answer.url.hasPrefix(RelyingParty.redirect + "?code=") && answer.origin == "https://app.example.com")
        let again = try await party.world.service.run(ContinueAuthorization(handle: handle, cookie: cookie), call)
        #expect(again == .fault(.expired), "a request is answered once")
        for other in ["", "x", String(handle.dropLast()) + "A"] {
            let found = try await party.world.service.run(ContinueAuthorization(handle: other, cookie: cookie), call)
            #expect(found == .fault(.expired))
        }
    }

    @Test func `shows the client as it was when the request arrived, and answers by what holds now`() async throws {
        let (party, member, cookie) = try await scene("shown.example")
        let service = party.world.service, call = Call(requestId: "page")
        let wishes = ["ui_locales": "de fr", "login_hint": "ada", "tenant": "shown.example"]
        let asked = try party.handle(try await party.authorize(wishes, cookie: nil))
        let posted = try await party.browse("/authorize", party.parameters(wishes), cookie: nil, method: "POST")
        let continued = try #require(posted.headers["location"]?.components(separatedBy: "continue=").last)
        let gone = ClientEntry(redirects: ["https://app.example.com/other"], tenants: ["shown.example"])
        let client = try #require(UUID(uuidString: party.app.appId))
        try await party.world.instance.commands.changeClient(appId: client, gone)
        for handle in [asked, continued] {
            let shown = try #require(try await service.run(ReadAuthorization(handle: handle, cookie: nil), call))
            #expect(shown.page == .logIn && shown.client == client && shown.clientName.hasPrefix("client "))
            #expect(shown.loginHint == "ada" && shown.tenant == "shown.example" && shown.locales == ["de", "fr"])
            let fresh = try await party.cookie(of: member)
            #expect(try await service.run(ReadAuthorization(handle: handle, cookie: fresh), call) == nil)
            let went = try await service.run(ContinueAuthorization(handle: handle, cookie: fresh), call)
            #expect(went == .fault(.unknownRedirect))
        }
        // The request of a log-out is none of a client that waits for a log-in, whatever it says.
        let out = try party.handle(try await party.browse("/logout", party.parameters(wishes), cookie: cookie))
        #expect(try await service.run(ReadAuthorization(handle: out, cookie: nil), call) == nil)
        #expect(try await service.run(ContinueAuthorization(handle: out, cookie: nil), call) == .fault(.expired))
    }

    @Test func `oidcc-ensure-post-request-succeeds stores the request and continues with the cookie`() async throws {
        let (party, _, cookie) = try await scene("post.example")
        // The form of another site carries no cookie.
        let stored = try await party.browse("/authorize", party.parameters(), cookie: nil, method: "POST")
        let location = try #require(stored.headers["location"])
        #expect(stored.status == 303 && location.hasPrefix("/authorize?continue="))
        let answer = try party.answer(try await party.browse(location, cookie: cookie))
        #expect(answer["code"] != nil && answer["state"] == "st &te")
    }

    @Test func `takes nobody of a tenant that the client does not list, whoever links it`() async throws {
        let (party, _, _) = try await scene("listed.example")
        let stranger = try await party.world.client.found("stranger.example")
        try await party.world.linkApp(party.app, to: "stranger.example")
        let cookie = try await party.cookie(of: stranger)
        let reply = try await party.authorize(cookie: cookie)
        #expect(reply.headers["location"]?.hasPrefix("/accounts/") == true, "\(reply)")
        let silent = try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))
        #expect(silent["error"] == "account_selection_required" && silent["code"] == nil)
    }

    @Test func `takes nobody of a listed tenant that does not link the client`() async throws {
        let world = try sharedWorld()
        let member = try await world.client.found("unlinked-client.example")
        let party = try await RelyingParty.make(world, of: ["unlinked-client.example"], linkedTo: [])
        let silent = try party.answer(
            try await party.authorize(["prompt": "none"], cookie: try await party.cookie(of: member)))
        #expect(silent["error"] == "account_selection_required")
    }

    @Test func `of a client of any tenant tells whose admin somebody is`() async throws {
        let (party, _, cookie) = try await scene("any.example") { $0.tenants = nil }
        let claims = try await party.tokens(cookie: cookie).claims
        let tenant = try #require(claims["tenant"]?.text)
        #expect(claims["groups"] == [.string(tenant + "/securityAdmin")])
        #expect(claims["preferred_username"] == "founder~any.example")
    }

    @Test func `tells nobody's address as a name, and takes the name back as a hint`() async throws {
        let world = try sharedWorld(), company = "names.example"
        _ = try await world.client.found(company)
        let member = try await world.client.join(Person("ceo@bigcorp.example", at: company))
        let party = try await RelyingParty.make(world, of: [company])
        let claims = try await party.tokens(cookie: try await party.cookie(of: member)).claims
        #expect(claims["preferred_username"] == "ceo%40bigcorp.example", "the address is not verified")
        let anyone = try await RelyingParty.make(world, of: [], linkedTo: [company]) { $0.tenants = nil }
        let wide = try await anyone.tokens(cookie: try await anyone.cookie(of: member)).claims
        #expect(wide["preferred_username"] == "ceo%40bigcorp.example~names.example")

        func page(_ hint: String, _ party: RelyingParty) async throws -> (path: String, AwaitedAuthorization?) {
            let asked = try await party.authorize(["login_hint": hint], cookie: nil)
            let read = ReadAuthorization(handle: try party.handle(asked), cookie: nil)
            return (
                try #require(Page(reply: asked).place), try await world.service.run(read, Call(requestId: "page"))
            )
        }
        let (path, name) = try await page("ceo%40bigcorp.example~names.example", anyone)
        #expect(path == "/login" && name?.loginHint == "ceo@bigcorp.example" && name?.tenant == company)
        #expect(name?.hintIsAddress == false)
        let (other, address) = try await page("ceo@bigcorp.example", party)
        #expect(other == "/login/address" && address?.loginHint == "ceo@bigcorp.example")
        #expect(address?.hintIsAddress == true && address?.page == .logIn)
    }

    @Test func `by POST stores nothing before client, redirect URI and parameters are right`() async throws {
        let (party, _, _) = try await scene("unstored.example")
        func count() async throws -> Int64 {
            try await party.world.number("SELECT count(*) FROM tenure.authorization_request")
        }
        func post(_ changes: [String: String?]) async throws -> HTTPReply {
            try await party.browse("/authorize", party.parameters(changes), cookie: nil, method: "POST")
        }
        // Other tests of this world store requests meanwhile, but seldom as many as these are.
        var growth = Int64.max
        for _ in 0..<10 where growth >= 5 {
            let before = try await count()
            for changes in [
                ["client_id": "x"], ["client_id": UUID().uuidString.lowercased()],
                ["redirect_uri": "https://evil.example/"],
                ["redirect_uri": nil],
            ] as [[String: String?]] {
                let reply = try await post(changes)
                #expect(reply.status == 400 && reply.headers["location"] == nil, "\(changes)")
            }
            #expect(try party.answer(try await post(["scope": "profile"]))["error"] == "invalid_scope")
            growth = try await count() - before
        }
        #expect(growth < 5)
        #expect(try await post([:]).headers["location"]?.hasPrefix("/authorize?continue=") == true)
    }

    @Test func `carries a state of 8 KB through the pages and back`() async throws {
        let (party, member, _) = try await scene("state.example")
        let state = String(repeating: "s", count: 8_192)
        let asked = try await party.authorize(["state": state], cookie: nil)
        let handle = try party.handle(asked)
        let cookie = try await party.cookie(of: member)
        let answer = try party.answer(try await party.browse("/authorize", [("continue", handle)], cookie: cookie))
        #expect(answer["state"] == state && answer["code"] != nil)
    }

    @Test func `gives one effect to consent and refusal at once`() async throws {
        let (party, member, cookie) = try await scene("both.example") { $0.consent = "always" }
        let service = party.world.service
        // Other tests of this world record consents too.
        func given() async throws -> Int {
            try await party.world.client.events(member.person.company, "type=ConsentGiven").count
        }
        for _ in 0..<12 {
            let asked = try await party.authorize(cookie: cookie)
            let handle = try party.handle(asked)
            let before = try await given()
            let answers = try await concurrently(2) { number in
                try await service.run(
                    AnswerConsent(handle: handle, cookie: cookie, isGiven: number == 0), Call(requestId: "tab"))
            }
            let told = answers.compactMap { answer -> String? in
                guard case .redirect(let answer) = answer else { return nil }
                return answer.url
            }
            #expect(told.count == 1, "the other tab is too late")
            let isGiven = told.first?.contains("code=") ?? false
            #expect(try await given() - before == (isGiven ? 1 : 0), "\(told)")
        }
    }

    @Test func `asks for consent once, and a withdrawal ends the grant`() async throws {
        let (party, _, cookie) = try await scene("consent.example") { $0.consent = "once" }
        let asked = try await party.authorize(cookie: cookie), call = Call(requestId: "page")
        #expect(asked.headers["location"]?.hasPrefix("/consent/") == true)
        let handle = try party.handle(asked)
        let foreign = try await party.world.service.run(
            AnswerConsent(handle: handle, cookie: nil, isGiven: true), call)
        guard case .ask(.logIn, _, _) = foreign else {
            Issue.record("an answer counted without the browser session")
            return
        }
        let went = try await party.world.service.run(
            AnswerConsent(handle: handle, cookie: cookie, isGiven: true), call)
        guard case .redirect(let answer) = went, answer.url.contains("code=") else {
            Issue.record("the consent was not enough")
            return
        }
        let tokens = try await party.tokens(cookie: cookie)
        let browser = try #require(try await party.world.service.run(FindBrowserSession(cookie: cookie), call))
        let consents = try await party.world.service.run(ListConsents(browser: browser), call)
        #expect(consents.map(\.scopes) == [["openid", "profile", "email", "groups"]])
        let client = try #require(UUID(uuidString: party.app.appId))
        let pending = try await party.code(cookie: cookie)
        try await party.world.service.run(WithdrawConsent(browser: browser, client: client), call)
        #expect(try await party.redeem(pending)["error"] == "invalid_grant", "a code from before")
        #expect(try await party.userInfo(tokens.access).status == 401)
        #expect(try await party.authorize(cookie: cookie).headers["location"]?.hasPrefix("/consent") == true)
        #expect(try await party.world.service.run(ListConsents(browser: browser), call).isEmpty)

        let second = try await party.authorize(cookie: cookie)
        let next = try party.handle(second)
        let refused = try await party.world.service.run(
            AnswerConsent(handle: next, cookie: cookie, isGiven: false), call)
        guard case .redirect(let told) = refused else {
            Issue.record("the client is not told")
            return
        }
        #expect(told.url.contains("error=access_denied"))
    }

    @Test func `oidcc-rp-initiated-logout ends the session of the hint and returns with state`() async throws {
        let (party, _, cookie) = try await scene("logout.example")
        let tokens = try await party.tokens(cookie: cookie)
        let hint = [("id_token_hint", tokens.id), ("post_logout_redirect_uri", RelyingParty.bye)]
        let foreign = try await RelyingParty.make(party.world, of: ["logout.example"])
        let parts = tokens.id.split(separator: ".").map(String.init)
        let unsigned = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + parts[1] + "."
        // oidcc-rp-initiated-logout-bad-id-token-hint, -modified, -no-id-token-hint: a page asks, and nobody leaves.
        for parameters in [
            [], [("state", "s")], [("post_logout_redirect_uri", RelyingParty.bye)],
            [("id_token_hint", "x"), ("post_logout_redirect_uri", RelyingParty.bye)],
            [("id_token_hint", unsigned), ("post_logout_redirect_uri", RelyingParty.bye)],
            hint + [("client_id", foreign.app.appId)],
        ] {
            let reply = try await party.browse("/logout", parameters, cookie: cookie)
            #expect(reply.headers["location"]?.hasPrefix("/logout/confirm/") == true, "\(parameters)")
        }
        #expect(try await party.userInfo(tokens.access).status == 200, "nothing ended yet")
        // oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri
        let other = try await party.cookie(of: try await party.world.client.found("logout-two.example"))
        let elsewhere = try await party.browse(
            "/logout", [("id_token_hint", tokens.id), ("post_logout_redirect_uri", RelyingParty.bye + "&a=b")],
            cookie: nil)
        #expect(elsewhere.headers["location"] == nil)
        // The hint of somebody else's session ends nothing in this browser.
        let asked = try await party.browse("/logout", hint, cookie: other)
        #expect(asked.headers["location"]?.hasPrefix("/logout/confirm") == true)

        let done = try await party.browse("/logout", hint + [("state", "a&b")], cookie: cookie)
        #expect(try party.answer(done, at: RelyingParty.bye)["state"] == "a&b")
        #expect(done.headers["set-cookie"]?.contains("Max-Age=0") == true)
        #expect(try await party.userInfo(tokens.access).status == 401)
        let after = try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))
        #expect(after["error"] == "login_required")
        // An expired or used hint is fine; without a session there is nothing to ask.
        let again = try await party.browse("/logout", hint, cookie: cookie)
        #expect(again.headers["location"] == RelyingParty.bye)
    }

    @Test func `records what it does, and verification finds nothing wrong`() async throws {
        let (party, _, cookie) = try await scene("recorded.example") { $0.consent = "always" }
        let asked = try await party.authorize(cookie: cookie)
        let handle = try party.handle(asked)
        let went = try await party.world.service.run(
            AnswerConsent(handle: handle, cookie: cookie, isGiven: true), Call(requestId: "page"))
        guard case .redirect(let answer) = went else {
            Issue.record("no code")
            return
        }
        let code = try #require(URLComponents(string: answer.url)?.queryItems?.first { $0.name == "code" }?.value)
        _ = try GrantTokens(try await party.redeem(code))
        _ = try await party.redeem(code)
        let ledger = try await party.world.ledger("recorded.example")
        let types = try await party.world.database.withPool(as: .reader) { pool in
            try await LedgerReader(pool: pool, codes: .unchecked, storesTiles: false).ledger(ledger, limit: 1_000)
                .events.map(\.type)
        }
        for type in ["BrowserSessionOpened", "ConsentGiven", "GrantOpened", "GrantClosed"] {
            #expect(types.count { $0 == type } == 1, "\(type)")
        }
        let request = VerifyRequest(key: try await party.world.logKey(), ledger: ledger)
        let report = try await party.world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        #expect(report.violations == [], "\(report.violations)")
    }
}
