import FoundationEssentials
import HTTPTypes
import IdentityService
import TenureAPI
import Testing
@testable import HTTPAPI

@Suite struct HeaderTests {
    private static let everyPath = [
        "/v1/companies/Acme", "/nothing", "/healthz", "/docs", "/openapi.yaml", "/v1/companies/%FF", "/docs/style.css",
        "/docs/script.js",
    ]

    @Test(arguments: everyPath) func `every response carries the security headers`(path: String) async throws {
        let answer = try await API.with { try await $0.send("GET", path) }
        let isTagged = answer.header("ETag") != nil
        #expect(answer.header("Cache-Control")?.hasSuffix(isTagged ? "no-cache" : "no-store") == true)
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(answer.header("Referrer-Policy") == "no-referrer")
        #expect(answer.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
        #expect(answer.header("Content-Security-Policy")?.contains("unsafe") == false)
        #expect(answer.header("X-Request-Id")?.isEmpty == false)
        #expect(answer.header("Strict-Transport-Security") == nil)
        #expect(answer.header("Server") == nil)
    }

    @Test func `a public https address sends Strict-Transport-Security`() async throws {
        let configuration = HTTPConfiguration(port: 0, publicURL: "https://id.example")
        let answer = try await API.with(configuration: configuration) { try await $0.send("GET", "/healthz") }
        #expect(answer.header("Strict-Transport-Security") == "max-age=31536000")
    }

    @Test(arguments: ["a", "A.b_c-9", String(repeating: "x", count: 64)])
    func `the caller's request id is returned and reaches the service`(id: String) async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/logins", [("X-Request-Id", id)], body: Samples.login)
        }
        #expect(answer.header("X-Request-Id") == id)
        #expect(await service.recorder.last?.call?.requestId == id)
    }

    @Test(arguments: [
        "", "a b", "ä", String(repeating: "x", count: 65), "a,b", "a\u{1}b", "x: y", "<script>", "a%0d%0aSet-Cookie:x",
    ]) func `a malformed request id is replaced`(id: String) async throws {
        let answers = try await API.with { api in
            [
                try await api.send("GET", "/healthz", [("X-Request-Id", id)]),
                try await api.send("GET", "/healthz", [("X-Request-Id", id)]),
            ]
        }
        let ids = answers.compactMap { $0.header("X-Request-Id") }
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { $0 != id && $0.utf8.count == 32 })
    }

    @Test func `two request ids are replaced`() async throws {
        let answer = try await API.with {
            try await $0.send("GET", "/healthz", [("X-Request-Id", "a"), ("X-Request-Id", "b")])
        }
        #expect(answer.header("X-Request-Id")?.utf8.count == 32)
    }

    @Test(arguments: [
        ("POST", "/healthz", "GET, HEAD"), ("DELETE", "/v1/logins", "POST"), ("GET", "/v1/logins", "POST"),
        ("POST", "/v1/companies/Acme/policy", "GET, HEAD, PATCH"), ("OPTIONS", "/v1/logins", "POST"),
        ("TRACE", "/v1/logins", "POST"), ("GET", "/v1/companies/Acme/apps/x", "PUT, DELETE"),
        ("BREW", "/docs", "GET, HEAD"), ("HEAD", "/v1/logins", "POST"),
    ]) func `an unsupported method is refused with 405`(
        method: String, path: String, allow: String
    ) async throws {
        let answer = try await API.with { try await $0.send(method, path) }
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == allow)
        if method != "HEAD" { #expect(try answer.problem.code == "route.method_not_allowed") }
    }

    @Test(arguments: ["/v1/companies/Acme", "/healthz", "/nothing", "/docs"])
    func `HEAD answers like GET without the body`(path: String) async throws {
        let (get, head) = try await API.with { api in
            (
                try await api.send("GET", path, [("X-Request-Id", "same")]),
                try await api.send("HEAD", path, [("X-Request-Id", "same")])
            )
        }
        #expect(head.status == get.status)
        #expect(head.bytes.isEmpty)
        #expect(!get.bytes.isEmpty)
        for name in ["Content-Type", "Content-Length", "Cache-Control"] {
            #expect(head.header(name) == get.header(name))
        }
    }
}

@Suite struct AcceptLanguageTests {
    @Test(
        arguments: [
            ("de", ["de"]), ("de, fr", ["de", "fr"]), ("de;q=0.1, fr;q=0.9, en", ["en", "fr", "de"]),
            ("de;q=0, fr", ["fr"]), (" de ; q=0.5 ,fr", ["fr", "de"]), ("", []), (",,;", []),
            ("de;q=nan, fr;q=2, en;q=-1, it;level=1, es;q=", []), ("de;q=0.5;x=1", []),
        ] as [(String, [String])])
    func `languages are read in order of preference`(text: String, tags: [String]) {
        var fields = HTTPFields()
        fields[.acceptLanguage] = text
        #expect(RequestHeaders(fields: fields).preferredLanguages == tags)
    }

