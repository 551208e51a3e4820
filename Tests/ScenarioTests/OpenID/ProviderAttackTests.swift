import Canonical
import Foundation
import IdentityService
import Ledger
import TenureAPI
import TenureServer
import TestSupport
import Testing

/// What somebody tries who holds a code, a token or a cookie that is worth nothing any more, or never was.
@Suite(.onServer, .sharedWorld)
struct `An attacker at the provider` {
    private func scene(
        _ company: String, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, founder: Member, member: Member, cookie: String) {
        let world = try sharedWorld()
        let founder = try await world.client.found(company)
        let member = try await world.client.join(Person("second", at: company))
        let party = try await RelyingParty.make(world, of: [company], changing: change)
        return (party, founder, member, try await party.cookie(of: member))
    }

    /// Expects that a code, an online grant and an offline grant have ended, and that there is no way to another one.
    private func expectEnded(
        _ code: String, _ grants: [GrantTokens], _ party: RelyingParty, cookie: String, _ why: String
    ) async throws {
        #expect(try await party.redeem(code)["error"] == "invalid_grant", "\(why)")
        for grant in grants {
            #expect(try await party.userInfo(grant.access).status == 401, "\(why)")
            #expect(try await party.refresh(grant.refresh)["error"] == "invalid_grant", "\(why)")
            #expect(try await !party.world.client.isActive(grant.access, by: .app(party.app)), "\(why)")
        }
        let answer = try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))
        #expect(answer["code"] == nil && answer["error"] != nil, "\(why)")
    }

    /// A code, an online grant and an offline grant.
    private func holdings(
        _ party: RelyingParty, cookie: String
    ) async throws -> (code: String, grants: [GrantTokens]) {
        let online = try await party.tokens(cookie: cookie)
        let offline = try await party.tokens(["scope": "openid offline_access"], cookie: cookie)
        #expect(try await party.userInfo(offline.access).status == 200)
        return (try await party.code(cookie: cookie), [online, offline])
    }

    @Test func `has nothing left when the person is cancelled`() async throws {
        let (party, founder, member, cookie) = try await scene("cancelled-person.example")
        let (code, grants) = try await holdings(party, cookie: cookie), client = try party.world.client
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(member.person, "/cancellation")), "done")
        try await expectEnded(code, grants, party, cookie: cookie, "cancelled")
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(member.person, "/reinstatement")), "done")
        try await expectEnded(code, grants, party, cookie: cookie, "reinstated")
    }

    @Test func `has nothing left when the device key is revoked`() async throws {
        let (party, founder, member, cookie) = try await scene("revoked-key.example")
        let (code, grants) = try await holdings(party, cookie: cookie), client = try party.world.client
        let path = client.path(member.person, "/keys/\(member.device.fingerprint)/revocation")
        expectOutcome(try await client.signed(by: founder, "POST", path, ["reason": "lost"]), "done")
        try await expectEnded(code, grants, party, cookie: cookie, "the key is revoked")
    }

    @Test func `has nothing left when the app is unlinked that logged the person in`() async throws {
        let (party, _, _, cookie) = try await scene("unlinked-pages.example")
        let (code, grants) = try await holdings(party, cookie: cookie)
        let pages = try #require(UUID(uuidString: party.world.app.appId))
        try await party.world.instance.commands.unlinkApp(pages, from: "unlinked-pages.example")
        try await expectEnded(code, grants, party, cookie: cookie, "unlinked")
        try await party.world.linkApp(party.world.app, to: "unlinked-pages.example")
        try await expectEnded(code, grants, party, cookie: cookie, "linked again")
    }

    @Test func `has nothing left when the client's secret is revoked`() async throws {
        let (party, _, _, cookie) = try await scene("revoked-secret.example"), world = party.world
        let app = try #require(UUID(uuidString: party.app.appId))
        let issued = try await world.instance.commands.issueSecret(
            appId: app, roles: Set(AppLinkRequest.Role.allCases))
        let other = TestApp(appId: party.app.appId, secret: issued.secret, salt: issued.salt)
        let kept = try await party.tokens(cookie: cookie)
        let lost = try GrantTokens(try await party.redeem(try await party.code(cookie: cookie), by: .app(other)))
        try await world.instance.commands.revokeSecret(appId: app, secretId: issued.secretId)
        #expect(try await party.userInfo(lost.access).status == 401)
        #expect(try await party.refresh(lost.refresh)["error"] == "invalid_grant", "with the other secret")
        #expect(try await party.refresh(kept.refresh, by: .app(other))["error"] == "invalid_client")
        #expect(try await party.userInfo(kept.access).status == 200)
    }

    @Test func `gets no longer life by offline_access than the settings and the role permit`() async throws {
        let (party, founder, _, cookie) = try await scene("offline.example"), world = party.world
        let asked = ["scope": "openid offline_access"] as [String: String?]
        let admin = try await party.tokens(asked, cookie: try await party.cookie(of: founder))
        let employee = try await party.tokens(asked, cookie: cookie)
        let secret = AuthenticateClient(clientID: party.app.appId, secret: party.app.secret)
        let client = try #require(try await world.service.run(secret, Call(requestId: "client")))
        func isIssued(_ tokens: GrantTokens, after hours: Int) async throws -> Bool {
            let time = Timestamp.now().adding(.seconds(hours * 3_600))
            // A scope that the grant lacks is refused after everything else was permitted, and changes nothing.
            let request = RefreshGrant(client: client, refreshToken: tokens.refresh, scope: "groups")
            guard case .refused(let refusal) = try await world.service.run(request, Call(requestId: "r", time: time))
            else { return true }
            return refusal.error == "invalid_scope"
        }
        #expect(try await isIssued(employee, after: 29 * 24))
        #expect(try await !isIssued(employee, after: 31 * 24))
        #expect(try await isIssued(admin, after: 23))
        #expect(try await !isIssued(admin, after: 25), "an admin's ends after a day")
    }

    @Test func `gains nothing by a cookie from before the log-in, or by a changed one`() async throws {
        let (party, founder, member, cookie) = try await scene("cookies.example"), world = party.world
        // What was in the browser before is the value of another session, and stays that.
        let planted = try await party.cookie(of: founder)
        let again = try await world.client.logIn(member.person, member.device)
        let fresh = try await party.cookie(of: Member(member.person, member.device, again))
        #expect(Set([planted, cookie, fresh]).count == 3, "each log-in has a new value")
        let call = Call(requestId: "browser")
        let (before, after) = (
            try await world.service.run(FindBrowserSession(cookie: planted), call),
            try await world.service.run(FindBrowserSession(cookie: fresh), call)
        )
        #expect(before?.employeeID != after?.employeeID)

        var bytes = try #require(Base64URL.decode(cookie))
        for place in [0, 16, 32, 63] {
            bytes[place] ^= 1
            let answer = try party.answer(
                try await party.authorize(["prompt": "none"], cookie: Base64URL.encode(bytes)))
            #expect(answer["error"] == "login_required", "byte \(place)")
            bytes[place] ^= 1
        }
        // Two values are none: the browser cannot tell which of them a page of another host has set.
        let both = try await party.authorize(["prompt": "none"], cookie: "\(cookie); tenure=\(planted)")
        #expect(try party.answer(both)["error"] == "login_required")
        // Pages read no bearer token, and the API reads no cookie.
        var request = HTTPRequest("GET", "/v1/me").with("Cookie", "tenure=\(cookie)")
        #expect(try await world.client.send(request).status == 401)
        let query = party.parameters(["prompt": "none"]).map { "\(segment($0.0))=\(segment($0.1))" }
        request = HTTPRequest("GET", "/authorize?" + query.joined(separator: "&"), by: member.session)
        #expect(try party.answer(try await world.client.send(request))["error"] == "login_required")

        let out = try await world.client.send(HTTPRequest("DELETE", "/v1/sessions/current", by: member.session))
        #expect(out.status == 204)
        let ended = try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))
        #expect(ended["error"] == "login_required", "a cookie ends with its session")
        #expect(try party.answer(try await party.authorize(["prompt": "none"], cookie: fresh))["code"] != nil)
    }

    @Test func `of a native app may choose its port, and nothing else of the redirect URI`() async throws {
        let registered = ["http://127.0.0.1/callback", "http://[::1]:4000/callback?a=b", "http://localhost:5000/"]
        let (party, _, _, cookie) = try await scene("native.example") {
            $0.isPublic = true
            $0.redirects = registered
        }
        let (uri, fields) = ("http://127.0.0.1:51004/callback", [("client_id", party.app.appId)])
        #expect(
            try party.answer(
                try await party.authorize(["redirect_uri": uri, "prompt": "none"], cookie: cookie), at: uri)["error"]
                == "consent_required", "a program of the machine asks in silence")
        let first = try #require(try await code(at: uri, party, cookie: cookie))
        _ = try GrantTokens(try await party.redeem(first, by: .nobody, redirect: uri, adding: fields))
        let other = try #require(try await code(at: uri, party, cookie: cookie))
        let elsewhere = try await party.redeem(
            other, by: .nobody, redirect: "http://127.0.0.1:51005/callback", adding: fields)
        #expect(elsewhere["error"] == "invalid_grant", "the code is for one port")
        #expect(try await code(at: "http://[::1]:9/callback?a=b", party, cookie: cookie) != nil)
        for uri in [
            "http://localhost:5001/", "https://127.0.0.1:51004/callback", "http://127.0.0.1:51004/Callback",
            "http://127.0.0.1:51004/callback/", "http://127.0.0.1:51004/callback#x", "http://127.0.0.1:0/callback",
            "http://127.0.0.1:51004.evil.example/callback", "http://127.0.0.1:51004@evil.example/callback",
            "http://[::1]:51004/callback", "http://127.0.0.2:51004/callback",
        ] {
            let reply = try await party.authorize(["redirect_uri": uri, "prompt": "none"], cookie: cookie)
            #expect(reply.status == 400 && reply.headers["location"] == nil, "\(uri)")
        }
    }

    private func code(at uri: String, _ party: RelyingParty, cookie: String) async throws -> String? {
        let asked = try await party.authorize(["redirect_uri": uri], cookie: cookie)
        guard Page(reply: asked).place == "/consent" else { return nil }
        let answer = AnswerConsent(handle: try party.handle(asked), cookie: cookie, isGiven: true)
        guard case .redirect(let told) = try await party.world.service.run(answer, Call(requestId: "consent")) else {
            return nil
        }
        return URLComponents(string: told.url)?.queryItems?.first { $0.name == "code" }?.value
    }

    @Test func `gets an answer to every input, and no defect`() async throws {
        let (party, _, _, cookie) = try await scene("input.example"), client = try party.world.client
        let texts = [
            "%00", "%FF", "%", "%C3%28", "%EF%BF%BF", "\u{7F}", "%0A%0D", "%22%3E%3Cscript%3E", "&&==", "%E2%80%AE",
            String(repeating: "%01", count: 4_000), String(repeating: "%5C", count: 9_000),
            String(repeating: "a", count: 15_000),
        ].map { $0.replacingOccurrences(of: "\u{7F}", with: "%7F") }
        let names = ["state", "nonce", "login_hint", "id_token_hint", "tenant", "ui_locales", "continue", "claims"]
        for text in texts {
            for name in names {
                let fields = party.parameters([name: nil]).map { "\(segment($0.0))=\(segment($0.1))" }
                let form = (fields + ["\(name)=\(text)"]).joined(separator: "&")
                for path in ["/authorize", "/logout"] {
                    let posted = HTTPRequest("POST", path).with("Cookie", "tenure=\(cookie)")
                        .with("Content-Type", "application/x-www-form-urlencoded").with(body: form)
                    let reply = try await client.send(posted)
                    #expect(reply.status < 500, "\(path) \(name) \(text.prefix(8)): \(reply)")
                    #expect(!String(decoding: reply.body, as: UTF8.self).contains("<script>"))
                    guard let next = reply.headers["location"], next.hasPrefix("/authorize?continue=") else { continue }
                    let going = try await party.browse(next, cookie: cookie)
                    #expect(going.status < 500, "\(name) \(text.prefix(8)): \(going)")
                }
            }
            for path in ["/oauth/token", "/oauth/userinfo", "/oauth/revoke", "/oauth/introspect"] {
                for name in ["grant_type", "code", "refresh_token", "access_token", "token", "client_id"] {
                    let request = HTTPRequest("POST", path, by: .app(party.app))
                        .with("Content-Type", "application/x-www-form-urlencoded").with(body: "\(name)=\(text)")
                    #expect(try await client.send(request).status < 500, "\(path) \(name) \(text.prefix(8))")
                }
            }
        }
        #expect(try await party.code(cookie: cookie).isEmpty == false)
    }
}
