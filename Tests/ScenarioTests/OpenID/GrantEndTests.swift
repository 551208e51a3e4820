import Canonical
import Foundation
import IdentityService
import Ledger
import Postgres
import TenureAPI
import TenureServer
import Testing

/// What ends a grant that outlives its session, who sees it, and what a row is worth that somebody puts back.
@Suite(.onServer, .sharedWorld)
struct `A lasting grant` {
    private static let lasting = ["scope": "openid offline_access"] as [String: String?]

    private func scene(
        _ company: String, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, founder: Member, member: Member, cookie: String) {
        let world = try sharedWorld()
        let founder = try await world.client.found(company)
        let member = try await world.client.join(Person("second", at: company))
        let party = try await RelyingParty.make(world, of: [company], changing: change)
        return (party, founder, member, try await party.cookie(of: member))
    }

    private func grants(of member: Member) async throws -> [JSONValue] {
        let reply = try await sharedWorld().client.get("/v1/me/grants", by: member.session)
        try #require(reply.status == 200, "\(reply)")
        return try #require(reply["items"]?.items)
    }

    /// Expects that a grant goes on or not, and that an admin sees a lasting grant of the person or not.
    private func expect(
        _ tokens: GrantTokens, isOpen: Bool, _ party: RelyingParty, of person: Person, seenBy admin: Member,
        _ why: Comment
    ) async throws {
        #expect(try await party.userInfo(tokens.access).status == (isOpen ? 200 : 401), why)
        if !isOpen { #expect(try await party.refresh(tokens.refresh)["error"] == "invalid_grant", why) }
        let client = try party.world.client
        let listed = try await client.get(client.path(person, "/grants"), by: admin.session)["items"]?.items
        #expect(try #require(listed).contains { $0["isLasting"] == true } == isOpen, why)
    }

    /// Logs in again.
    private func session(of member: Member) async throws -> Member {
        let client = try sharedWorld().client
        return try Member(member.person, member.device, try await client.logIn(member.person, member.device))
    }

    private func browser(_ cookie: String, _ party: RelyingParty) async throws -> BrowserSession {
        try #require(try await party.world.service.run(FindBrowserSession(cookie: cookie), Call(requestId: "browser")))
    }

    /// Answers the question for consent, and returns the code.
    private func consent(
        _ reply: HTTPReply, _ party: RelyingParty, cookie: String
    ) async throws -> String {
        try #require(Page(reply: reply).place == "/consent", "\(reply)")
        let answer = AnswerConsent(handle: try party.handle(reply), cookie: cookie, isGiven: true)
        guard case .redirect(let told) = try await party.world.service.run(answer, Call(requestId: "consent")) else {
            throw Unanswered()
        }
        return try #require(URLComponents(string: told.url)?.queryItems?.first { $0.name == "code" }?.value)
    }

    private struct Unanswered: Error {}

    @Test func `is listed to its person, to admins and to an administering app, and its person ends it`() async throws {
        let (party, founder, member, cookie) = try await scene("listed.example"), client = try party.world.client
        let lasting = try await party.tokens(Self.lasting, cookie: cookie)
        let online = try await party.tokens(cookie: cookie)
        let own = try await grants(of: member)
        #expect(own.count == 2 && own.map { $0["isLasting"] } == [false, true])
        #expect(own.allSatisfy { $0["clientId"]?.text == party.app.appId })
        #expect(own.last?["scopes"] == ["openid", "offline_access"])
        let path = client.path(member.person, "/grants")
        #expect(try await client.get(path, by: founder.session)["items"]?.items.count == 2)
        #expect(try await client.get(path, by: member.session).code == "authorization.not_permitted")
        #expect(try await client.get(client.path(founder.person, "/grants"), by: founder.session)["items"] == [])

        let id = try #require(own.last?["grantId"]?.text)
        let ended = HTTPRequest("DELETE", "/v1/me/grants/\(id)", by: founder.session)
        #expect(try await client.send(ended).status == 204)
        #expect(try await party.userInfo(lasting.access).status == 200, "another person ends nothing")
        for id in [id.uppercased(), id] {
            let own = HTTPRequest("DELETE", "/v1/me/grants/\(id)", by: member.session)
            #expect(try await client.send(own).status == 204)
        }
        try await expect(lasting, isOpen: false, party, of: member.person, seenBy: founder, "ended by its person")
        #expect(try await party.userInfo(online.access).status == 200)
        for method in ["GET", "DELETE"] {
            let reply = try await client.send(HTTPRequest(method, "/v1/me/grants/x", by: member.session))
            #expect(reply.status == (method == "GET" ? 405 : 204))
        }
    }

    @Test func `is shown by its stream, whatever row somebody deletes or puts back`() async throws {
        let (party, founder, member, cookie) = try await scene("putback.example"), world = party.world
        let tokens = try await party.tokens(Self.lasting, cookie: cookie)
        let id = try #require(try await grants(of: member).first?["grantId"]?.text)
        try await world.superuser { connection in
            _ = try await connection.execute("DROP TABLE IF EXISTS public.kept_grant")
            _ = try await connection.execute("CREATE TABLE public.kept_grant AS SELECT * FROM tenure.client_grant")
        }
        let ended = HTTPRequest("DELETE", "/v1/me/grants/\(id)", by: member.session)
        #expect(try await world.client.send(ended).status == 204)
        func putBack() async throws {
            try await world.superuser { connection in
                _ = try await connection.execute(
                    "INSERT INTO tenure.client_grant SELECT * FROM public.kept_grant ON CONFLICT DO NOTHING")
            }
        }
        try await putBack()
        try await expect(tokens, isOpen: false, party, of: member.person, seenBy: founder, "put back after its end")
        // What ends everything passes by such a row.
        let all = try await world.client.send(HTTPRequest("DELETE", "/v1/sessions", by: member.session))
        #expect(all.status == 204, "\(all)")
        try await putBack()
        let next = try await party.cookie(of: try await session(of: member)),
            client = try #require(UUID(uuidString: party.app.appId))
        try await world.service.run(
            WithdrawConsent(browser: try await browser(next, party), client: client), Call(requestId: "withdraw"))
        try await expect(tokens, isOpen: false, party, of: member.person, seenBy: founder, "put back after all ends")
    }

    @Test func `ends with all sessions of its person, by the API and by the page`() async throws {
        let (party, founder, member, cookie) = try await scene("ended-own.example"), client = try party.world.client
        let first = try await party.tokens(Self.lasting, cookie: cookie)
        let out = try await client.send(HTTPRequest("DELETE", "/v1/sessions/current", by: member.session))
        #expect(out.status == 204)
        try await expect(first, isOpen: true, party, of: member.person, seenBy: founder, "a log-out does not end it")
        let second = try await session(of: member)
        let all = try await client.send(HTTPRequest("DELETE", "/v1/sessions", by: second.session))
        #expect(all.status == 204)
        try await expect(
            first, isOpen: false, party, of: member.person, seenBy: founder, "the person ended all sessions")

        let here = try await session(of: member), device = Device()
        expectOutcome(try await client.logIn(member.person, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: member.person), "done")
        let elsewhere = try Member(member.person, device, try await client.logIn(member.person, device))
        let other = try await party.tokens(Self.lasting, cookie: try await party.cookie(of: elsewhere))
        let own = try await party.tokens(Self.lasting, cookie: try await party.cookie(of: here))
        let caller = try await party.world.service.run(
            AuthenticateSession(accessToken: here.accessToken), Call(requestId: "page"))
        try await party.world.service.run(EndOtherSessions(caller: caller), Call(requestId: "page"))
        #expect(try await party.userInfo(other.access).status == 401, "the page ended all other sessions")
        #expect(try await party.refresh(other.refresh)["error"] == "invalid_grant")
        #expect(try await party.userInfo(own.access).status == 200, "the grant of this session goes on")
    }

    @Test func `ends when an admin ends all sessions, and the next one does not`() async throws {
        let (party, founder, member, cookie) = try await scene("ended-admin.example"), client = try party.world.client
        let tokens = try await party.tokens(Self.lasting, cookie: cookie), code = try await party.code(cookie: cookie)
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(member.person, "/sessions/end")), "done")
        try await expect(
            tokens, isOpen: false, party, of: member.person, seenBy: founder, "an admin ended all sessions")
        #expect(try await party.redeem(code)["error"] == "invalid_grant")
        let next = try await party.cookie(of: try await session(of: member))
        let fresh = try await party.tokens(Self.lasting, cookie: next)
        try await expect(fresh, isOpen: true, party, of: member.person, seenBy: founder, "a later log-in")
    }

    @Test(arguments: [true, false])
    func `ends with a change of credentials, and the session of the change opens others`(blind: Bool) async throws {
        let company = "ended-change-\(blind).example"
        let (party, founder, member, cookie) = try await scene(company), client = try party.world.client
        let tokens = try await party.tokens(Self.lasting, cookie: cookie)
        var new = member.person
        new.passphrase = "another passphrase of \(company)"
        let reply =
            blind
            ? try await client.changeBlind(member.person, to: new, member.device)
            : try await client.change(member.person, to: new, member.device)
        let changed = try Member(new, member.device, reply)
        try await expect(tokens, isOpen: false, party, of: new, seenBy: founder, "the credentials were changed")
        let fresh = try await party.tokens(Self.lasting, cookie: try await party.cookie(of: changed))
        try await expect(fresh, isOpen: true, party, of: new, seenBy: founder, "the session of the change")
    }

    @Test func `of a client that asks nobody ends by a withdrawal, and the client asks once`() async throws {
        let (party, founder, member, cookie) = try await scene("withdrawn.example"), service = party.world.service
        let tokens = try await party.tokens(Self.lasting, cookie: cookie),
            pending = try await party.code(cookie: cookie)
        let browser = try await browser(cookie, party), call = Call(requestId: "page")
        let shown = try await service.run(ListConsents(browser: browser), call)
        #expect(shown.map(\.clientID.uuidString) == [party.app.appId.uppercased()])
        #expect(shown.first?.givenAt == nil && shown.first?.lastsUntil != nil)
        let client = try #require(UUID(uuidString: party.app.appId))
        for _ in 0..<2 { try await service.run(WithdrawConsent(browser: browser, client: client), call) }
        try await expect(tokens, isOpen: false, party, of: member.person, seenBy: founder, "withdrawn")
        #expect(try await party.redeem(pending)["error"] == "invalid_grant", "a code from before")
        #expect(try await service.run(ListConsents(browser: browser), call).isEmpty)
        let silent = try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))
        #expect(silent["error"] == "consent_required")
        let code = try await consent(try await party.authorize(Self.lasting, cookie: cookie), party, cookie: cookie)
        let fresh = try GrantTokens(try await party.redeem(code))
        #expect(try await party.userInfo(fresh.access).status == 200)
        _ = try await party.code(cookie: cookie)
        #expect(try await service.run(ListConsents(browser: browser), call).first?.givenAt != nil)
        try await party.world.instance.commands.endApp(client)
        #expect(try await service.run(ListConsents(browser: browser), call).isEmpty, "the client ended")
    }

    @Test func `of a program on the person's computer is asked for each time, and lasts a week`() async throws {
        let loopback = "http://127.0.0.1/callback", scheme = "com.example.app:/callback"
        let (party, _, member, cookie) = try await scene("program.example") {
            $0.isPublic = true
            $0.redirects = [loopback, scheme, RelyingParty.redirect]
        }
        let fields = [("client_id", party.app.appId)]
        for uri in ["http://127.0.0.1:51004/callback", scheme] {
            let asked = Self.lasting.merging(["redirect_uri": uri]) { $1 }
            for _ in 0..<2 {
                let silent = try await party.authorize(asked.merging(["prompt": "none"]) { $1 }, cookie: cookie)
                #expect(try party.answer(silent, at: uri)["error"] == "consent_required", "\(uri)")
                let code = try await consent(
                    try await party.authorize(asked, cookie: cookie), party, cookie: cookie)
                _ = try GrantTokens(try await party.redeem(code, by: .nobody, redirect: uri, adding: fields))
            }
        }
        let week = Timestamp.now().adding(.seconds(7 * 86_400))
        let ends = try await grants(of: member).compactMap { $0["expiresAt"]?.text }
        #expect(ends.count == 4 && ends.allSatisfy { $0 <= week.description }, "\(ends)")
        let code = try await party.code(Self.lasting.merging(["prompt": "none"]) { $1 }, cookie: cookie)
        _ = try GrantTokens(try await party.redeem(code, by: .nobody, adding: fields))
        let last = try await grants(of: member).first?["expiresAt"]?.text
        #expect(try #require(last) > week.description, "at an https redirect it is answered in silence, as before")
    }
}
