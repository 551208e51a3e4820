import Canonical
import Foundation
import IdentityService
import Postgres
import TenureAPI
import Testing

/// What becomes of a session when somebody logs in again in its browser.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `A second log-in in a browser` {
    private func scene(
        _ company: String
    ) async throws -> (party: RelyingParty, member: Member, browser: PageClient) {
        let world = try sharedWorld(), member = try await world.client.found(company)
        try await world.linkPages(to: company)
        let browser = PageClient(try world.client)
        try #require(try await browser.logIn(member.person, member.device).location == "/account")
        return (try await RelyingParty.make(world, of: [company]), member, browser)
    }

    private func cookie(_ browser: PageClient) throws -> String { try #require(browser.cookies["tenure"]) }

    /// Expects that a cookie opens nothing any more.
    private func expectDead(_ cookie: String, _ party: RelyingParty) async throws {
        let browser = PageClient(try party.world.client)
        browser.set(cookie: "tenure", cookie)
        #expect(try await browser.get("/account").location == "/login")
        let answer = try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))
        #expect(answer["code"] == nil && answer["error"] == "login_required")
    }

    private func events(_ type: String, _ member: Member, _ world: TenureWorld) async throws -> [JSONValue] {
        try await world.client.events(member.person.company, "type=\(type)", by: nil)
    }

    @Test func `of the same person replaces the session, and its grants go on`() async throws {
        let (party, member, browser) = try await scene("replaced.example"), world = party.world
        let old = try cookie(browser), code = try await party.code(cookie: old)
        let online = try await party.tokens(cookie: old)
        let offline = try await party.tokens(["scope": "openid offline_access"], cookie: old)
        try await Task.sleep(for: .milliseconds(1_100))
        #expect(try await browser.logIn(member.person, member.device).location == "/account")
        try await expectDead(old, party)
        #expect(try await browser.get("/account").status == 200)

        let opened = try await events("SessionOpened", member, world).compactMap { $0["data"]?["sessionId"]?.text }
        let closed = try #require(try await events("SessionClosed", member, world).last?["data"])
        #expect(closed["reason"] == "replaced" && closed["successor"]?.text == opened.last)
        #expect(closed["sessionId"]?.text == opened.dropLast().last)
        for tokens in [online, offline] {
            #expect(try await party.userInfo(tokens.access).status == 200)
            let claims = try GrantTokens(try await party.refresh(tokens.refresh)).claims, before = try tokens.claims
            for name in ["auth_time", "acr", "amr", "sid"] { #expect(claims[name] == before[name], "\(name)") }
        }
        // A code of the first session opens a grant under the second one, with the time of its own log-in.
        let late = try GrantTokens(try await party.redeem(code)).claims
        #expect(try late["auth_time"] == online.claims["auth_time"])
        #expect(late["sid"]?.text == opened.last)
        #expect(try await world.violations() == [])
    }

    @Test func `is followed by a log-out at the client of the first one, without a question`() async throws {
        let (party, member, browser) = try await scene("replaced-out.example")
        let tokens = try await party.tokens(["scope": "openid offline_access"], cookie: try cookie(browser))
        let other = try await RelyingParty.make(party.world, of: [member.person.company])
        let elsewhere = try await other.tokens(["scope": "openid offline_access"], cookie: try cookie(browser))
        for _ in 0..<2 { _ = try await browser.logIn(member.person, member.device) }
        let hint = [("id_token_hint", tokens.id), ("post_logout_redirect_uri", RelyingParty.bye)]
        let out = try await party.browse("/logout", hint, cookie: try cookie(browser))
        #expect(out.headers["location"] == RelyingParty.bye, "\(out)")
        try await expectDead(try cookie(browser), party)
        #expect(try await party.userInfo(tokens.access).status == 401)
        #expect(try await party.refresh(tokens.refresh)["error"] == "invalid_grant")
        #expect(try await other.userInfo(elsewhere.access).status == 200, "the other client asked for nothing")
        #expect(try await party.world.violations() == [])
    }

    @Test func `does not fail because a client refreshes its grants in a loop`() async throws {
        let (party, member, browser) = try await scene("replaced-loop.example"), world = party.world
        let online = try await party.tokens(cookie: try cookie(browser))
        let offline = try await party.tokens(["scope": "openid offline_access"], cookie: try cookie(browser))
        let tenant = try #require(try await world.client.get("/v1/me", by: member.session)["tenantId"]?.text)
        // Whenever a log-in moves a grant, the client was quicker: the row is not as it was read.
        try await world.superuser { connection in
            try await connection.executeScript(
                """
                CREATE FUNCTION public.was_quicker() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
                CREATE TRIGGER was_quicker BEFORE UPDATE ON tenure.client_grant FOR EACH ROW
                    WHEN (new.ledger_id = '\(tenant)' AND new.refresh_counter = old.refresh_counter)
                    EXECUTE FUNCTION public.was_quicker();
                """)
        }
        for _ in 0..<2 {
            let again = try await browser.logIn(member.person, member.device)
            #expect(again.location == "/account", "\(again)")
        }
        for tokens in [online, offline] {
            #expect(try await party.userInfo(tokens.access).status == 200)
            #expect(try await party.refresh(tokens.refresh).status == 200)
        }
        // A refresh moves the grant, so a log-out at the client ends it.
        let hint = [("id_token_hint", offline.id), ("post_logout_redirect_uri", RelyingParty.bye)]
        #expect(try await party.browse("/logout", hint, cookie: try cookie(browser)).status == 303)
        #expect(try await party.userInfo(offline.access).status == 401)
        #expect(try await world.violations() == [])
    }

    @Test func `of another person ends the session and what depends on it`() async throws {
        let (party, member, browser) = try await scene("displaced.example"), world = party.world
        let other = try await world.client.found("displacing.example")
        try await world.linkPages(to: other.person.company)
        let old = try cookie(browser), online = try await party.tokens(cookie: old)
        let offline = try await party.tokens(["scope": "openid offline_access"], cookie: old)
        #expect(try await browser.logIn(other.person, other.device).location == "/account")
        try await expectDead(old, party)
        #expect(try await party.userInfo(online.access).status == 401)
        #expect(try await party.userInfo(offline.access).status == 200)
        let closed = try #require(try await events("SessionClosed", member, world).last)
        #expect(closed["data"]?["reason"] == "closed" && closed["data"]?["successor"] == nil)
        let stranger = try await employee(other, world)
        #expect(closed["actor"] == nil && closed["app"] == nil && !"\(closed)".contains(stranger))
        #expect(try await world.violations() == [])
    }

    private func employee(_ member: Member, _ world: TenureWorld) async throws -> String {
        try #require(try await world.client.get("/v1/me", by: member.session)["employeeId"]?.text)
    }

    @Test func `with a cookie that is not its own ends nothing`() async throws {
        let (party, member, browser) = try await scene("foreign-cookie.example"), good = try cookie(browser)
        for text in ["x", String(good.dropLast(4)) + "AAAA", good + "A"] {
            let thief = PageClient(try party.world.client)
            thief.set(cookie: "tenure", text)
            #expect(try await thief.logIn(member.person, member.device).location == "/account")
            #expect(thief.cookies["tenure"] != text)
        }
        #expect(try await browser.get("/account").status == 200)
        #expect(try await events("SessionClosed", member, party.world).isEmpty)
    }
}
