import Canonical
import Crypto
import Foundation
import HTTPAPI
import IdentityService
import TenureServer
import Testing

/// A client of the OpenID provider, and the browser that it sends there.
struct RelyingParty: Sendable {
    static let redirect = "https://app.example.com/callback"
    static let bye = "https://app.example.com/bye?from=tenure"

    let world: TenureWorld
    let app: TestApp
    /// What only this client knows of its requests (RFC 7636).
    let verifier: String
    /// What is different in every request of this client.
    var changes: [String: String?] = [:]
    /// Whether the client sends a challenge and its verifier.
    var usesPKCE = true

    /// An app that is registered as a client and linked to companies.
    ///
    /// - Parameters:
    ///   - companies: The companies whose people the client takes.
    ///   - change: What is different in the registration.
    static func make(
        _ world: TenureWorld, of companies: [String], linkedTo links: [String]? = nil,
        changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> RelyingParty {
        let app = try await world.makeApp(name: "client \(UUID().uuidString)")
        var entry = ClientEntry(redirects: [redirect], postLogout: [bye], tenants: companies)
        change(&entry)
        try await world.instance.commands.changeClient(appId: try #require(UUID(uuidString: app.appId)), entry)
        for company in links ?? companies { try await world.linkApp(app, to: company) }
        return RelyingParty(
            world: world, app: app, verifier: Base64URL.encode((0..<32).map { _ in .random(in: 0...255) }))
    }

    /// The cookie of a browser in which a member has just logged in.
    func cookie(of member: Member, at time: Timestamp = .now()) async throws -> String {
        try await world.cookie(of: member.accessToken, at: time)
    }

    /// The parameters of an authorization request, with others added or replaced. `nil` leaves one out.
    func parameters(_ changes: [String: String?] = [:]) -> [(String, String)] {
        var values: [String: String] = [
            "client_id": app.appId, "redirect_uri": Self.redirect, "response_type": "code",
            "scope": "openid profile email groups", "state": "st &te", "nonce": "n-1",
        ]
        if usesPKCE {
            values["code_challenge"] = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8))))
            values["code_challenge_method"] = "S256"
        }
        for (name, value) in self.changes.merging(changes, uniquingKeysWith: { $1 }) { values[name] = value }
        return values.map { ($0.key, $0.value) }
    }

    /// Sends a browser to a path of the service.
    func browse(
        _ path: String, _ parameters: [(String, String)] = [], cookie: String?, method: String = "GET"
    ) async throws -> HTTPReply {
        let text = parameters.map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
        var request = HTTPRequest(method, method == "GET" && !text.isEmpty ? "\(path)?\(text)" : path)
        if method == "POST" {
            request = request.with("Content-Type", "application/x-www-form-urlencoded").with(body: text)
        }
        if let cookie { request = request.with("Cookie", "other=1; tenure=\(cookie)") }
        return try await world.client.send(request)
    }

    /// Sends the browser of a cookie to the authorization endpoint.
    func authorize(_ changes: [String: String?] = [:], cookie: String?) async throws -> HTTPReply {
        try await browse("/authorize", parameters(changes), cookie: cookie)
    }

    /// The handle of the stored request in the cookie of the flow that a reply begins.
    func handle(_ reply: HTTPReply) throws -> String {
        let cookie = try #require(reply.headers["set-cookie"], "\(reply)")
        return try #require(cookie.components(separatedBy: ".").dropFirst(3).first)
    }

    /// The parameters of the address to which a reply sends the browser: by a redirect, by a page, or by its form.
    func answer(_ reply: HTTPReply, at redirect: String = redirect) throws -> [String: String] {
        let page = Page(reply: reply)
        if let form = try? page.form(redirect) {
            return Dictionary(form.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + $1 })
        }
        try #require(changes["response_mode"] != "form_post", "\(reply)")
        try #require(reply.status == 303 || page.refresh != nil, "\(reply)")
        let location = try #require(page.location ?? page.refresh)
        try #require(location.hasPrefix(redirect), "\(location)")
        let items = try #require(URLComponents(string: location)?.queryItems)
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $0 + $1 })
    }

    /// A code for the person of a cookie.
    func code(_ changes: [String: String?] = [:], cookie: String) async throws -> String {
        try #require(try answer(try await authorize(changes, cookie: cookie))["code"])
    }

    /// Redeems a code.
    func redeem(
        _ code: String, by caller: Caller? = nil, verifier: String? = nil, redirect: String = redirect,
        adding more: [(String, String)] = []
    ) async throws -> HTTPReply {
        let sent = verifier ?? (usesPKCE ? self.verifier : nil)
        return try await world.client.form(
            "/oauth/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ] + (sent.map { [("code_verifier", $0)] } ?? []) + more, by: caller ?? .app(app))
    }

    /// The tokens of a person.
    func tokens(_ changes: [String: String?] = [:], cookie: String) async throws -> GrantTokens {
        try GrantTokens(try await redeem(try await code(changes, cookie: cookie)))
    }

    /// Exchanges a refresh token.
    func refresh(
        _ token: String, by caller: Caller? = nil, key: String? = nil, scope: String? = nil
    ) async throws -> HTTPReply {
        let fields =
            [("grant_type", "refresh_token"), ("refresh_token", token)] + (scope.map { [("scope", $0)] } ?? [])
        let text = fields.map { "\($0.0)=\(segment($0.1))" }.joined(separator: "&")
        var request = HTTPRequest("POST", "/oauth/token", by: caller ?? .app(app))
            .with("Content-Type", "application/x-www-form-urlencoded").with(body: text)
        if let key { request = request.with("Idempotency-Key", key) }
        return try await world.client.send(request)
    }

    /// Asks about the person of an access token.
    func userInfo(_ token: String) async throws -> HTTPReply {
        try await world.client.get("/oauth/userinfo", by: .session(token))
    }
}

/// What the token endpoint gave.
struct GrantTokens: Sendable {
    let access: String
    let refresh: String
    let id: String
    let scope: String

    init(_ reply: HTTPReply) throws {
        try #require(
            reply.status == 200 && reply["token_type"] == "Bearer", "\(reply) \(String(describing: reply["error"]))")
        access = try #require(reply["access_token"]?.text)
        refresh = try #require(reply["refresh_token"]?.text)
        id = try #require(reply["id_token"]?.text)
        scope = try #require(reply["scope"]?.text)
    }

    /// The header of the ID token.
    var header: JSONValue {
        get throws {
            let first = try #require(id.split(separator: ".").first)
            return try StrictJSON.parse(try #require(Base64URL.decode(String(first))))
        }
    }

    /// The claims of the ID token, unverified.
    var claims: JSONValue {
        get throws {
            let parts = id.split(separator: ".").map(String.init)
            try #require(parts.count == 3)
            return try StrictJSON.parse(try #require(Base64URL.decode(parts[1])))
        }
    }
}
