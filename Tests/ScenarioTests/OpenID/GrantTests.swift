import Canonical
import Foundation
import IdentityService
import TenureServer
import Testing

/// The tokens of a client's grant: where they count, and what ends them.
@Suite(.onServer, .sharedWorld)
struct `A grant of a client` {
    private func scene(
        _ company: String, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, member: Member, cookie: String) {
        let world = try sharedWorld()
        let member = try await world.client.found(company)
        let party = try await RelyingParty.make(world, of: [company], changing: change)
        return (party, member, try await party.cookie(of: member))
    }

    @Test func `has tokens that count at userinfo, introspection and revocation only`() async throws {
        let (party, member, cookie) = try await scene("grant.example")
        let tokens = try await party.tokens(cookie: cookie), client = try party.world.client
        for token in [tokens.access, tokens.refresh, tokens.id] {
            for path in ["/v1/me", "/v1/sessions", "/v1/devices"] {
                #expect(try await client.get(path, by: .session(token)).status == 401)
            }
        }
        let refreshed = try await client.post("/v1/sessions/refresh", ["refreshToken": .string(tokens.refresh)])
        #expect(refreshed.status == 401 && refreshed.code == "session.invalid", "\(refreshed)")
        for token in [member.accessToken, member.refreshToken, tokens.id, tokens.refresh, "x"] {
            let reply = try await party.userInfo(token)
            #expect(reply.status == 401 && reply["error"] == "invalid_token")
            #expect(reply.headers["www-authenticate"]?.contains("invalid_token") == true)
        }
        let silent = try await client.get("/oauth/userinfo", by: .nobody)
        #expect(silent.status == 401 && silent.headers["www-authenticate"] == "Bearer realm=\"tenure\"")

        let seen = try await client.form("/oauth/introspect", [("token", tokens.access)], by: .app(party.app))
        #expect(seen["active"] == true && seen["scope"]?.text == tokens.scope)
        #expect(seen["client_id"]?.text == party.app.appId && seen["aud"]?.text == party.app.appId)
        let foreign = try await client.form("/oauth/introspect", [("token", tokens.access)])
        #expect(try foreign.json == ["active": false])
        let hidden = try await client.form("/oauth/introspect", [("token", tokens.refresh)], by: .app(party.app))
        #expect(try hidden.json == ["active": false])
    }

    @Test func `oidcc-userinfo-get, -post-header and -post-body give the claims of the scopes`() async throws {
        let (party, _, cookie) = try await scene("userinfo.example")
        let tokens = try await party.tokens(["scope": "openid"], cookie: cookie), client = try party.world.client
        let got = try await party.userInfo(tokens.access)
        #expect(Set(try got.json.members.keys) == ["sub", "tenant"], "only the scope openid was granted")
        let posted = try await client.send(HTTPRequest("POST", "/oauth/userinfo", by: .session(tokens.access)))
        #expect(try posted.json == got.json)
        let inBody = try await client.form("/oauth/userinfo", [("access_token", tokens.access)], by: .nobody)
        #expect(try inBody.json == got.json)
        let twice = try await client.form(
            "/oauth/userinfo", [("access_token", tokens.access)], by: .session(tokens.access))
        #expect(twice.status == 400 && twice["error"] == "invalid_request", "a token in two places")
    }

    @Test func `oidcc-refresh-token is rotated, bound to the client, and its reuse ends the grant`() async throws {
        let (party, _, cookie) = try await scene("refresh.example")
        let thief = try await RelyingParty.make(party.world, of: ["refresh.example"])
        let first = try await party.tokens(cookie: cookie)
        #expect(try await thief.refresh(first.refresh)["error"] == "invalid_grant")
        let second = try GrantTokens(try await party.refresh(first.refresh))
        #expect(second.refresh != first.refresh && second.access != first.access)
        #expect(try await party.userInfo(first.access).status == 401, "only the newest access token counts")
        let claims = try second.claims, before = try first.claims
        #expect(claims["nonce"] == nil && claims["auth_time"] == before["auth_time"] && claims["sub"] == before["sub"])
        // A client with a secret may have lost the reply a moment ago.
        let repeated = try GrantTokens(try await party.refresh(first.refresh))
        #expect(repeated.refresh == second.refresh)
        let third = try GrantTokens(try await party.refresh(second.refresh))
        #expect(try await party.refresh(first.refresh)["error"] == "invalid_grant")
        #expect(try await party.userInfo(third.access).status == 401)
        #expect(try await party.refresh(third.refresh)["error"] == "invalid_grant")
    }

