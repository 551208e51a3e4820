import Canonical
import FoundationEssentials
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// The authorization endpoint and the log-out endpoint as browsers see them.
@Suite struct ProviderRouteTests {
    private static let paths = ["/authorize?client_id=a&state=evil", "/logout?state=evil"]

    private func service(_ change: (inout ProviderAnswers) -> Void) -> FakeService {
        var service = FakeService()
        change(&service.provider)
        return service
    }

    @Test(arguments: [AuthorizationAnswer.Fault.unknownClient, .unknownRedirect, .tooLarge])
    func `oidcc-ensure-registered-redirect-uri shows a page that links nowhere, and no frame shows it`(
        fault: AuthorizationAnswer.Fault
    ) async throws {
        try await Browser.with(service { $0.authorization = .now(.fault(fault)) }) { browser in
            let page = try await browser.get(Self.paths[0])
            #expect(page.status == 400 && page.header("Location") == nil)
            #expect(page.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
            #expect(page.header("Referrer-Policy") == "no-referrer" && page.header("Cache-Control") == "no-store")
            #expect(!page.text.contains("evil") && !page.text.contains("href=\"http"))
        }
    }

    @Test(arguments: [AuthorizationAnswer.Fault.unknownClient, .unknownRedirect])
    func `the page shows what the client sent, cut off, and never as markup or words`(
        fault: AuthorizationAnswer.Fault
    ) async throws {
        @Sendable func code(_ text: String) -> String { "<code translate=\"no\">\(text)</code>" }
        try await Browser.with(service { $0.authorization = .now(.fault(fault)) }) { browser in
            let uri = "https://app.example.com/cb?a=%22%3E%3Cscript%3E%20call%20me%C3%A9"
            let page = try await browser.get("/authorize?client_id=7f&redirect_uri=" + PercentEncoding.encode(uri))
            #expect(page.text.contains(code("client_id") + ": " + code("7f")), "\(page.text)")
            let shown = code("redirect_uri") + ": <code translate=\"no\">https://app.example.com/cb?a=%22%3E%3Cscript"
            #expect(page.text.contains(shown))
            let spoken = try await browser.post("/authorize", [("client_id", "\"><b>call me é"), ("redirect_uri", "")])
            #expect(spoken.text.contains(code("&quot;&gt;&lt;b&gt;call%20me%20%C3%A9")), "\(spoken.text)")
            #expect(spoken.text.contains(code("redirect_uri") + ": missing"))
            let long = try await browser.get("/authorize?client_id=\(String(repeating: "x", count: 300))&client_id=x")
            #expect(long.text.contains(code("client_id") + ": given twice") && !long.text.contains("xxx"))
            let cut = try await browser.get("/authorize?client_id=\(String(repeating: "x", count: 300))")
            #expect(cut.text.contains(code(String(repeating: "x", count: 200) + "…")))
        }
    }

    @Test func `a request that is over leads to its client if the browser knows it, and else to the account`()
        async throws
    {
        try await Browser.with { browser in
            let unknown = try await browser.get("/authorize?continue=gone")
            #expect(unknown.status == 410 && unknown.text.contains("href=\"/account\""))
            var known = browser
            known.flow = BrowserFlow(at: .now(), request: "gone", client: FakeService.appId)
            let page = try await known.get("/authorize?continue=gone")
            #expect(page.text.contains("href=\"https://wiki.example/\">Go on to Wiki"), "\(page.text)")
        }
    }

    @Test func `a log-out page says why the browser stays`() async throws {
        let words: [(LogOutAnswer.ReturnFault?, String?)] = [
            (nil, nil), (.unregistered, "post_logout_redirect_uri"), (.withoutHint, "id_token_hint"),
        ]
        for (fault, word) in words {
            try await Browser.with(service { $0.logOut = .done(fault) }) { browser in
                let page = try await browser.get("/logout")
                #expect(page.status == 200 && page.text.contains("You are logged out."))
                #expect(word.map { page.text.contains($0) } ?? !page.text.contains("_"), "\(page.text)")
            }
        }
    }

