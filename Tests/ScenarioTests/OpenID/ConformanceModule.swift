import Canonical
import Foundation
import IdentityService
import TenureAPI
import TenureServer
import Testing

/// A module of the OpenID Foundation's conformance suite, stated anew, under its name.
struct ConformanceModule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (ConformanceStage) async throws -> Void

    init(_ name: String, _ check: @escaping @Sendable (ConformanceStage) async throws -> Void) {
        testDescription = name
        self.check = check
    }

    /// A module that changes the request, and expects that it succeeds.
    private static func succeeds(_ name: String, _ changes: [String: String?] = [:]) -> ConformanceModule {
        ConformanceModule(name) { stage in
            let tokens = try await stage.party.tokens(changes, cookie: stage.cookie)
            let info = try await stage.party.userInfo(tokens.access)
            #expect(try info.status == 200 && info["sub"] == tokens.claims["sub"])
        }
    }

    /// A module that changes the request, and expects that the client is told an error and gets no code.
    private static func fails(_ name: String, _ changes: [String: String?], _ error: String) -> ConformanceModule {
        ConformanceModule(name) { stage in
            let answer = try await stage.answer(changes)
            #expect(answer["error"] == error && answer["code"] == nil && answer["state"] == "st &te", "\(answer)")
        }
    }

    /// The modules of the profile Basic OP.
    static let basic = requests + refusals + people + tokens

    /// What a client may send.
    private static let requests: [ConformanceModule] = [
        succeeds("oidcc-server"), succeeds("oidcc-ensure-request-with-valid-pkce-succeeds"),
        succeeds("oidcc-ensure-other-scope-order-succeeds", ["scope": "groups email profile openid"]),
        succeeds("oidcc-scope-profile", ["scope": "openid profile"]),
        succeeds("oidcc-scope-email", ["scope": "openid email"]),
        succeeds("oidcc-scope-address", ["scope": "openid address"]),
        succeeds("oidcc-scope-phone", ["scope": "openid phone"]),
        succeeds("oidcc-scope-all", ["scope": "openid profile email address phone offline_access groups"]),
        succeeds("oidcc-display-page", ["display": "page"]), succeeds("oidcc-display-popup", ["display": "popup"]),
        succeeds("oidcc-login-hint", ["login_hint": "somebody@elsewhere.example"]),
        succeeds("oidcc-ui-locales", ["ui_locales": "se de"]),
        succeeds("oidcc-claims-locales", ["claims_locales": "se"]),
        succeeds("oidcc-claims-essential", ["claims": #"{"userinfo":{"name":{"essential":true}}}"#]),
        succeeds("oidcc-ensure-request-with-acr-values-succeeds", ["acr_values": "1 2"]),
        succeeds("oidcc-ensure-request-with-unknown-parameter-succeeds", ["extra": "foobar", "continue": "x"]),
        ConformanceModule("oidcc-ensure-request-without-nonce-succeeds-for-code-flow") { stage in
            let tokens = try await stage.party.tokens(["nonce": nil], cookie: stage.cookie)
            #expect(try tokens.claims["nonce"] == nil)
        },
        ConformanceModule("oidcc-ensure-post-request-succeeds") { stage in
            let party = stage.party
            let stored = try await party.browse("/authorize", party.parameters(), cookie: nil, method: "POST")
            let location = try #require(stored.headers["location"])
            #expect(stored.status == 303)
            #expect(try party.answer(try await party.browse(location, cookie: stage.cookie))["code"] != nil)
        },
    ]

    /// What a client is refused.
    private static let refusals: [ConformanceModule] = [
        fails("oidcc-response-type-missing", ["response_type": nil], "invalid_request"),
        fails(
            "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
            ["request_uri": "https://app.example.com/request.jwt"], "request_uri_not_supported"),
        fails(
            "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
            ["request": "eyJhbGciOiJub25lIn0.e30."], "request_not_supported"),
        ConformanceModule("oidcc-ensure-request-object-with-redirect-uri") { stage in
            // A request object cannot replace a redirect URI that is not registered.
            let changes = ["request": "eyJhbGciOiJub25lIn0.e30.", "redirect_uri": "https://evil.example/"]
            let reply = try await stage.party.authorize(changes, cookie: stage.cookie)
            #expect(reply.status == 400 && reply.headers["location"] == nil)
        },
        ConformanceModule("oidcc-ensure-registered-redirect-uri") { stage in
            let changes = ["redirect_uri": RelyingParty.redirect + "x"]
            let reply = try await stage.party.authorize(changes, cookie: stage.cookie)
            #expect(reply.status == 400 && reply.headers["location"] == nil)
        },
    ]

    /// Who is there, and since when.
    private static let people: [ConformanceModule] = [
        ConformanceModule("oidcc-prompt-login") { stage in
            try await stage.expectLogIn(["prompt": "login"])
        },
        ConformanceModule("oidcc-max-age-1") { stage in
            try await Task.sleep(for: .milliseconds(2_100))
            try await stage.expectLogIn(["max_age": "1"])
        },
        ConformanceModule("oidcc-max-age-10000") { stage in
            let first = try await stage.party.tokens(cookie: stage.cookie).claims
            let second = try await stage.party.tokens(["max_age": "10000"], cookie: stage.cookie).claims
            #expect(first["auth_time"] == second["auth_time"] && first["sub"] == second["sub"])
        },
        ConformanceModule("oidcc-prompt-none-not-logged-in") { stage in
            let answer = try stage.party.answer(try await stage.party.authorize(["prompt": "none"], cookie: nil))
            #expect(answer["error"] == "login_required" && answer["code"] == nil && answer["iss"] != nil)
        },
        ConformanceModule("oidcc-prompt-none-logged-in") { stage in
            let first = try await stage.party.tokens(cookie: stage.cookie).claims
            let second = try await stage.party.tokens(["prompt": "none"], cookie: stage.cookie).claims
            #expect(first["auth_time"] == second["auth_time"] && first["sub"] == second["sub"])
        },
        ConformanceModule("oidcc-id-token-hint") { stage in
            let hint = try await stage.party.tokens(cookie: stage.cookie)
            let changes = ["prompt": "none", "id_token_hint": hint.id]
            let second = try await stage.party.tokens(changes, cookie: stage.cookie)
            #expect(try second.claims["sub"] == hint.claims["sub"])
        },
    ]

    /// What a client gets, and what it may do with it.
    private static let tokens: [ConformanceModule] = [
        ConformanceModule("oidcc-idtoken-signature") { stage in
            let header = try await stage.party.tokens(cookie: stage.cookie).header
            let keys = try await stage.party.world.client.get("/.well-known/jwks.json", by: .nobody)
            let key = keys["keys"]?.items.first { $0["kid"] == header["kid"] }
            #expect(header["alg"] == "RS256" && key?["kty"] == "RSA" && key?["use"] == "sig")
        },
        ConformanceModule("oidcc-idtoken-unsigned") { stage in
            // `none` is not offered.
            let metadata = try await stage.party.world.client.get("/.well-known/openid-configuration", by: .nobody)
            #expect(metadata["id_token_signing_alg_values_supported"] == ["RS256", "ES256"])
        },
        ConformanceModule("oidcc-userinfo-get") { stage in
            let tokens = try await stage.party.tokens(cookie: stage.cookie)
            let info = try await stage.party.userInfo(tokens.access)
            #expect(try info.status == 200 && info["sub"] == tokens.claims["sub"])
        },
        ConformanceModule("oidcc-userinfo-post-header") { stage in
            let tokens = try await stage.party.tokens(cookie: stage.cookie)
            let request = HTTPRequest("POST", "/oauth/userinfo", by: .session(tokens.access))
            let info = try await stage.party.world.client.send(request)
            #expect(try info.status == 200 && info["sub"] == tokens.claims["sub"])
        },
        ConformanceModule("oidcc-userinfo-post-body") { stage in
            let tokens = try await stage.party.tokens(cookie: stage.cookie), client = try stage.party.world.client
            let info = try await client.form("/oauth/userinfo", [("access_token", tokens.access)], by: .nobody)
            #expect(try info.status == 200 && info["sub"] == tokens.claims["sub"])
        },
        ConformanceModule("oidcc-server-client-secret-post") { stage in
            let app = stage.party.app, code = try await stage.party.code(cookie: stage.cookie)
            let fields = [("client_id", app.appId), ("client_secret", app.secret)]
            _ = try GrantTokens(try await stage.party.redeem(code, by: .nobody, adding: fields))
        },
        ConformanceModule("oidcc-refresh-token") { stage in
            let first = try await stage.party.tokens(["scope": "openid offline_access"], cookie: stage.cookie)
            let other = try await RelyingParty.make(stage.party.world, of: [stage.member.person.company])
            #expect(try await other.refresh(first.refresh)["error"] == "invalid_grant", "bound to the client")
            let (before, after) = (
                try first.claims, try GrantTokens(try await stage.party.refresh(first.refresh)).claims
            )
            for name in ["iss", "sub", "aud", "auth_time", "sid"] { #expect(before[name] == after[name], "\(name)") }
            #expect(after["nonce"] == nil)
        },
        ConformanceModule("oidcc-codereuse") { stage in try await stage.expectOneUse(after: .zero) },
        ConformanceModule("oidcc-codereuse-30seconds") { stage in try await stage.expectOneUse(after: .seconds(30)) },
    ]
}

/// A client, and somebody who is logged in in a browser, for one module.
struct ConformanceStage: Sendable {
    let party: RelyingParty
    let member: Member
    let cookie: String

    init(_ world: TenureWorld) async throws {
        let company = "\(Person.word()).example"
        member = try await world.client.found(company)
        party = try await RelyingParty.make(world, of: [company])
        cookie = try await party.cookie(of: member)
    }

    /// What the client is told.
    func answer(_ changes: [String: String?]) async throws -> [String: String] {
        try party.answer(try await party.authorize(changes, cookie: cookie))
    }

    /// Expects that a request leads to the log-in page, and that the log-in there is the one of the ID token.
    func expectLogIn(_ changes: [String: String?]) async throws {
        let first = try await party.tokens(cookie: cookie).claims
        let asked = try await party.authorize(changes, cookie: cookie)
        let location = try #require(asked.headers["location"]), page = "/login/"
        try #require(location.hasPrefix(page), "\(location)")
        // The claim has whole seconds.
        try await Task.sleep(for: .milliseconds(1_100))
        let again = try await party.world.client.logIn(member.person, member.device)
        let cookie = try await party.cookie(of: Member(member.person, member.device, again))
        let next = "/authorize?continue=\(try party.handle(asked))"
        let answer = try party.answer(try await party.browse(next, cookie: cookie))
        let second = try GrantTokens(try await party.redeem(try #require(answer["code"]))).claims
        #expect(second["sub"] == first["sub"] && second["sid"] != first["sid"])
        #expect(second["auth_time"]?.number ?? 0 > first["auth_time"]?.number ?? .max)
    }

    /// Expects that a code is worth nothing the second time, and what it opened neither.
    func expectOneUse(after wait: Duration) async throws {
        let code = try await party.code(cookie: cookie), tokens = try GrantTokens(try await party.redeem(code))
        let caller = AuthenticateClient(clientID: party.app.appId, secret: party.app.secret)
        let client = try #require(try await party.world.service.run(caller, Call(requestId: "client")))
        let again = RedeemCode(
            client: client, code: code, redirect: RelyingParty.redirect, verifier: party.verifier)
        let answer = try await party.world.service.run(
            again, Call(requestId: "again", time: Timestamp.now().adding(wait)))
        guard case .refused(let refusal) = answer else {
            Issue.record("a code was redeemed twice")
            return
        }
        #expect(refusal.error == "invalid_grant")
        #expect(try await party.userInfo(tokens.access).status == 401)
        #expect(try await party.refresh(tokens.refresh)["error"] == "invalid_grant")
    }
}