    @Test func `gives fewer scopes to a refresh that asks for fewer, and keeps its own`() async throws {
        let (party, _, cookie) = try await scene("narrow.example"), client = try party.world.client
        let first = try await party.tokens(cookie: cookie)
        let narrow = try GrantTokens(try await party.refresh(first.refresh, scope: "openid profile unknown"))
        #expect(narrow.scope == "openid profile")
        let claims = try narrow.claims, info = try await party.userInfo(narrow.access)
        #expect(claims["groups"] == nil && claims["preferred_username"] == "founder")
        #expect(info["groups"] == nil && info["preferred_username"] == "founder", "\(info)")
        let seen = try await client.form("/oauth/introspect", [("token", narrow.access)], by: .app(party.app))
        #expect(seen["scope"] == "openid profile")
        let refused = try await party.refresh(narrow.refresh, scope: "openid offline_access")
        #expect(refused["error"] == "invalid_scope")
        let whole = try GrantTokens(try await party.refresh(narrow.refresh))
        #expect(try whole.scope == first.scope && whole.claims["groups"] == ["securityAdmin"])
        #expect(try await party.userInfo(narrow.access).status == 401, "only the newest access token counts")
    }

    @Test func `of a public client has no leeway for a refresh but the same idempotency key`() async throws {
        let (party, _, cookie) = try await scene("public.example") { $0.isPublic = true }
        func refresh(_ token: String, key: String? = nil) async throws -> HTTPReply {
            var request = HTTPRequest("POST", "/oauth/token")
                .with("Content-Type", "application/x-www-form-urlencoded")
                .with(body: "grant_type=refresh_token&refresh_token=\(token)&client_id=\(party.app.appId)")
            if let key { request = request.with("Idempotency-Key", key) }
            return try await party.world.client.send(request)
        }
        let code = try await party.code(cookie: cookie)
        let first = try GrantTokens(
            try await party.redeem(code, by: .nobody, adding: [("client_id", party.app.appId)]))
        let second = try GrantTokens(try await refresh(first.refresh, key: "k1"))
        let again = try GrantTokens(try await refresh(first.refresh, key: "k1"))
        #expect(again.refresh == second.refresh && again.id == second.id)
        #expect(try await refresh(first.refresh)["error"] == "invalid_grant")
        #expect(try await party.userInfo(second.access).status == 401, "two parties held the grant")
    }

    @Test func `is refreshed once of fifty times at once`() async throws {
        let (party, _, cookie) = try await scene("refreshrace.example") { $0.isPublic = true }
        let code = try await party.code(cookie: cookie)
        let first = try GrantTokens(
            try await party.redeem(code, by: .nobody, adding: [("client_id", party.app.appId)]))
        let replies = try await concurrently(50) { _ in
            try await party.world.client.form(
                "/oauth/token",
                [
                    ("grant_type", "refresh_token"), ("refresh_token", first.refresh),
                    ("client_id", party.app.appId),
                ], by: .nobody)
        }
        #expect(replies.count { $0.status == 200 } <= 1)
        #expect(replies.allSatisfy { $0.status == 200 || $0["error"] == "invalid_grant" })
    }

    @Test func `ends with a revocation by its client`() async throws {
        let (party, _, cookie) = try await scene("revoke.example"), client = try party.world.client
        let thief = try await RelyingParty.make(party.world, of: ["revoke.example"])
        let tokens = try await party.tokens(cookie: cookie)
        let foreign = try await client.form("/oauth/revoke", [("token", tokens.access)], by: .app(thief.app))
        #expect(foreign.status == 200)
        #expect(try await party.userInfo(tokens.access).status == 200, "another client ends nothing")
        #expect(try await client.form("/oauth/revoke", [("token", tokens.refresh)], by: .app(party.app)).status == 200)
        #expect(try await party.userInfo(tokens.access).status == 401)
        #expect(try await client.get("/v1/sessions", by: .session(tokens.access)).status == 401)
    }

    @Test func `ends with the session unless it is offline, and with the link of the client`() async throws {
        let (party, member, cookie) = try await scene("ends.example"), client = try party.world.client
        let online = try await party.tokens(cookie: cookie)
        let offline = try await party.tokens(["scope": "openid offline_access"], cookie: cookie)
        let out = try await client.send(HTTPRequest("DELETE", "/v1/sessions/current", by: member.session))
        #expect(out.status == 204)
        #expect(try await party.userInfo(online.access).status == 401)
        #expect(try await party.userInfo(offline.access).status == 200)
        let app = try #require(UUID(uuidString: party.app.appId))
        try await party.world.instance.commands.unlinkApp(app, from: "ends.example")
        #expect(try await party.userInfo(offline.access).status == 401)
        try await party.world.linkApp(party.app, to: "ends.example")
        #expect(try await party.userInfo(offline.access).status == 401, "a new link revives nothing")
        #expect(try await party.refresh(offline.refresh)["error"] == "invalid_grant")
    }