    @Test func `the answer to the client is 303, is never kept, and tells no referrer`() async throws {
        let answer = AuthorizationAnswer.redirect(FakeService.answer)
        try await Browser.with(service { $0.authorization = .now(answer) }) { browser in
            for isPost in [false, true] {
                let reply =
                    try await isPost
                    ? browser.post("/authorize", [("client_id", "a")]) : browser.get("/authorize?client_id=a")
                #expect(reply.status == 303 && reply.header("Location") == "https://wiki.example/callback?code=c")
                #expect(reply.header("Cache-Control") == "no-store" && reply.header("Referrer-Policy") == "no-referrer")
                #expect(reply.header("Access-Control-Allow-Origin") == nil && reply.bytes.isEmpty)
            }
        }
    }

    @Test func `an answer in a form is a page, and one that a page asks about gets a flow`() async throws {
        let form = ClientAnswer(
            uri: "https://wiki.example/cb", origin: "https://wiki.example", clientName: "Wiki", isFormPost: true)
        let page = try await Browser.with(service { $0.authorization = .now(.redirect(form)) }) {
            try await $0.get("/authorize?client_id=a")
        }
        #expect(page.status == 200 && page.text.contains("<form id=\"answer\" method=\"post\""))
        let ask = AuthorizationAnswer.ask(.consent, handle: "h", client: FakeService.appId)
        let asked = try await Browser.with(service { $0.authorization = .now(ask) }) {
            try await $0.get("/authorize?client_id=a")
        }
        let location = try #require(asked.header("Location")), cookie = try #require(asked.header("Set-Cookie"))
        #expect(location.wholeMatch(of: /\/consent\/[A-Za-z0-9_-]{22}/) != nil)
        let name = "__Host-tenure-flow-" + location.split(separator: "/")[1]
        #expect(
            cookie.hasPrefix(name) && cookie.contains(".request..h.\(FakeService.appId.lowercased); Max-Age=86400;"))
    }

    @Test func `oidcc-ensure-post-request-succeeds reads no cookie of a form, and continues with GET`() async throws {
        let service = service { $0.authorization = .again(handle: "h/1") }
        let reply = try await Browser.with(service) { try await $0.post("/authorize", [("client_id", "a")]) }
        #expect(reply.status == 303 && reply.header("Location") == "/authorize?continue=h%2F1")
        #expect(await service.recorder.last?.details == ["cookie": "", "isPost": "true"])
    }

    @Test func `a stored request goes on by its handle, unless a client sends a parameter of that name`() async throws {
        let service = FakeService()
        try await Browser.with(service) { browser in
            let stored = try await browser.get("/authorize?continue=h")
            #expect(stored.status == 410 && stored.text.contains("href=\"/account\""))
            #expect(await service.recorder.work.contains { $0.name == "continueAuthorization" })
            let other = try await browser.get("/authorize?continue=h&client_id=a")
            #expect(other.status == 400)
            #expect(await service.recorder.last?.name == "authorize")
            #expect(await service.recorder.last?.details["cookie"] == FakeService.cookie)
        }
    }

    @Test func `two cookies of one name are none, and a bearer token is not read`() async throws {
        let service = FakeService()
        try await Browser.with(service) { browser in
            _ = try await browser.get("/authorize?client_id=a", [("Cookie", "__Host-tenure=planted")])
            #expect(await service.recorder.last?.details["cookie"] == "")
            var other = browser
            other.cookie = nil
            _ = try await other.get("/authorize?client_id=a", authorization: API.bearer)
            #expect(await service.recorder.work.last?.details["cookie"] == "")
            #expect(await !service.recorder.entries.contains { $0.name == "authenticateEmployee" })
        }
    }

    @Test func `oidcc-rp-initiated-logout deletes the cookie, and asks without deleting it`() async throws {
        let answers: [(LogOutAnswer, status: Int, location: String?, isDeleted: Bool)] = [
            (.redirect(FakeService.answer), 303, "https://wiki.example/callback?code=c", true),
            (.done(nil), 200, nil, true), (.done(.unregistered), 200, nil, true),
            (.ask(handle: "h"), 303, "/logout/confirm/", false),
        ]
        for (answer, status, location, isDeleted) in answers {
            try await Browser.with(service { $0.logOut = answer }) { browser in
                for reply in [
                    try await browser.get("/logout?state=s"), try await browser.post("/logout", [("state", "s")]),
                ] {
                    let isRight = location.map { reply.header("Location")?.hasPrefix($0) == true } ?? true
                    #expect(reply.status == status && isRight)
                    #expect((reply.header("Set-Cookie")?.contains("Max-Age=0") ?? false) == isDeleted)
                    #expect(reply.header("Cache-Control") == "no-store")
                }
            }
        }
    }

    @Test func `a form of another site comes back with the cookie, and deletes none`() async throws {
        let service = FakeService()
        try await Browser.with(service) { browser in
            var browser = browser
            browser.cookie = nil
            let reply = try await browser.post("/logout", [("state", "s t"), ("client_id", "a")])
            // A form has no order.
            let places = ["/logout?state=s%20t&client_id=a", "/logout?client_id=a&state=s%20t"]
            #expect(reply.status == 303 && places.contains(reply.header("Location") ?? ""), "\(reply)")
            #expect(reply.header("Set-Cookie") == nil)
            let done = try await browser.get("/logout?state=s")
            #expect(done.header("Set-Cookie") == nil)
        }
    }

    @Test func `stores nothing for an image or a frame, which may ask in silence`() async throws {
        let service = FakeService()
        try await Browser.with(service) { browser in
            let image = [("Sec-Fetch-Dest", "image")]
            let refused = try await browser.get("/authorize?client_id=a", image)
            #expect(refused.status == 403)
            #expect(await service.recorder.entries.allSatisfy { $0.name != "authorize" })
            let silent = try await browser.get("/authorize?client_id=a&prompt=none", image)
            let page = try await browser.get("/authorize?client_id=a", [("Sec-Fetch-Dest", "document")])
            #expect(silent.status != 403 && page.status != 403)
        }
    }

    @Test(arguments: ["%00", "%FF", "%", "%zz"])
    func `what is no form is refused with a page`(text: String) async throws {
        try await Browser.with { browser in
            for path in Self.paths {
                let page = try await browser.get("\(path)&a=\(text)")
                #expect(page.status == 400)
            }
        }
    }
}

