import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct IdempotencyTests {
    private func login(_ headers: [(String, String)], body: String = Samples.login, path: String = "/v1/logins")
        async throws -> (answer: API.Answer, entry: Recorder.Entry?)
    {
        let service = FakeService()
        let answer = try await API.with(service) { try await $0.send("POST", path, headers, body: body) }
        return (answer, await service.recorder.work.last)
    }

    @Test(arguments: ["k", "!", "~", #""quoted""#, String(repeating: "k", count: 255)])
    func `a key of visible ASCII reaches the service as it is`(key: String) async throws {
        #expect(try await login([("Idempotency-Key", key)]).entry?.call?.idempotencyKey == key)
    }

    @Test(arguments: ["", "a b", "ä", String(repeating: "k", count: 256)])
    func `another key is refused`(key: String) async throws {
        let (answer, entry) = try await login([("Idempotency-Key", key)])
        #expect(try answer.problem.errors.first?.place == .header("Idempotency-Key"))
        #expect(entry == nil)
    }

    @Test func `two keys are refused`() async throws {
        let (answer, entry) = try await login([("Idempotency-Key", "a"), ("Idempotency-Key", "b")])
        #expect(try answer.problem.errors.first?.place == .header("Idempotency-Key"))
        #expect(entry == nil)
    }

    @Test func `there need not be one`() async throws {
        let entry = try await login([]).entry
        #expect(entry != nil)
        #expect(entry?.call?.idempotencyKey == nil)
    }

    @Test func `the fingerprint tells method, path, caller and body apart`() async throws {
        let base = try #require(try await login([]).entry?.call?.fingerprintInput)
        #expect(try await login([("X-Request-Id", "x")]).entry?.call?.fingerprintInput == base)
        #expect(try await login([], body: Samples.login + " ").entry?.call?.fingerprintInput != base)
        let inputs = [
            APIResponder.fingerprint("POST", "/a", "b", []), APIResponder.fingerprint("POST", "/ab", "", []),
            APIResponder.fingerprint("POST", "/a", "", Array("b".utf8)),
            APIResponder.fingerprint("POST/", "a", "b", []),
            APIResponder.fingerprint("POST", "/a", "b", [0]),
        ]
        #expect(Set(inputs).count == inputs.count)
    }

    @Test(arguments: ["idempotency.in_progress", "idempotency.conflict"])
    func `the service's verdict comes through`(code: String) async throws {
        var service = FakeService()
        service.failure = ServiceErrors.named(code)
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/logins", [("Idempotency-Key", "k")], body: Samples.login)
        }
        #expect(try answer.problem.code == code)
    }
}
