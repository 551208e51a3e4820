import Canonical
import IdentityService
import TenureServer
import Testing

extension ConformanceModule {
    /// The modules of the profile RP-Initiated Logout OP.
    static let logOut: [ConformanceModule] = [
        ConformanceModule("oidcc-rp-initiated-logout") { stage in
            let done = try await stage.logOut(["state": "a&b"])
            #expect(try stage.party.answer(done, at: RelyingParty.bye)["state"] == "a&b")
            try await stage.expectLoggedOut()
        },
        ConformanceModule("oidcc-rp-initiated-logout-no-state") { stage in
            #expect(try await stage.logOut([:]).headers["location"] == RelyingParty.bye)
            try await stage.expectLoggedOut()
        },
        asks("oidcc-rp-initiated-logout-bad-id-token-hint", ["id_token_hint": "x"]),
        asks("oidcc-rp-initiated-logout-no-id-token-hint", ["id_token_hint": nil]),
        asks(
            "oidcc-rp-initiated-logout-no-params", ["id_token_hint": nil, "post_logout_redirect_uri": nil]),
        asks(
            "oidcc-rp-initiated-logout-only-state",
            ["id_token_hint": nil, "post_logout_redirect_uri": nil, "state": "s"]),
        ConformanceModule("oidcc-rp-initiated-logout-modified-id-token-hint") { stage in
            let parts = try await stage.party.tokens(cookie: stage.cookie).id.split(separator: ".").map(String.init)
            let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
            for hint in ["\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])."] {
                let reply = try await stage.logOut(["id_token_hint": hint])
                #expect(reply.headers["location"]?.hasPrefix("/logout/confirm/") == true, "\(reply)")
            }
            #expect(try await stage.answer(["prompt": "none"])["code"] != nil, "nobody is logged out yet")
        },
        stays(
            "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
            ["post_logout_redirect_uri": "https://evil.example/"]),
        stays(
            "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
            ["post_logout_redirect_uri": RelyingParty.bye + "&foo=bar"]),
        stays("oidcc-rp-initiated-logout-no-post-logout-redirect-uri", ["post_logout_redirect_uri": nil]),
    ]

    /// A module in which a page asks first. After it the person is logged out, and nobody is sent away.
    private static func asks(_ name: String, _ changes: [String: String?]) -> ConformanceModule {
        ConformanceModule(name) { stage in
            let reply = try await stage.logOut(changes), page = "/logout/confirm/"
            let location = try #require(reply.headers["location"])
            try #require(location.hasPrefix(page), "\(location)")
            #expect(reply.headers["set-cookie"]?.contains("Max-Age=0") == false)
            #expect(try await stage.answer(["prompt": "none"])["code"] != nil, "nobody is logged out yet")
            let confirmed = ConfirmLogOut(handle: try stage.party.handle(reply), cookie: stage.cookie)
            guard case .done = try await stage.party.world.service.run(confirmed, Call(requestId: "page")) else {
                Issue.record("the browser is sent away")
                return
            }
            try await stage.expectLoggedOut()
        }
    }

    /// A module in which the person is logged out and the browser stays.
    private static func stays(_ name: String, _ changes: [String: String?]) -> ConformanceModule {
        ConformanceModule(name) { stage in
            let reply = try await stage.logOut(changes)
            #expect(reply.status == 200 && reply.headers["location"] == nil, "\(reply)")
            #expect(reply.headers["content-type"]?.hasPrefix("text/html") == true)
            try await stage.expectLoggedOut()
        }
    }
}

extension ConformanceStage {
    /// Logs out with an ID token of the session and the registered URI, but for the changes.
    fileprivate func logOut(_ changes: [String: String?]) async throws -> HTTPReply {
        let hint = try await party.tokens(cookie: cookie).id
        var values: [String: String] = ["id_token_hint": hint, "post_logout_redirect_uri": RelyingParty.bye]
        for (name, value) in changes { values[name] = value }
        return try await party.browse("/logout", values.map { ($0.key, $0.value) }, cookie: cookie)
    }

    fileprivate func expectLoggedOut() async throws {
        #expect(try await answer(["prompt": "none"])["error"] == "login_required")
        #expect(try await party.world.client.get("/v1/me", by: member.session).status == 401)
    }
}