    @Test func `no more than 32 languages are read`() {
        var fields = HTTPFields()
        fields[.acceptLanguage] = (0..<1_000).map { "l\($0)" }.joined(separator: ",")
        #expect(RequestHeaders(fields: fields).preferredLanguages.count == 32)
    }
}

@Suite struct IdempotencyTests {
    private func login(_ headers: [(String, String)], body: String = Samples.login, path: String = "/v1/logins")
        async throws -> (answer: API.Answer, entry: Recorder.Entry?)
    {
        let service = FakeService()
        let answer = try await API.with(service) { try await $0.send("POST", path, headers, body: body) }
        return (answer, await service.recorder.work.last)
    }

    @Test(arguments: ["k", "!", "~", #""quoted""#, String(repeating: "k", count: 255)])
    func `an idempotency key of visible ASCII reaches the service unchanged`(key: String) async throws {
        #expect(try await login([("Idempotency-Key", key)]).entry?.call?.idempotencyKey == key)
    }

    @Test(arguments: ["", "a b", "ä", String(repeating: "k", count: 256)])
    func `a malformed idempotency key is refused`(key: String) async throws {
        let (answer, entry) = try await login([("Idempotency-Key", key)])
        #expect(try answer.problem.errors.first?.place == .header("Idempotency-Key"))
        #expect(entry == nil)
    }

    private static let changes: [(method: String, path: String, body: String)] = [
        ("PATCH", "/v1/companies/A/policy", #"{"blindOnly":true}"#),
        ("PATCH", "/v1/companies/A/mpin/policy", #"{"enabled":true}"#), ("PUT", "/v1/companies/A/apps/x", "{}"),
        ("DELETE", "/v1/companies/A/apps/x", "{}"), ("DELETE", "/v1/companies/A/invitations/x", "{}"),
    ]

    @Test(arguments: changes) func `an idempotency key of another change than POST reaches the service`(
        change: (method: String, path: String, body: String)
    ) async throws {
        let service = FakeService()
        let answers = try await API.with(service) { api in
            var answers: [API.Answer] = []
            for key in ["k", "a b"] {
                answers.append(
                    try await api.send(
                        change.method, change.path, [("Idempotency-Key", key)], authorization: API.bearer,
                        body: change.body))
            }
            return answers
        }
        #expect(answers[0].status == 200)
        #expect(try answers[1].problem.errors.first?.place == .header("Idempotency-Key"))
        #expect(await service.recorder.work.count == 1)
        let call = await service.recorder.work.last?.call
        #expect(call?.idempotencyKey == "k")
        let caller = "employee:" + FakeService.employeeId.uuidString.lowercased()
        #expect(
            call?.fingerprintInput == [change.method, change.path, caller, change.body].map { Array($0.utf8) })
    }

    @Test(arguments: ["GET", "HEAD"]) func `a read ignores an idempotency key`(method: String) async throws {
        let answer = try await API.with {
            try await $0.send(method, "/v1/companies/A", [("Idempotency-Key", "a b")])
        }
        #expect(answer.status == 200)
    }

    @Test func `two idempotency keys are refused`() async throws {
        let (answer, entry) = try await login([("Idempotency-Key", "a"), ("Idempotency-Key", "b")])
        #expect(try answer.problem.errors.first?.place == .header("Idempotency-Key"))
        #expect(entry == nil)
    }

    @Test func `an idempotency key is optional`() async throws {
        let entry = try await login([]).entry
        #expect(entry != nil)
        #expect(entry?.call?.idempotencyKey == nil)
    }

    @Test func `the fingerprint covers method, path, caller and body`() async throws {
        let base = try #require(try await login([]).entry?.call?.fingerprintInput)
        #expect(try await login([("X-Request-Id", "x")]).entry?.call?.fingerprintInput == base)
        #expect(try await login([], body: Samples.login + " ").entry?.call?.fingerprintInput != base)
    }

    @Test(arguments: ["idempotency.in_progress", "idempotency.conflict"])
    func `the service's idempotency refusals reach the caller`(code: String) async throws {
        var service = FakeService()
        service.failure = ServiceErrors.named(code)
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/logins", [("Idempotency-Key", "k")], body: Samples.login)
        }
        #expect(try answer.problem.code == code)
    }
}
