import Canonical
@testable import Identity
import Testing

@Suite struct `Authorization request` {
    private static let redirect = "https://app.example.com/callback"
    private static let challenge = Base64URL.encode([UInt8](repeating: 7, count: 32))
    static let client: AppID = Sample.id(3)

    static func registration(
        _ consent: ConsentMode = .never, challenge: ChallengeMode = .optional
    ) throws -> ClientRegistration {
        try ClientRegistration(
            redirects: [ClientURI(redirect), ClientURI("https://app.example.com:8443/callback")], anyTenant: true,
            consent: consent, challenge: challenge)
    }

    /// A request with every required parameter, with others added or replaced. `nil` leaves one out.
    static func parameters(
        _ changes: [(String, String?)] = [], adding more: [(String, String)] = []
    ) -> AuthorizationParameters {
        var values: [String: String] = [
            "client_id": client.description, "redirect_uri": redirect, "response_type": "code", "scope": "openid",
            "code_challenge": challenge, "code_challenge_method": "S256", "state": "s", "nonce": "n",
        ]
        for (name, value) in changes { values[name] = value }
        return AuthorizationParameters(
            values.map { (name: $0.key, value: $0.value) } + more.map { (name: $0.0, value: $0.1) })
    }

    static func read(_ changes: [(String, String?)] = []) throws -> AuthorizationRequest {
        try AuthorizationRequest(parameters(changes), registration())
    }

    private func fault(
        _ changes: [(String, String?)], adding more: [(String, String)] = []
    ) throws -> AuthorizationFault? {
        let registration = try Self.registration()
        do throws(AuthorizationFault) {
            _ = try AuthorizationRequest(Self.parameters(changes, adding: more), registration)
            return nil
        } catch {
            return error
        }
    }

    private func code(_ changes: [(String, String?)], adding more: [(String, String)] = []) throws
        -> AuthorizationError.Code?
    {
        guard case .redirect(let error)? = try fault(changes, adding: more) else { return nil }
        return error.code
    }

    @Test func `oidcc-server a complete request is read`() throws {
        let request = try Self.read([
            ("scope", "email openid unknown profile"), ("max_age", "10000"), ("ui_locales", "de fr"),
            ("login_hint", "zoe@example.org"), ("acr_values", "urn:x"), ("tenant", "bayun.example"),
        ])
        #expect(request.client == Self.client && request.redirect.text == Self.redirect)
        #expect(request.state == "s" && request.nonce == "n" && request.scopes == [.openid, .email, .profile])
        #expect(request.challenge?.bytes == [UInt8](repeating: 7, count: 32) && request.prompts.isEmpty)
        #expect(request.maximumAge == 10_000 && request.tenant == "bayun.example")
    }

    @Test func `the person's languages are those of ui_locales, best first`() {
        #expect(Self.parameters([("ui_locales", "de fr")]).locales == ["de", "fr"])
        #expect(Self.parameters([("ui_locales", " ")]).locales.isEmpty && Self.parameters([]).locales.isEmpty)
        let many = (0..<20).map { "l\($0)" }
        #expect(Self.parameters([("ui_locales", many.joined(separator: " "))]).locales == Array(many.prefix(16)))
    }

    @Test(
        arguments: [
            nil, "", "https://app.example.com/callback/", "https://app.example.com/Callback",
            "https://app.example.com:443/callback", "https://app.example.com/callback#part",
            "https://app.example.com/callback?a=b", "http://app.example.com/callback", "https://evil.example/callback",
            "https://app.example.com/callbac", "HTTPS://app.example.com/callback", "https://app.example.com/%63allback",
            "https://app.example.com@evil.example/callback",
        ] as [String?])
    func `oidcc-ensure-registered-redirect-uri another redirect URI gets a page and no redirect`(
        uri: String?
    ) throws {
        #expect(try fault([("redirect_uri", uri)]) == .page(.unknownRedirect))
    }

    @Test func `an unknown client or one that is named twice gets a page`() throws {
        for changes in [[("client_id", nil)], [("client_id", "x")]] as [[(String, String?)]] {
            #expect(try fault(changes) == .page(.unknownClient))
        }
        #expect(try fault([], adding: [("client_id", Self.client.description)]) == .page(.unknownClient))
        #expect(try fault([], adding: [("redirect_uri", Self.redirect)]) == .page(.unknownRedirect))
        let long = String(repeating: "a", count: AuthorizationParameters.maximumBytes)
        #expect(try fault([("login_hint", long)]) == .page(.tooLarge))
    }