/// The token endpoint and userinfo as clients see them.
@Suite struct ProviderTokenTests {
    private static let code = [
        ("grant_type", "authorization_code"), ("code", "c"), ("redirect_uri", "https://wiki.example/"),
        ("code_verifier", "v"),
    ]

    /// A text of the form of an ID token.
    private static let idToken = [#"{"alg":"RS256","typ":"JWT"}"#, #"{"sub":"s","nonce":"n"}"#, "s"]
        .map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")

    private func service(_ change: (inout ProviderAnswers) -> Void = { _ in }) -> FakeService {
        var service = FakeService()
        service.provider.client = AuthenticatedClient(id: FakeService.appId, secretID: nil)
        service.provider.tokens = ProviderAnswers.issued
        change(&service.provider)
        return service
    }

    private func form(_ fields: [(String, String)]) -> String {
        String(decoding: FormEncoding.encode(fields.map { (name: $0.0, value: $0.1) }), as: UTF8.self)
    }

    @Test func `oidcc-server answers with tokens that nobody keeps`() async throws {
        let service = service()
        let reply = try await API.with(service) {
            try await $0.send("POST", "/oauth/token", body: self.form(Self.code))
        }
        #expect(reply.status == 200 && reply.header("Cache-Control") == "no-store")
        #expect(reply.header("Pragma") == "no-cache" && reply.header("Content-Type") == "application/json")
        #expect(try reply.json["token_type"] == "Bearer" && reply.json["id_token"] == "i")
        #expect(
            await service.recorder.last?.details
                == ["code": "c", "redirect": "https://wiki.example/", "verifier": "v"])
    }

