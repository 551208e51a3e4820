import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct HeaderTests {
    private static let everyPath = [
        "/v1/companies/Acme", "/nothing", "/healthz", "/docs", "/openapi.yaml", "/v1/companies/%FF", "/docs/style.css",
    ]

    @Test(arguments: everyPath) func `every response carries the security headers`(path: String) async throws {
        let answer = try await API.with { try await $0.send("GET", path) }
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(answer.header("Referrer-Policy") == "no-referrer")
        #expect(answer.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
        #expect(answer.header("Content-Security-Policy")?.contains("unsafe") == false)
        #expect(answer.header("X-Request-Id")?.isEmpty == false)
        #expect(answer.header("Strict-Transport-Security") == nil)
        #expect(answer.header("Server") == nil)
    }

    @Test func `a public address over TLS asks for TLS`() async throws {
        let configuration = HTTPConfiguration(port: 0, publicURL: "https://id.example")
        let answer = try await API.with(configuration: configuration) { try await $0.send("GET", "/healthz") }
        #expect(answer.header("Strict-Transport-Security") == "max-age=31536000")
    }

    @Test(arguments: ["a", "A.b_c-9", String(repeating: "x", count: 64)])
    func `the caller's request id comes back and reaches the service`(id: String) async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/logins", [("X-Request-Id", id)], body: Samples.login)
        }
        #expect(answer.header("X-Request-Id") == id)
        #expect(await service.recorder.last?.call?.requestId == id)
    }

    @Test(arguments: [
        "", "a b", "ä", String(repeating: "x", count: 65), "a,b", "a\u{1}b", "x: y", "<script>", "a%0d%0aSet-Cookie:x",
    ]) func `another request id is replaced`(id: String) async throws {
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

    @Test func `two request ids are none`() async throws {
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
    ]) func `a method that the path does not know is refused`(
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

    @Test func `the documentation links nothing from elsewhere and explains every code`() async throws {
        let page = try await API.with { try await $0.send("GET", "/docs") }
        let html = String(decoding: page.bytes, as: UTF8.self)
        for forbidden in ["http://", "https://", "<script", "style=", "onload", "@import"] {
            #expect(!html.contains(forbidden))
        }
        for code in ErrorCode.all { #expect(html.contains("id=\"\(code.rawValue)\"")) }
        for endpoint in Endpoint.all { #expect(html.contains(endpoint.template.text)) }
    }
}
