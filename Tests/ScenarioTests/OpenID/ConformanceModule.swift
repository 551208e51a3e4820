import Canonical
import Foundation
import IdentityService
import TenureAPI
import TenureServer
import Testing

/// A module of the OpenID Foundation's conformance suite, stated anew, under its name. It sends what the suite sends:
/// `openid` is the only scope where it names no others, and there is a challenge in one module only.
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

    /// A module that the suite skips, because the metadata do not list the scopes that it requests. A request with them is
    /// no error.
    private static func skips(_ name: String, _ scopes: String) -> ConformanceModule {
        ConformanceModule(name) { stage in
            let metadata = try await stage.party.world.client.get("/.well-known/openid-configuration", by: .nobody)
            let known = metadata["scopes_supported"]?.items.compactMap(\.text) ?? []
            #expect(scopes.split(separator: " ").contains { !known.contains(String($0)) })
            let tokens = try await stage.party.tokens(["scope": scopes], cookie: stage.cookie)
            #expect(try await stage.party.userInfo(tokens.access).status == 200)
        }
    }

    /// What a client may send.
    private static let requests: [ConformanceModule] = [
        succeeds("oidcc-server"),
        ConformanceModule("oidcc-ensure-request-with-valid-pkce-succeeds") { stage in
            var party = stage.party
            party.usesPKCE = true
            let tokens = try await party.tokens(cookie: stage.cookie)
            #expect(try await party.userInfo(tokens.access).status == 200)
            // A client of the suite that did so needs a challenge from then on: the next plan is for another client.
            let answer = try await stage.answer([:])
            #expect(answer["error"] == "invalid_request")
        },
        ConformanceModule("oidcc-scope-profile") { stage in
            let tokens = try await stage.party.tokens(["scope": "openid profile"], cookie: stage.cookie)
            let info = try await stage.party.userInfo(tokens.access)
            #expect(tokens.scope == "openid profile" && info["preferred_username"] == "founder", "\(info)")
            // The suite warns that the others of this scope are missing.
            for name in ["name", "given_name", "family_name", "locale"] { #expect(info[name] == nil) }
            #expect(info["updated_at"] != nil)
        },
        ConformanceModule("oidcc-scope-email") { stage in
            let tokens = try await stage.party.tokens(["scope": "openid email"], cookie: stage.cookie)
            let info = try await stage.party.userInfo(tokens.access)
            #expect(tokens.scope == "openid email" && info.status == 200)
            #expect(info["email"] == nil && info["email_verified"] == nil, "a warning: the address is not verified")
        },
        skips("oidcc-scope-address", "openid address"), skips("oidcc-scope-phone", "openid phone"),
        skips("oidcc-scope-all", "openid email phone address profile"),
        ConformanceModule("oidcc-alternate-happy-flow") { stage in
            // The scopes stand in reverse, and so do the parameters.
            let parameters = stage.party.parameters(["scope": "email openid"])
            for sorted in [parameters.sorted { $0.0 > $1.0 }, parameters.sorted { $0.0 < $1.0 }] {
                let reply = try await stage.party.browse("/authorize", sorted, cookie: stage.cookie)
                let answer = try stage.party.answer(reply)
                let tokens = try GrantTokens(try await stage.party.redeem(try #require(answer["code"])))
                #expect(try await stage.party.userInfo(tokens.access).status == 200 && answer["state"] == "st &te")
            }
        },
        succeeds("oidcc-display-page", ["display": "page"]), succeeds("oidcc-display-popup", ["display": "popup"]),
        succeeds("oidcc-login-hint", ["login_hint": "buffy@id.example"]),
        succeeds("oidcc-ui-locales", ["ui_locales": "se"]), succeeds("oidcc-claims-locales", ["claims_locales": "se"]),
        ConformanceModule("oidcc-claims-essential") { stage in
            let claims = #"{"userinfo":{"name":{"essential":true}}}"#
            let tokens = try await stage.party.tokens(["claims": claims], cookie: stage.cookie)
            let info = try await stage.party.userInfo(tokens.access)
            #expect(try info.status == 200 && info["name"] == nil && tokens.claims["name"] == nil, "a warning")
        },
        succeeds("oidcc-ensure-request-with-acr-values-succeeds", ["acr_values": "1 2"]),
        succeeds("oidcc-ensure-request-with-unknown-parameter-succeeds", ["extra": "foobar"]),
        ConformanceModule("oidcc-ensure-request-without-nonce-succeeds-for-code-flow") { stage in
            let tokens = try await stage.party.tokens(["nonce": nil], cookie: stage.cookie)
            #expect(try tokens.claims["nonce"] == nil)
        },
        ConformanceModule("oidcc-ensure-post-request-succeeds") { stage in
            let party = stage.party
            let stored = try await party.browse("/authorize", party.parameters(), cookie: nil, method: "POST")
            let location = try #require(stored.headers["location"])
            #expect(stored.status == 303)
            let code = try #require(try party.answer(try await party.browse(location, cookie: stage.cookie))["code"])
            _ = try GrantTokens(try await party.redeem(code))
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
            let first = try await stage.party.offlineTokens(cookie: stage.cookie)
            var other = try await RelyingParty.make(stage.party.world, of: [stage.member.person.company])
            (other.usesPKCE, other.changes) = (false, stage.party.changes)
            other.changes["nonce"] = String(repeating: "n", count: 43)
            let foreign = try await other.offlineTokens(cookie: stage.cookie)
            #expect(try await stage.party.refresh(foreign.refresh)["error"] == "invalid_grant", "bound to the client")
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

    /// - Parameter mode: How the client wants to be answered.
    init(_ world: TenureWorld, mode: String? = nil) async throws {
        let company = "\(Person.word()).example"
        member = try await world.client.found(company)
        var party = try await RelyingParty.make(world, of: [company])
        (party.usesPKCE, party.changes) = (false, ["scope": "openid", "response_mode": mode])
        self.party = party
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
            client: client, code: code, redirect: RelyingParty.redirect, verifier: nil)
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

extension RelyingParty {
    /// The tokens of a grant that outlives the session, after the person consented on the page.
    fileprivate func offlineTokens(cookie: String) async throws -> GrantTokens {
        let asked = try await authorize(["scope": "openid offline_access", "prompt": "consent"], cookie: cookie)
        try #require(Page(reply: asked).place == "/consent", "\(asked)")
        let consent = AnswerConsent(handle: try handle(asked), cookie: cookie, isGiven: true)
        let answer = try await world.service.run(consent, Call(requestId: "page"))
        guard case .redirect(let told) = answer else { throw Flow.Unexpected(description: "no code") }
        #expect(told.isFormPost == (changes["response_mode"] == "form_post"))
        let code = told.fields.first { $0.name == "code" }?.value
        return try GrantTokens(try await redeem(try #require(code)))
    }
}