    @Test func `credentials are form-decoded after base64, and come in one way`() async throws {
        let service = service()
        try await API.with(service) { api in
            let basic = "Basic " + Base64.encode(Array("a%3Ab:x+y%2B".utf8))
            let reply = try await api.send("POST", "/oauth/token", authorization: basic, body: form(Self.code))
            #expect(reply.status == 200)
            let used = await service.recorder.entries.first { $0.name == "authenticateClient" }
            #expect(used?.details == ["id": "a:b", "secret": "x y+"])
            for more in [[("client_secret", "s")], [("client_id", "other")], [("client_id", "b"), ("client_id", "b")]] {
                let body = form(Self.code + more)
                let twice = try await api.send("POST", "/oauth/token", authorization: basic, body: body)
                #expect(try twice.status == 400 && twice.json["error"] == "invalid_request", "\(more)")
            }
            let nobody = try await api.send("POST", "/oauth/token", authorization: nil, body: form(Self.code))
            #expect(try nobody.status == 400 && nobody.json["error"] == "invalid_request")
        }
    }

    @Test func `a client that does not authenticate gets 401 with a challenge`() async throws {
        try await API.with(service { $0.client = nil }) { api in
            for authorization in [API.basic, API.bearer, "Basic x"] {
                let reply = try await api.send(
                    "POST", "/oauth/token", authorization: authorization, body: form(Self.code))
                #expect(try reply.status == 401 && reply.json["error"] == "invalid_client")
                #expect(reply.header("WWW-Authenticate")?.hasPrefix("Basic") == true)
                #expect(reply.header("Cache-Control") == "no-store")
            }
        }
    }

    @Test func `other grants are refused, and so is what is missing or given twice`() async throws {
        try await API.with(service()) { api in
            for (type, error) in [
                ("password", "unsupported_grant_type"), ("client_credentials", "unsupported_grant_type"),
                ("implicit", "unsupported_grant_type"), ("", "invalid_request"), ("refresh_token", "invalid_request"),
            ] {
                let reply = try await api.send("POST", "/oauth/token", body: form([("grant_type", type)]))
                #expect(try reply.status == 400 && reply.json["error"] == .string(error), "\(type)")
            }
            for (place, field) in Self.code.enumerated() {
                var fewer = Self.code
                fewer.remove(at: place)
                // The verifier is missing where the client sent no challenge.
                for fields in (field.0 == "code_verifier" ? [] : [fewer]) + [Self.code + [field]] {
                    let reply = try await api.send("POST", "/oauth/token", body: form(fields))
                    #expect(try reply.status == 400 && reply.json["error"] == "invalid_request", "\(field.0)")
                }
            }
        }
    }