    @Test func `oidcc-response-type-missing is an error, and every other type too`() throws {
        #expect(try code([("response_type", nil)]) == .invalidRequest)
        for type in ["token", "id_token", "code token", "code id_token", "none", "CODE"] {
            #expect(try code([("response_type", type)]) == .unsupportedResponseType, "\(type)")
        }
        for mode in ["fragment", "form_post.jwt", "query.jwt"] {
            #expect(try code([("response_mode", mode)]) == .invalidRequest, "\(mode)")
        }
        for mode in ["query", "form_post"] { #expect(try fault([("response_mode", mode)]) == nil) }
    }

    @Test func `the port of a loopback address is free for a public client, and nothing else`() throws {
        let uris = ["http://127.0.0.1/callback", "http://[::1]:4000/callback?a=b", "http://localhost:5000/"]
        func found(_ text: String, isPublic: Bool = true) throws -> String? {
            let registration = try ClientRegistration(redirects: uris.map { try ClientURI($0) }, isPublic: isPublic)
            let parameters = Self.parameters([("redirect_uri", text)])
            return try? AuthorizationRequest.redirect(of: parameters, registration).text
        }
        for text in uris + ["http://127.0.0.1:51004/callback", "http://[::1]/callback?a=b"] {
            #expect(try found(text) == text, "the URI of the request, with its port")
        }
        for text in [
            "http://localhost:5001/", "https://127.0.0.1:51004/callback", "http://127.0.0.1:51004/Callback",
            "http://127.0.0.1:51004/callback/", "http://127.0.0.1:51004/callback#x", "http://127.0.0.1:0/callback",
            "http://127.0.0.1:051004/callback", "http://127.0.0.1:51004.evil.example/callback",
            "http://127.0.0.1:51004@evil.example/callback", "http://[::1]:51004/callback", "http://127.0.0.1:51004",
            "http://127.0.0.2:51004/callback", "HTTP://127.0.0.1:51004/callback", "http://127.1:51004/callback",
        ] {
            #expect(try found(text) == nil, "\(text)")
        }
        for uri in uris { #expect(try found(uri, isPublic: false) == uri) }
        #expect(try found("http://127.0.0.1:51004/callback", isPublic: false) == nil)
    }

    @Test func `a request is measured as it would be stored`() {
        func isTooLarge(_ text: String) -> Bool { Self.parameters([("login_hint", text)]).isTooLarge }
        #expect(!isTooLarge(String(repeating: "a", count: 10_000)))
        // JSON escapes them.
        #expect(isTooLarge(String(repeating: "\u{1}", count: 3_000)))
        #expect(isTooLarge(String(repeating: "\\", count: 7_000)) && isTooLarge(String(repeating: "\"", count: 7_000)))
    }

    @Test func `a request without a challenge is for a client with a secret that may leave it out`() throws {
        let none: [(String, String?)] = [("code_challenge", nil), ("code_challenge_method", nil)]
        #expect(try Self.read(none).challenge == nil)
        let redirects = [try ClientURI(Self.redirect)]
        for registration in [
            try Self.registration(challenge: .required), try ClientRegistration(redirects: redirects, isPublic: true),
        ] {
            #expect(throws: AuthorizationFault.self) {
                try AuthorizationRequest(Self.parameters(none), registration)
            }
            #expect(try AuthorizationRequest(Self.parameters(), registration).challenge != nil)
        }
    }

    @Test func `a challenge is one of S256`() throws {
        for changes in [
            [("code_challenge", nil)], [("code_challenge_method", nil)], [("code_challenge_method", "plain")],
            [("code_challenge", "short")], [("code_challenge", Self.challenge + "=")],
            [("code_challenge", Self.challenge + "AA")],
        ] as [[(String, String?)]] {
            #expect(try code(changes) == .invalidRequest, "\(changes)")
        }
    }

    @Test func `oidcc-unsigned-request-object and oidcc-request-uri-unsigned have errors of their own`() throws {
        #expect(try code([("request", "eyJhbGciOiJub25lIn0..")]) == .requestNotSupported)
        #expect(try code([("request_uri", "https://app.example.com/r")]) == .requestURINotSupported)
        #expect(try code([("registration", "{}")]) == .registrationNotSupported)
    }

    @Test func `a parameter that is given twice is refused, an unknown one is not`() throws {
        for name in AuthorizationParameters.known.subtracting(["client_id", "redirect_uri"]) {
            #expect(try code([(name, nil)], adding: [(name, "a"), (name, "b")]) == .invalidRequest, "\(name)")
            #expect(try code([(name, nil)], adding: [(name, ""), (name, "b")]) == .invalidRequest, "\(name)")
        }
        #expect(
            try fault([], adding: [("resource", "a"), ("resource", "b"), ("extra", "oidcc-unknown-parameter")]) == nil)
    }

    @Test func `oidcc-scope-all oidcc-display-page oidcc-claims-locales and oidcc-acr-values are no errors`() throws {
        for changes in [
            [("scope", "openid profile email address phone offline_access groups")], [("display", "page")],
            [("display", "popup")], [("claims_locales", "se")], [("acr_values", "1 2")], [("ui_locales", "se")],
            [("claims", #"{"id_token":{"name":{"essential":true}}}"#)], [("nonce", nil)], [("state", nil)],
            [("login_hint", "")],
        ] as [[(String, String?)]] {
            #expect(try fault(changes) == nil, "\(changes)")
        }
        #expect(try code([("scope", nil)]) == .invalidScope)
        #expect(try code([("scope", "profile OPENID openid2")]) == .invalidScope)
    }

    @Test func `prompt has known values, and none stands alone`() throws {
        #expect(try Self.read([("prompt", "login consent")]).prompts == [.login, .consent])
        for value in ["none login", "none consent", "create", "Login", "login,consent"] {
            #expect(try code([("prompt", value)]) == .invalidRequest, "\(value)")
        }
        for value in ["-1", "x", "1.5", "99999999999999999999", " 1"] {
            #expect(try code([("max_age", value)]) == .invalidRequest, "\(value)")
        }
        #expect(try Self.read([("max_age", "0")]).maximumAge == 0)
    }

    @Test func `an error is printable and repeats nothing of the request`() throws {
        for changes in [
            [("prompt", "\"<script>\\")], [("response_type", "\u{7F}")], [("max_age", "\u{1F600}")], [("scope", "\n")],
        ] as [[(String, String?)]] {
            guard case .redirect(let error)? = try fault(changes) else {
                Issue.record("\(changes)")
                continue
            }
            #expect(error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
            for (_, value) in changes { #expect(!error.description.contains(value ?? "x")) }
        }
    }

    @Test func `state may have 8 KB, and nonce 2 KB`() throws {
        for (name, count) in [("state", 8_192), ("nonce", 2_048)] {
            #expect(try fault([(name, String(repeating: "a", count: count))]) == nil, "\(name)")
            #expect(try code([(name, String(repeating: "a", count: count + 1))]) == .invalidRequest, "\(name)")
        }
    }
}
