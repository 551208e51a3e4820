import Canonical
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct TokenCallTests {
    private static let claims = TokenIntrospectionResponse.Claims(
        issuer: "https://id.example", subject: UUID(), audience: "app", expiresAt: 300, issuedAt: 0, id: UUID(),
        clientID: UUID(), sessionID: UUID(), tenantID: UUID(), role: "admin", methods: ["pop"], authenticatedAt: 7)

    private func session(_ service: FakeService) async throws -> EmployeeSession {
        let store = MemorySessionStore()
        let client = TenureClient(service, sessionStore: store)
        let tokens = SessionTokens(
            accessToken: "first", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "once")
        await store.keep(tokens, of: client.account(companyName: "A", companyEmployeeId: "7"))
        return try #require(try await client.session(companyName: "A", companyEmployeeId: "7"))
    }

    private static func issued(_ token: String) -> FakeService.Reply {
        .response(
            WireResponse(
                status: 200, body: ResourceTokenResponse(accessToken: token, expiresAt: .earliestOfTests).bytes))
    }

    @Test func `a session gets a token for a resource with its own token`() async throws {
        let service = FakeService(asking: .asksForAnswers, [Self.issued("a.b.c")])
        let token = try await session(service).resourceToken(for: "https://payroll.example/api")
        #expect(token == ResourceTokenResponse(accessToken: "a.b.c", expiresAt: .earliestOfTests))
        let sent = try #require(await service.sent("/v1/me/tokens").first)
        #expect(sent.method == "POST" && sent.headers["Authorization"] == "Bearer first")
        #expect(sent.headers["Content-Type"] == "application/json")
        #expect(try ResourceTokenRequest(bytes: sent.body ?? []).resource == "https://payroll.example/api")
    }

    @Test func `a session whose token expired refreshes it first`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.problem("session.expired"), Self.issued("a.b.c")])
        let token = try await session(service).resourceToken(for: "r")
        #expect(token.accessToken == "a.b.c")
        let authorities = await service.sent("/v1/me/tokens").map { $0.headers["Authorization"] }
        #expect(authorities == ["Bearer first", "Bearer access1"])
    }

    @Test func `an app asks about a token with its secret, in a form`() async throws {
        let transport = StubTransport([StubTransport.json(TokenIntrospectionResponse.active(Self.claims))])
        #expect(try await TenureClient(transport).introspect("a+b&c") == Self.claims)
        let sent = try #require(await transport.sent.first)
        #expect(sent.method == "POST" && sent.url == "https://id.example/oauth/introspect")
        #expect(sent.headers["Authorization"] == "Basic " + Base64.encode(Array("app:s:c".utf8)))
        #expect(sent.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(sent.body == Array("token=a%2Bb%26c".utf8))
    }

    @Test func `a token that is not in force has no claims`() async throws {
        let transport = StubTransport([StubTransport.json(TokenIntrospectionResponse.inactive)])
        #expect(try await TenureClient(transport).introspect("a") == nil)
        for text in ["", "a\u{0}"] { #expect(try await TenureClient(transport).introspect(text) == nil) }
        #expect(await transport.sent.count == 1, "a text that is no token is not sent")
    }

    @Test(arguments: ["", "{}", #"{"active":true}"#, #"{"active":"false"}"#])
    func `another response than the contract's says nothing about the token`(body: String) async {
        let transport = StubTransport([.answer(WireResponse(status: 200, body: Array(body.utf8)))])
        #expect(await code { _ = try await TenureClient(transport).introspect("a") } == "client.response_invalid")
    }

    @Test func `introspection is repeated after a lost response, and its refusal reaches the caller`() async throws {
        let lost = StubTransport([.lose, StubTransport.json(TokenIntrospectionResponse.inactive)])
        #expect(try await TenureClient(lost).introspect("a") == nil)
        #expect(await lost.sent.count == 2)
        let refused = StubTransport([StubTransport.problem("app.role_missing")])
        #expect(await code { _ = try await TenureClient(refused).introspect("a") } == "app.role_missing")
    }

    @Test func `an app revokes a token with its secret`() async throws {
        let transport = StubTransport([.answer(WireResponse(status: 200))])
        try await TenureClient(transport).revoke("a.b.c")
        let sent = try #require(await transport.sent.first)
        #expect(sent.method == "POST" && sent.url == "https://id.example/oauth/revoke")
        #expect(sent.headers["Authorization"]?.hasPrefix("Basic ") == true)
        #expect(sent.body == Array("token=a.b.c".utf8))
    }
}

extension Timestamp {
    fileprivate static let earliestOfTests = Timestamp(microseconds: 1_800_000_000_000_000)
}
