import AccessTokens
import Canonical
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct TokenDiscoveryTests {
    private static let paths = ["/.well-known/oauth-authorization-server", "/.well-known/jwks.json"]

    private func get(_ path: String, _ headers: [(String, String)] = []) async throws -> API.Answer {
        try await API.with { try await $0.send("GET", path, headers, authorization: nil) }
    }

    @Test func `the metadata names what there is, and no more`() async throws {
        let answer = try await get("/.well-known/oauth-authorization-server")
        #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
        let expected: JSONValue = [
            "issuer": "https://id.example", "jwks_uri": "https://id.example/.well-known/jwks.json",
            "authorization_endpoint": "https://id.example/authorize",
            "token_endpoint": "https://id.example/oauth/token",
            "userinfo_endpoint": "https://id.example/oauth/userinfo",
            "end_session_endpoint": "https://id.example/logout",
            "introspection_endpoint": "https://id.example/oauth/introspect",
            "introspection_endpoint_auth_methods_supported": ["client_secret_basic"],
            "revocation_endpoint": "https://id.example/oauth/revoke",
            "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "response_types_supported": ["code"], "response_modes_supported": ["query", "form_post"],
            "grant_types_supported": ["authorization_code", "refresh_token"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["openid", "profile", "email", "groups", "offline_access"],
            "claims_supported": [
                "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash", "tenant",
                "tenant_name", "preferred_username", "name", "locale", "updated_at", "email", "email_verified",
                "groups",
            ],
            "acr_values_supported": ["urn:tenure:acr:device", "urn:tenure:acr:device-and-secret", "phr"],
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "ui_locales_supported": ["en", "de", "fr"],
            "authorization_response_iss_parameter_supported": true, "claims_parameter_supported": false,
            "request_parameter_supported": false, "request_uri_parameter_supported": false,
            "service_documentation": "https://id.example/docs",
        ]
        #expect(try answer.json == expected)
    }

    @Test func `the keys are a JWK set without a private member`() async throws {
        let answer = try await get("/.well-known/jwks.json")
        #expect(answer.status == 200 && answer.header("Content-Type") == "application/jwk-set+json")
        let set = try TokenKeySet(answer.bytes)
        #expect(set.keys == [FakeService.tokenKey])
        guard case .array(let keys) = try answer.json["keys"], case .object(let members) = try #require(keys.first)
        else {
            Issue.record("no keys")
            return
        }
        #expect(members.keys.sorted() == ["alg", "crv", "kid", "kty", "use", "x", "y"])
        #expect(members["alg"] == "ES256" && members["use"] == "sig")
    }

    @Test(arguments: paths) func `every cache may keep the reply for five minutes`(path: String) async throws {
        let answer = try await get(path)
        #expect(answer.header("Cache-Control") == "public, max-age=300")
        // A client's page of another origin gets one field more.
        #expect(answer.header("Vary") == "Origin" && answer.header("Set-Cookie") == nil)
        #expect(answer.header("ETag")?.hasPrefix("\"") == true)
    }

    @Test(arguments: paths) func `a reply that the caller has is not sent again`(path: String) async throws {
        let tag = try #require(try await get(path).header("ETag"))
        for known in [tag, "W/" + tag, "\"other\", \(tag)", "*"] {
            let answer = try await get(path, [("If-None-Match", known)])
            #expect(answer.status == 304 && answer.bytes.isEmpty)
            #expect(answer.header("ETag") == tag && answer.header("Cache-Control") == "public, max-age=300")
        }
        for unknown in ["\"other\"", "", tag + "x"] {
            let answer = try await get(path, [("If-None-Match", unknown)])
            #expect(answer.status == 200 && !answer.bytes.isEmpty)
        }
    }
}

@Suite struct TokenIntrospectionTests {
    @Test func `an active token's claims have their registered names`() async throws {
        let answer = try await API.with { try await $0.send("POST", "/oauth/introspect", body: "token=a.b.c") }
        let (app, employee) = (FakeService.appId, FakeService.employeeId)
        let expected: JSONValue = [
            "active": true, "token_type": "Bearer", "iss": "https://id.example", "sub": .uuid(employee),
            "aud": .uuid(app), "exp": 1_800_000_300, "iat": 1_800_000_000, "jti": .uuid(app), "client_id": .uuid(app),
            "sid": .uuid(employee), "tenant": .uuid(employee), "role": "employee", "amr": ["pop", "pwd", "mfa"],
            "auth_time": 1_799_999_000,
        ]
        #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(try answer.json == expected)
    }

    @Test func `nothing is told of an inactive token`() async throws {
        var service = FakeService()
        service.claims = nil
        let answer = try await API.with(service) {
            try await $0.send("POST", "/oauth/introspect", body: "token=a.b.c")
        }
        #expect(answer.status == 200)
        #expect(String(decoding: answer.bytes, as: UTF8.self) == #"{"active":false}"#)
        #expect(answer.header("Cache-Control") == "no-store" && answer.header("ETag") == nil)
    }

    @Test func `a revocation has an empty reply`() async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send("POST", "/oauth/revoke", body: "token=a.b.c&token_type_hint=refresh_token")
        }
        #expect(answer.status == 200 && answer.bytes.isEmpty && answer.header("Content-Type") == nil)
        let entry = await service.recorder.last
        #expect(entry?.name == "revokeToken")
        #expect(entry?.details == ["token": "a.b.c", "app": FakeService.appId.lowercased])
    }

    @Test func `an employee gets a token for a resource`() async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send(
                "POST", "/v1/me/tokens", authorization: API.bearer,
                body: #"{"resource":"https://payroll.example/api"}"#)
        }
        #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
        #expect(try answer.json == ["accessToken": "a.b.c", "expiresAt": .timestamp(FakeService.time)])
        #expect(await service.recorder.last?.details == ["resource": "https://payroll.example/api"])
    }

    @Test(arguments: ["{}", #"{"resource":7}"#, #"{"resource":"r","audience":"x"}"#, ""])
    func `a request for a resource's token is read strictly`(body: String) async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/me/tokens", authorization: API.bearer, body: body)
        }
        #expect(try answer.problem.code == "request.invalid")
        #expect(try answer.problem.oauth == nil)
        #expect(await service.recorder.work.isEmpty)
    }
}
