import ErrorCodes
import HTTPTypes
import HummingbirdTesting
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct ConditionalReadTests {
    private static let company = "/v1/companies/Acme"

    private func get(
        _ path: String, _ headers: [(String, String)] = [], method: String = "GET", _ service: FakeService = .init(),
        authorization: String? = API.basic
    ) async throws -> API.Answer {
        // A policy is read by employees only.
        let authorization = path.hasSuffix("/policy") ? API.bearer : authorization
        return try await API.with(service) { try await $0.send(method, path, headers, authorization: authorization) }
    }

    private static let reads = Endpoint.all.filter { endpoint in
        let text = endpoint.template.text
        return endpoint.method == "GET"
            && ["/v1/", "/.well-known/", "/docs", "/openapi.yaml", "/anchor"].contains { text.hasPrefix($0) }
    }

    @Test(arguments: reads) func `a read has a tag, and its repetition is answered with 304`(
        endpoint: Endpoint
    ) async throws {
        let (path, authorization) = (Samples.path(endpoint), Samples.authorization(endpoint))
        let first = try await get(path, authorization: authorization)
        #expect(first.status == 200)
        let tag = try #require(first.header("ETag"))
        let again = try await get(
            path, [("If-None-Match", tag), ("X-Request-Id", "mine")], authorization: authorization)
        #expect(again.status == 304)
        #expect(again.bytes.isEmpty)
        for name in ["ETag", "Cache-Control", "Vary", "Content-Security-Policy"] {
            #expect(again.header(name) == first.header(name), "\(name)")
        }
        #expect(again.header("X-Request-Id") == "mine")
        for name in ["Content-Type", "Content-Length", "Content-Language", "Transfer-Encoding"] {
            #expect(again.header(name) == nil, "\(name)")
        }
    }

    @Test(arguments: reads) func `a private read is kept by its reader only, and never used unasked`(
        endpoint: Endpoint
    ) async throws {
        let answer = try await get(Samples.path(endpoint), authorization: Samples.authorization(endpoint))
        switch endpoint {
        case .listQuestions:
            #expect(answer.header("Cache-Control") == "public, max-age=3600")
            #expect(answer.header("Vary") == "Accept-Language")
        case .readTokenMetadata, .readProviderMetadata, .readTokenKeys:
            #expect(answer.header("Cache-Control") == "public, max-age=300")
        case _ where endpoint.access == .anyone:
            #expect(answer.header("Cache-Control") == "no-cache")
            #expect(answer.header("Vary") == nil)
        default:
            #expect(answer.header("Cache-Control") == "private, no-cache")
            #expect(answer.header("Vary") == "Authorization")
        }
    }

    @Test func `a tag changes with the reply`() async throws {
        let (one, same, other) = (
            try await get("/v1/companies/One"), try await get("/v1/companies/One"), try await get("/v1/companies/Other")
        )
        #expect(one.header("ETag") == same.header("ETag"))
        #expect(one.header("ETag") != other.header("ETag"))
        let tag = try #require(one.header("ETag"))
        let answer = try await get("/v1/companies/Other", [("If-None-Match", tag)])
        #expect(answer.status == 200)
        #expect(answer.bytes == other.bytes)
    }

    @Test(arguments: ["/policy", "/mpin/policy"])
    func `the tag of an object with a version is the version`(path: String) async throws {
        #expect(try await get(Self.company + path).header("ETag") == "\"3\"")
        #expect(try await get(Self.company + path, [("If-None-Match", "\"3\"")]).status == 304)
        #expect(try await get(Self.company + path, [("If-None-Match", "\"2\"")]).status == 200)
    }

    @Test(arguments: [
        ("*", 304), ("\"3\"", 304), ("W/\"3\"", 304), ("\"1\", \"3\"", 304), ("\"1\" ,W/\"3\"", 304),
        ("\"3\",\"1\"", 304),
        ("\"a,b\", \"3\"", 304), (", \"3\",", 304), ("\t\"3\" ", 304),
        ("", 200), ("3", 200), ("\"3", 200), ("\"33\"", 200), ("w/\"3\"", 200), ("W/W/\"3\"", 200), ("\"1\", *", 200),
        ("\"*\"", 200), ("W/*", 200), ("\"\"", 200), ("\"a3\"", 200),
    ]) func `tags are compared weakly, alone or in a list`(sent: String, status: Int) async throws {
        let answer = try await get(Self.company + "/policy", [("If-None-Match", sent)])
        #expect(answer.status == status)
        #expect(answer.bytes.isEmpty == (status == 304))
    }

    @Test func `tags in several fields are one list`() async throws {
        let fields = [("If-None-Match", "\"1\""), ("If-None-Match", "\"3\"")]
        #expect(try await get(Self.company + "/policy", fields).status == 304)
    }

    @Test func `HEAD has the tag of GET, and 304`() async throws {
        let (get, head) = (try await get(Self.company), try await get(Self.company, method: "HEAD"))
        let tag = try #require(get.header("ETag"))
        #expect(head.header("ETag") == tag)
        #expect(head.header("Cache-Control") == get.header("Cache-Control"))
        #expect(try await self.get(Self.company, [("If-None-Match", tag)], method: "HEAD").status == 304)
    }

    @Test func `a caller is authenticated and authorized before a tag is compared`() async throws {
        let any = [("If-None-Match", "*")]
        #expect(try await get(Self.company, any, authorization: nil).problem.code == "app.unknown")
        var service = FakeService()
        service.failure = ServiceError(.authorizationNotPermitted)
        let refused = try await get(Self.company, any, service)
        #expect(try refused.problem.code == "authorization.not_permitted")
        #expect(refused.header("Cache-Control") == "no-store")
        #expect(refused.header("ETag") == nil)
    }

    @Test(arguments: ["/healthz", "/readyz", "/mpin/A/rps/clientSettings", "/mpin/A/rps/signature/7b7d"])
    func `probes and the M-Pin protocol have no tag`(path: String) async throws {
        let answer = try await API.with(live: true) { api in
            try await api.send("GET", path + (path.hasSuffix("7b7d") ? "?regOTT=x" : ""), [("If-None-Match", "*")])
        }
        #expect(answer.status == 200)
        #expect(answer.header("ETag") == nil)
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test func `a change has no tag and ignores If-None-Match`() async throws {
        let answer = try await API.with {
            try await $0.send("POST", "/v1/logins", [("If-None-Match", "*")], body: Samples.login)
        }
        #expect(answer.status == 201)
        #expect(answer.header("ETag") == nil)
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test func `a reply that a route keeps out of caches has no tag`() {
        let reply = Reply(headers: ["Cache-Control": "no-store"], body: [1])
        let same = reply.conditional(on: RequestHeaders(fields: [.ifNoneMatch: "*"]), of: .readMe)
        #expect(same.status == 200)
        #expect(same.headers == reply.headers)
    }

    @Test func `the tag of a body is no version`() {
        for byte in UInt8.min...UInt8.max {
            let headers = RequestHeaders(fields: [.ifMatch: EntityTag.text(of: [byte])])
            #expect(throws: Refusal.self) { try EntityTag.version(ifMatch: headers) }
        }
    }

    @Test func `a connection goes on after a 304`() async throws {
        let (text, _) = try await API.with(live: true) { api in
            let head = "Host: x\r\nAuthorization: \(API.bearer)\r\n"
            let first = "GET \(Self.company)/policy HTTP/1.1\r\n\(head)If-None-Match: \"3\"\r\n\r\n"
            let second = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: second\r\n\r\n"
            return try await RawConnection(port: try #require(api.client.port))
                .exchange([first + second], until: "second")
        }
        #expect(text.hasPrefix("HTTP/1.1 304"))
        let end = try #require(text.firstRange(of: "\r\n\r\n"))
        #expect(text[end.upperBound...].hasPrefix("HTTP/1.1 200"))
        let head = text[..<end.lowerBound].lowercased()
        #expect(!head.contains("content-length") && !head.contains("transfer-encoding"))
    }
}