    @Test func `ends with its client, offline and online`() async throws {
        let (party, _, cookie) = try await scene("ended-client.example")
        let online = try await party.tokens(cookie: cookie)
        let offline = try await party.tokens(["scope": "openid offline_access"], cookie: cookie)
        try await party.world.instance.commands.endApp(try #require(UUID(uuidString: party.app.appId)))
        for tokens in [online, offline] {
            #expect(try await party.userInfo(tokens.access).status == 401)
            #expect(try await party.refresh(tokens.refresh)["error"] == "invalid_client")
        }
        let reply = try await party.authorize(cookie: cookie)
        #expect(reply.status != 303 && !String(decoding: reply.body, as: UTF8.self).contains("code="), "\(reply)")
        #expect(try await party.world.violations() == [])
    }

    @Test func `ends with a log-out by an ID token alone unless it is offline`() async throws {
        let (party, _, cookie) = try await scene("hint-alone.example")
        let other = try await RelyingParty.make(party.world, of: ["hint-alone.example"])
        let online = try await party.tokens(cookie: cookie), elsewhere = try await other.tokens(cookie: cookie)
        let offline = try await party.tokens(["scope": "openid offline_access"], cookie: cookie)
        let hint = [("id_token_hint", online.id), ("post_logout_redirect_uri", RelyingParty.bye)]
        #expect(try await party.browse("/logout", hint, cookie: nil).headers["location"] == RelyingParty.bye)
        #expect(try await party.userInfo(online.access).status == 401)
        #expect(try await party.refresh(online.refresh)["error"] == "invalid_grant")
        #expect(try await party.userInfo(offline.access).status == 200, "nobody showed that it is the person")
        #expect(try await other.userInfo(elsewhere.access).status == 200, "the session goes on")
        #expect(try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))["code"] != nil)
        // With the cookie it is the person, who logs out of the client altogether.
        #expect(try await party.browse("/logout", hint, cookie: cookie).headers["location"] == RelyingParty.bye)
        #expect(try await party.userInfo(offline.access).status == 401)
        #expect(try await party.world.violations() == [])
    }

    @Test func `oidcc-discovery documents agree, and name what there is`() async throws {
        let client = try sharedWorld().client
        let first = try await client.get("/.well-known/openid-configuration", by: .nobody)
        let second = try await client.get("/.well-known/oauth-authorization-server", by: .nobody)
        #expect(first.status == 200 && first.body == second.body)
        let issuer = try #require(first["issuer"]?.text)
        for name in [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "end_session_endpoint", "jwks_uri",
        ] {
            #expect(first[name]?.text?.hasPrefix(issuer + "/") == true, "\(name)")
        }
        #expect(first["code_challenge_methods_supported"] == ["S256"] && first["response_types_supported"] == ["code"])
        #expect(first["authorization_response_iss_parameter_supported"] == true)
    }

    @Test func `is open to scripts of the origins that a client registered`() async throws {
        let (party, _, _) = try await scene("origin.example") { $0.origins = ["https://spa.example.com"] }
        let client = try party.world.client
        func send(_ method: String, _ path: String, _ origin: String) async throws -> HTTPReply {
            try await client.send(HTTPRequest(method, path).with("Origin", origin))
        }
        // The origins are read again every half minute; a call of a later time reads them now.
        let later = Call(requestId: "origin", time: Timestamp.now().adding(.seconds(60)))
        #expect(try await party.world.service.run(IsClientOrigin(origin: "https://spa.example.com"), later))
        let asked = try await send("OPTIONS", "/oauth/token", "https://spa.example.com")
        #expect(asked.status == 204)
        #expect(asked.headers["access-control-allow-origin"] == "https://spa.example.com")
        #expect(asked.headers["access-control-allow-credentials"] == nil)
        for path in ["/.well-known/openid-configuration", "/.well-known/jwks.json", "/oauth/userinfo"] {
            let reply = try await send("GET", path, "https://spa.example.com")
            #expect(reply.headers["access-control-allow-origin"] == "https://spa.example.com", "\(path)")
        }
        for path in ["/authorize", "/logout", "/v1/me"] {
            let reply = try await send("OPTIONS", path, "https://spa.example.com")
            #expect(reply.headers["access-control-allow-origin"] == nil, "\(path)")
        }
        for origin in ["https://spa.example.com.evil.example", "https://evil.example", "null", "*"] {
            let reply = try await send("GET", "/.well-known/jwks.json", origin)
            #expect(reply.headers["access-control-allow-origin"] == nil, "\(origin)")
        }
    }
}