    @Test func `oidcc-userinfo-get, post-header and post-body give the claims, in one way at a time`() async throws {
        let claims: JSONValue = ["sub": "s"]
        try await API.with(service { $0.claims = claims }) { api in
            let path = "/oauth/userinfo"
            for reply in [
                try await api.send("GET", path, authorization: "Bearer grant"),
                try await api.send("POST", path, authorization: "Bearer grant"),
                try await api.send("POST", path, authorization: nil, body: "access_token=grant"),
            ] {
                #expect(try reply.status == 200 && reply.json == claims)
                #expect(reply.header("Cache-Control") == "no-store")
                #expect(reply.header("Content-Type") == "application/json")
            }
            for reply in [
                try await api.send("POST", path, authorization: "Bearer grant", body: "access_token=grant"),
                try await api.send("POST", path, authorization: nil, body: "access_token=grant&access_token=grant"),
            ] {
                #expect(try reply.status == 400 && reply.json["error"] == "invalid_request")
                #expect(reply.header("WWW-Authenticate")?.contains("error=\"invalid_request\"") == true)
            }
            for authorization in ["Bearer other", API.basic, "Bearer " + FakeService.token] {
                let reply = try await api.send("GET", path, authorization: authorization)
                #expect(try reply.status == 401 && reply.json["error"] == "invalid_token", "\(authorization)")
                #expect(reply.header("WWW-Authenticate")?.hasPrefix("Bearer ") == true)
            }
            let words = [
                (Self.idToken, "this is an ID token"), (FakeService.token, "the access token is not one of a grant"),
                ("a.b.c", "the access token is not one of a grant"),
            ]
            for (token, text) in words {
                let reply = try await api.send("GET", path, authorization: "Bearer " + token)
                #expect(reply.status == 401 && reply.text.contains(text), "\(token)")
            }
            for method in ["GET", "POST"] {
                let query = try await api.send(method, path + "?access_token=grant", authorization: nil)
                #expect(try query.status == 400 && query.json["error"] == "invalid_request")
                #expect(query.text.contains("logs keep what is in the query"))
            }
            let silent = try await api.send("GET", path, authorization: nil)
            #expect(silent.status == 401 && silent.header("WWW-Authenticate") == "Bearer realm=\"tenure\"")
        }
    }
}

/// The endpoints of tokens as scripts of clients' web pages see them.
@Suite struct CrossOriginTests {
    private static let origin = "https://spa.example"
    private static let open = [
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/.well-known/jwks.json",
        "/oauth/token", "/oauth/userinfo", "/oauth/revoke",
    ]

    private func with(_ body: @Sendable (API) async throws -> Void) async throws {
        var service = FakeService()
        service.provider.origins = [Self.origin]
        try await API.with(service) { try await body($0) }
    }

    @Test(arguments: open) func `an origin that a client registered may call`(path: String) async throws {
        try await with { api in
            let asked = try await api.send(
                "OPTIONS", path,
                [("Origin", Self.origin), ("Access-Control-Request-Method", "POST")], authorization: nil)
            #expect(asked.status == 204 && asked.header("Access-Control-Allow-Origin") == Self.origin)
            #expect(asked.header("Access-Control-Allow-Headers")?.contains("Authorization") == true)
            let method = path.hasPrefix("/oauth/") ? "POST" : "GET"
            let reply = try await api.send(
                method, path, [("Origin", Self.origin)], authorization: nil, body: method == "POST" ? "a=b" : nil)
            #expect(reply.header("Access-Control-Allow-Origin") == Self.origin, "errors are readable too")
            #expect(reply.header("Vary")?.contains("Origin") == true)
            #expect(reply.header("Access-Control-Allow-Credentials") == nil)
        }
    }

    @Test(arguments: ["https://spa.example.evil.example", "https://SPA.example", "http://spa.example", "null", "*", ""])
    func `another origin may not`(origin: String) async throws {
        try await with { api in
            for path in Self.open {
                for method in ["OPTIONS", "GET"] {
                    let reply = try await api.send(method, path, [("Origin", origin)], authorization: nil)
                    #expect(reply.header("Access-Control-Allow-Origin") == nil, "\(method) \(path)")
                }
            }
        }
    }

    @Test(arguments: ["/authorize", "/logout", "/oauth/introspect", "/v1/me", "/consent", "/healthz"])
    func `the rest of the service is open to no origin`(path: String) async throws {
        try await with { api in
            for method in ["OPTIONS", "GET"] {
                let reply = try await api.send(method, path, [("Origin", Self.origin)], authorization: nil)
                #expect(reply.header("Access-Control-Allow-Origin") == nil, "\(method) \(path)")
            }
        }
    }
}
