import AccessTokens
import Canonical
import Foundation
import IdentityService
import Testing

extension Client {
    /// Sends a form, by the app unless another caller is named.
    func form(
        _ path: String, _ fields: [(String, String)], by caller: Caller? = nil
    ) async throws -> HTTPReply {
        let text = fields.map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
        return try await send(
            HTTPRequest("POST", path, by: caller ?? .app(app))
                .with("Content-Type", "application/x-www-form-urlencoded").with(body: text))
    }

    /// Whether introspection calls a token active.
    func isActive(_ token: String, by caller: Caller? = nil) async throws -> Bool {
        let reply = try await form("/oauth/introspect", [("token", token)], by: caller)
        try #require(reply.status == 200, "\(reply)")
        if reply["active"] == .bool(true) { return true }
        try #require(reply.json == ["active": false], "an inactive token reveals nothing: \(reply)")
        return false
    }

    /// The keys that the service publishes, found from its issuer alone.
    func discoveredKeys() async throws -> (issuer: String, keys: TokenKeySet) {
        let metadata = try await get("/.well-known/oauth-authorization-server", by: .nobody)
        let issuer = try #require(metadata["issuer"]?.text), keys = try #require(metadata["jwks_uri"]?.text)
        try #require(keys.hasPrefix(issuer + "/"))
        let reply = try await get(String(keys.dropFirst(issuer.count)), by: .nobody)
        try #require(reply.status == 200, "\(reply)")
        return (issuer, try TokenKeySet(reply.body))
    }
}

@Suite(.onServer, .sharedWorld)
struct `An access token` {
    private var now: Int64 { Timestamp.now().microseconds / 1_000_000 }

    @Test func `is verified by the published keys alone and says who logged in`() async throws {
        let world = try sharedWorld(), client = try world.client
        let founder = try await client.found("token.example")
        let member = try await client.join(Person("second", at: "token.example"))
        let (issuer, keys) = try await client.discoveredKeys()
        let verifier = AccessTokenVerifier(issuer: issuer, audiences: [world.app.appId])
        for (member, role) in [(founder, "securityAdmin"), (member, "employee")] {
            let claims = try verifier.verify(member.accessToken, with: keys, at: now)
            let me = try await client.get("/v1/me", by: member.session)
            #expect(claims.subject.uuidString.lowercased() == me["employeeId"]?.text)
            #expect(claims.tenantID.uuidString.lowercased() == me["tenantId"]?.text)
            #expect(claims.sessionID.uuidString.lowercased() == me["session"]?["sessionId"]?.text)
            #expect(claims.clientID.uuidString.lowercased() == world.app.appId && claims.audience == world.app.appId)
            #expect(claims.role == role && claims.methods.first == "pop")
        }
        let claims = try verifier.verify(member.accessToken, with: keys, at: now)
        #expect(claims.methods == ["pop", "pwd", "mfa"], "the log-in proved the passphrase")
        // A refresh proves nothing anew.
        let reply = try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody)
        let next = try verifier.verify(try #require(reply["accessToken"]?.text), with: keys, at: now)
        #expect(next.id != claims.id && next.sessionID == claims.sessionID && next.subject == claims.subject)
        #expect(next.authenticatedAt == claims.authenticatedAt && next.methods == claims.methods)
    }

    @Test func `of somebody else's making is refused`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("token-forged.example")
        let claims = try #require(UnverifiedAccessToken(member.accessToken)).claims
        let parts = member.accessToken.split(separator: ".").map(String.init)
        let (_, keys) = try await client.discoveredKeys()
        let kid = try #require(keys.keys.first?.keyID)
        let none = Base64URL.encode(Array(#"{"alg":"none","kid":"\#(kid)","typ":"at+jwt"}"#.utf8))
        let forged = [
            try TokenSigningKey().sign(claims),
            "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", member.accessToken + ".", member.accessToken + "A",
            "\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 64)))",
        ]
        for token in forged {
            try expectProblem(try await client.get("/v1/me", by: .session(token)), "session.invalid")
            #expect(try await !client.isActive(token))
        }
        #expect(try await client.get("/v1/me", by: member.session).status == 200)
        #expect(try await client.isActive(member.accessToken))
    }

    @Test func `for a resource is worth nothing at Tenure itself`() async throws {
        let world = try sharedWorld(), client = try world.client
        let member = try await client.found("token-resource.example")
        let uri = "https://payroll.token-resource.example/api"
        let refused = try await client.post("/v1/me/tokens", ["resource": .string(uri)], by: member.session)
        try expectProblem(refused, "token.resource_unknown")
        try await world.instance.commands.addResource(
            appId: try #require(UUID(uuidString: world.app.appId)), resource: uri)
        let reply = try await client.post("/v1/me/tokens", ["resource": .string(uri)], by: member.session)
        let token = try #require(reply["accessToken"]?.text, "\(reply)")
        let (issuer, keys) = try await client.discoveredKeys()
        let claims = try AccessTokenVerifier(issuer: issuer, audiences: [uri]).verify(token, with: keys, at: now)
        #expect(claims.audience == uri && claims.role == "securityAdmin")
        #expect(throws: AccessTokenError.self) {
            try AccessTokenVerifier(issuer: issuer, audiences: [world.app.appId]).verify(token, with: keys, at: now)
        }
        for (method, path) in [("GET", "/v1/me"), ("POST", "/v1/me/tokens"), ("DELETE", "/v1/sessions/current")] {
            let body: JSONValue? = method == "POST" ? ["resource": .string(uri)] : nil
            try expectProblem(
                try await client.send(client.request(method, path, body, by: .session(token))), "session.invalid")
        }
        #expect(try await client.isActive(token))
        try await world.instance.commands.removeResource(
            appId: try #require(UUID(uuidString: world.app.appId)), resource: uri)
        #expect(try await !client.isActive(token), "the resource is not registered any more")
        #expect(try await client.get("/v1/me", by: member.session).status == 200)
    }

    @Test func `names the role that the device carries after the next refresh`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("token-role.example")
        let member = try await client.join(Person("second", at: "token-role.example"))
        #expect(UnverifiedAccessToken(member.accessToken)?.claims.role == "employee")
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(member.person, "/role"),
                ["role": "admin", "fingerprints": [.string(member.device.fingerprint)]]), "done")
        let reply = try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody)
        let token = try #require(reply["accessToken"]?.text)
        #expect(UnverifiedAccessToken(token)?.claims.role == "admin")
    }
}
