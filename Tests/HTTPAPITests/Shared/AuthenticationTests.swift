import Canonical
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct AuthenticationTests {
    private static func basic(_ text: String) -> String { "Basic " + Base64.encode(Array(text.utf8)) }

    private func send(_ method: String, _ path: String, _ authorization: String?) async throws -> (
        API.Answer, [Recorder.Entry]
    ) {
        let service = FakeService()
        let body = method == "POST" ? Samples.login : nil
        let answer = try await API.with(service) {
            try await $0.send(method, path, authorization: authorization, body: body)
        }
        return (answer, await service.recorder.entries)
    }

    @Test func `an app's secret may contain colons`() async throws {
        let (answer, entries) = try await send("POST", "/v1/logins", API.basic)
        #expect(answer.status == 201)
        #expect(entries.first?.details == ["appId": "app", "secret": FakeService.secret])
    }

    @Test(arguments: ["basic", "BASIC", "bAsIc"]) func `an authentication scheme is case-insensitive`(scheme: String)
        async throws
    {
        for spaces in [" ", "  "] {
            let header = scheme + spaces + API.basic.dropFirst(6)
            #expect(try await send("POST", "/v1/logins", header).0.status == 201)
        }
    }

    @Test(arguments: [
        "Basic", "Basic ", "Basic !", "Basic YXBw", "Basic YXBwOnM", basic("app"), basic(":secret"), basic("app:"),
        basic("app:a\u{0}b"), basic("app:a\u{7F}b"), "Basic " + Base64.encode([0xFF, 0x3A, 0x41]),
        "Digest x", "Negotiate abc", "x", "Basic\t" + API.basic.dropFirst(6), API.bearer,
        "Basic " + Base64.encode(Array(("app:" + String(repeating: "s", count: 3000)).utf8)),
    ]) func `malformed app credentials are refused`(authorization: String) async throws {
        let (answer, entries) = try await send("POST", "/v1/logins", authorization)
        #expect(try answer.problem.code == "app.unknown")
        #expect(answer.header("WWW-Authenticate") == #"Basic realm="tenure", charset="UTF-8""#)
        #expect(entries.isEmpty)
    }

    @Test(arguments: [
        "Bearer", "Bearer ", "Bearer a b", "Bearer ä", "Bearer a,b", "Bearer =", "Bearer a=b", "Bearer a\"",
        "Bearer " + String(repeating: "a", count: 2049), API.basic,
    ])
    func `malformed access tokens are refused`(authorization: String) async throws {
        let (answer, entries) = try await send("GET", "/v1/sessions", authorization)
        #expect(try answer.problem.code == "session.invalid")
        let challenge = try #require(answer.header("WWW-Authenticate"))
        #expect(challenge.hasPrefix(#"Bearer realm="tenure""#))
        // An app's credentials are no malformed token.
        #expect(challenge.contains(#"error="invalid_token""#) == authorization.hasPrefix("Bearer"))
        #expect(entries.isEmpty)
    }

    @Test(arguments: [
        "dG9rZW4", "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIifQ.c2ln", "a-._~+/b", "YQ==",
        String(repeating: "a", count: 2048),
    ])
    func `an access token may have every character of RFC 6750`(token: String) async throws {
        let (_, entries) = try await send("GET", "/v1/sessions", "Bearer " + token)
        #expect(entries.first?.name == "authenticateEmployee" && entries.first?.details == ["token": token])
    }

    @Test func `the scheme selects app or employee where both may call`() async throws {
        #expect(try await send("GET", "/v1/companies/A", API.basic).0.status == 200)
        #expect(try await send("GET", "/v1/companies/A", API.bearer).0.status == 200)
        #expect(try await send("GET", "/v1/companies/A", "Bearer ?").0.problem.code == "session.invalid")
        #expect(try await send("GET", "/v1/companies/A", "Basic ?").0.problem.code == "app.unknown")
        let missing = try await send("GET", "/v1/companies/A", nil).0
        #expect(missing.header("WWW-Authenticate")?.contains("Basic") == true)
        #expect(missing.header("WWW-Authenticate")?.contains("Bearer") == true)
    }

    @Test func `the service's refusal of a secret reaches the caller`() async throws {
        #expect(try await send("POST", "/v1/logins", Self.basic("other:x")).0.problem.code == "app.unknown")
        #expect(try await send("POST", "/v1/logins", Self.basic("app:wrong")).0.problem.code == "app.secret_invalid")
        #expect(try await send("GET", "/v1/sessions", "Bearer b3RoZXI").0.problem.code == "session.invalid")
    }

    @Test func `two Authorization headers are refused`() async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send(
                "POST", "/v1/logins", [("Authorization", API.basic), ("Authorization", API.basic)],
                authorization: nil, body: Samples.login)
        }
        #expect(try answer.problem.code == "app.unknown")
        #expect(await service.recorder.entries.isEmpty)
    }

    @Test func `a refresh needs no other credentials than its token`() async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/sessions/refresh", authorization: nil, body: #"{"refreshToken":"cg"}"#)
        }
        #expect(try answer.json["accessToken"] == "YQ")
        #expect(await service.recorder.last?.details == ["token": "cg"])
    }
}
