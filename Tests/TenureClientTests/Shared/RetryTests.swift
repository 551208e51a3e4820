import Canonical
import FoundationEssentials
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct RetryTests {
    private static let done = StubTransport.json(DecisionResponse.done(nil, position: nil))
    private static let company = StubTransport.json(
        CompanyResponse(
            tenantId: UUID(), companyName: "A", foundedAt: Timestamp(microseconds: 0), employees: 1, position: 1))

    private func code(_ work: () async throws -> Void) async -> String? {
        do {
            try await work()
            return nil
        } catch { return (error as? TenureClientError)?.code.rawValue }
    }

    @Test func `a lost connection repeats the identical request`() async throws {
        let transport = StubTransport([.lose, StubTransport.problem("service.busy", retryAfter: 0), Self.done])
        let result = try await TenureClient(transport).approve("7", of: "A/B", as: .app)
        #expect(result == .done(nil, position: nil))
        let sent = await transport.sent
        #expect(sent.count == 3)
        let keys = Set(sent.compactMap { $0.headers["Idempotency-Key"] })
        #expect(keys.count == 1)
        #expect(keys.first?.isEmpty == false)
        #expect(Set(sent.map(\.body)).count == 1)
        #expect(sent[0].url == "https://id.example/v1/companies/A%2FB/employees/7/approval")
        #expect(sent[0].headers["Authorization"] == "Basic " + Base64.encode(Array("app:s:c".utf8)))
    }

    @Test(arguments: ["secret\n", "secret\r", " secret", "se cret", "secret\r\n"])
    func `a secret with white space is refused before anything is sent`(secret: String) async throws {
        let transport = StubTransport([Self.company])
        for app in [
            AppCredentials(appId: "app", appSecret: secret, appSalt: "", baseURL: "https://id.example"),
            AppCredentials(appId: secret, appSecret: "secret", appSalt: "", baseURL: "https://id.example"),
        ] {
            let client = try TenureClient(appCredentials: app, transport: transport)
            let error = await #expect(throws: TenureClientError.self) { _ = try await client.company("A") }
            #expect(error?.kind == .appSecretInvalid && error?.advice.first?.contains("white space") == true)
            #expect(error.map { "\($0) \($0.advice)".contains("secret\(secret)") } == false)
        }
        #expect(await transport.sent.isEmpty)
    }

    @Test func `a lost DELETE is repeated with the same key`() async throws {
        let transport = StubTransport([.lose, Self.done])
        try await TenureClient(transport).revokeInvitation(UUID(), of: "A")
        let sent = await transport.sent
        let keys = sent.compactMap { $0.headers["Idempotency-Key"] }
        #expect(sent.map(\.method) == ["DELETE", "DELETE"])
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test func `a body that is too large is reported, also by a proxy`() async {
        for answer in [
            StubTransport.problem("request.too_large"),
            .answer(WireResponse(status: 413, body: Array("<html>Too large</html>".utf8))),
        ] {
            let transport = StubTransport([answer, Self.company])
            #expect(await code { _ = try await TenureClient(transport).company("A") } == "request.too_large")
            #expect(await transport.sent.count == 1)
        }
    }

    @Test func `an unaccepted media type is reported and not retried`() async {
        let transport = StubTransport([StubTransport.problem("request.media_type"), Self.company])
        #expect(await code { _ = try await TenureClient(transport).company("A") } == "request.media_type")
        #expect(await transport.sent.count == 1)
    }

    @Test func `reads are not conditional, and a 304 is no response`() async {
        let transport = StubTransport([.answer(WireResponse(status: 304))])
        #expect(await code { _ = try await TenureClient(transport).company("A") } == "client.response_invalid")
        #expect(await transport.sent.allSatisfy { $0.headers["If-None-Match"] == nil })
    }

    @Test func `each call has its own idempotency key, and reads have none`() async throws {
        let transport = StubTransport([Self.done, Self.done, Self.company])
        let client = TenureClient(transport)
        _ = try await client.approve("7", of: "A", as: .app)
        _ = try await client.approve("7", of: "A", as: .app)
        _ = try await client.company("A", waitFor: 9)
        let sent = await transport.sent
        #expect(sent[0].headers["Idempotency-Key"] != sent[1].headers["Idempotency-Key"])
        #expect(sent[2].headers["Idempotency-Key"] == nil)
        #expect(sent[2].headers["Tenure-Wait-For"] == "9")
    }

    @Test func `retries are bounded`() async {
        let transport = StubTransport([])
        #expect(await code { _ = try await TenureClient(transport).company("A") } == "client.connection_lost")
        #expect(await transport.sent.count == 3)
    }

    @Test func `a wait beyond the limit is left to the caller`() async {
        let transport = StubTransport([StubTransport.problem("service.unavailable", retryAfter: 3600)])
        #expect(await code { _ = try await TenureClient(transport).company("A") } == "service.unavailable")
        #expect(await transport.sent.count == 1)
    }

    @Test(arguments: ["company.unknown", "credentials.locked", "answers.incorrect", "idempotency.conflict"])
    func `a final refusal is not retried`(verdict: String) async {
        let transport = StubTransport([StubTransport.problem(verdict), Self.company])
        #expect(await code { _ = try await TenureClient(transport).company("A") } == verdict)
        #expect(await transport.sent.count == 1)
    }

    @Test func `the client waits for a request that is still running`() async throws {
        let transport = StubTransport([StubTransport.problem("idempotency.in_progress"), Self.done])
        _ = try await TenureClient(transport).cancel("7", of: "A", as: .employee(accessToken: "t"))
        let sent = await transport.sent
        #expect(sent.count == 2)
        #expect(sent[0].headers["Authorization"] == "Bearer t")
    }

    @Test func `a lost refresh is repeated with the same key, because another one ends the session`() async throws {
        let tokens = SessionResponse(accessToken: "a", expiresAt: Timestamp(microseconds: 0), refreshToken: "s")
        for key in [nil, "kept-beside-the-token"] {
            let transport = StubTransport([
                .lose, StubTransport.problem("idempotency.in_progress"), StubTransport.json(tokens),
            ])
            let client = TenureClient(transport)
            #expect(try await client.refreshSession(refreshToken: "r", idempotencyKey: key) == tokens)
            let sent = await transport.sent
            #expect(sent.count == 3 && Set(sent.map(\.body)).count == 1)
            let keys = Set(sent.map { $0.headers["Idempotency-Key"] })
            #expect(keys.count == 1 && (key == nil || keys == [key]))
            #expect(sent.allSatisfy { $0.headers["Authorization"]?.hasPrefix("Basic ") == true })
        }
    }

    @Test(arguments: ["", ".", ".."]) func `a name that URL libraries would rewrite is not sent`(name: String) async {
        let transport = StubTransport([Self.company])
        #expect(await code { _ = try await TenureClient(transport).company(name) } == "client.address_invalid")
        #expect(await transport.sent.isEmpty)
    }

    @Test(arguments: ["", "<html>", "{}", "[1]", "{\"companyName\":1}"])
    func `a response that this API does not define is refused`(body: String) async {
        for status in [200, 502] {
            let transport = StubTransport([.answer(WireResponse(status: status, body: Array(body.utf8)))])
            #expect(await code { _ = try await TenureClient(transport).company("A") } == "client.response_invalid")
        }
    }

    @Test func `waits double and are bounded`() {
        let policy = RetryPolicy(attempts: 4, firstWait: .seconds(1), longestWait: .seconds(3))
        #expect(policy.wait(after: 1, retryAfter: nil) == .seconds(1))
        #expect(policy.wait(after: 2, retryAfter: nil) == .seconds(2))
        #expect(policy.wait(after: 3, retryAfter: nil) == .seconds(3))
        #expect(policy.wait(after: 4, retryAfter: nil) == nil)
        #expect(policy.wait(after: 1, retryAfter: 2) == .seconds(2))
        #expect(policy.wait(after: 1, retryAfter: 4) == nil)
    }

    @Test func `the client's own wait is jittered, a requested one is exact`() {
        let policy = RetryPolicy(attempts: 9, firstWait: .seconds(1), longestWait: .seconds(8))
        #expect(policy.wait(after: 3, retryAfter: nil, draw: 0) == .seconds(2))
        #expect(policy.wait(after: 3, retryAfter: nil, draw: 0.5) == .seconds(3))
        #expect(policy.wait(after: 3, retryAfter: 5, draw: 0) == .seconds(5))
        #expect(policy.wait(after: 8, retryAfter: nil, draw: 1) == .seconds(8))
    }

    @Test func `a rate-limited request is repeated after its wait with the same key`() async throws {
        let transport = StubTransport([StubTransport.problem("request.rate_limited", retryAfter: 0), Self.done])
        _ = try await TenureClient(transport).approve("7", of: "A", as: .app)
        let keys = await transport.sent.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test func `a wait ends when the task is cancelled`() async throws {
        let transport = StubTransport([StubTransport.problem("service.busy", retryAfter: 3600)])
        let client = TenureClient(
            baseURL: "https://id.example", appCredentials: AppCredentials(appId: "app", secret: "s"),
            transport: transport, retries: RetryPolicy(attempts: 9, longestWait: .seconds(7200)))
        let task = Task {
            do { _ = try await client.company("A") } catch { return error is CancellationError }
            return false
        }
        while await transport.sent.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value)
    }

    @Test func `secrets are not printed`() {
        let credentials = AppCredentials(appId: "app", secret: "hunter2")
        #expect(!"\(credentials) \(String(reflecting: credentials))".contains("hunter2"))
    }
}
