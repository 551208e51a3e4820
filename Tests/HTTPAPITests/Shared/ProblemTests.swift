import Canonical
import ErrorCodes
import HummingbirdTesting
import IdentityService
import Logging
import Synchronization
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct ProblemTests {
    private func answer(_ failure: any Error & Sendable) async throws -> API.Answer {
        var service = FakeService()
        service.failure = failure
        return try await API.with(service) {
            try await $0.send("GET", "/v1/companies/Acme", [("X-Request-Id", "r")])
        }
    }

    @Test(arguments: ErrorCode.all)
    func `every code has its status and problem document`(code: ErrorCode) async throws {
        let answer = try await answer(ServiceError(code))
        let problem = try answer.problem
        #expect(problem.code == code.rawValue)
        #expect(problem.status == code.status)
        #expect(problem.type == "/docs#" + code.rawValue)
        #expect(!problem.title.isEmpty)
        #expect(!problem.detail.isEmpty)
        #expect((answer.header("Retry-After") != nil) == (problem.status == 429 || problem.status == 503))
        #expect((answer.header("WWW-Authenticate") != nil) == (problem.status == 401))
    }

    @Test func `members, challenge and waiting time reach the problem document`() async throws {
        let answer = try await answer(
            ServiceError(
                .credentialsLocked, members: [.init(pointer: "/answers/1", detail: "twice")], challenge: [255],
                retryAfterSeconds: 77))
        #expect(answer.header("Retry-After") == "77")
        #expect(try answer.problem.errors == [ProblemPlace(.pointer("/answers/1"), "twice")])
        #expect(try answer.json["challenge"] == "/w==")
    }

    @Test func `unknown things and those of another tenant are answered alike`() async throws {
        // The service answers both with the same error; nothing that this layer adds may tell them apart.
        let paths = ["/v1/companies/Mine", "/v1/companies/Theirs-and-longer"]
        var service = FakeService()
        service.failure = ServiceError(.companyUnknown)
        let answers = try await API.with(service) { [service] api in
            _ = service
            var answers: [API.Answer] = []
            for path in paths { answers.append(try await api.send("GET", path, [("X-Request-Id", "r")])) }
            return answers
        }
        #expect(answers[0].bytes == answers[1].bytes)
        #expect(answers[0].fields == answers[1].fields)
        #expect(answers[0].status == 404)
    }

    struct Secretive: Error, CustomStringConvertible { var description: String { "password=hunter2" } }

    @Test func `an unexpected error is a 503 that reveals nothing`() async throws {
        let answer = try await answer(Secretive())
        #expect(try answer.problem.code == "service.unavailable")
        #expect(answer.header("Retry-After") != nil)
        #expect(!String(decoding: answer.bytes, as: UTF8.self).contains("hunter2"))
        #expect(try await self.answer(CancellationError()).problem.code == "service.unavailable")
    }

    @Test func `the log names a foreign error by type only, and one of ours by its description`() {
        #expect(RedactedError(error: Secretive()).description.contains("Secretive"))
        #expect(!RedactedError(error: Secretive()).description.contains("hunter2"))
        let own = RedactedError(error: ServiceError(.serviceBusy)).description
        #expect(own == "IdentityService.ServiceError: service.busy")
    }

    @Test func `the type of a problem links to the public address`() async throws {
        let configuration = HTTPConfiguration(port: 0, publicURL: "https://id.example")
        let text = try await API.with(configuration: configuration, live: true) { api in
            let port = try #require(api.client.port)
            let request = "GET /nothing HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
            return try await RawConnection(port: port).exchange([request]).text
        }
        #expect(text.contains(#""type":"https://id.example/docs#route.unknown""#) && !text.contains("evil"))
    }

    @Test func `readiness names missing dependencies`() async throws {
        var service = FakeService()
        service.missing = ["database", "views"]
        let answer = try await API.with(service) { try await $0.send("GET", "/readyz", authorization: nil) }
        #expect(try answer.problem.code == "service.unavailable")
        #expect(try answer.problem.errors.map(\.detail) == ["database", "views"])
    }

    @Test func `readiness names what the process has yet to prepare`() async throws {
        let left = Mutex(["the demo app is not created yet"])
        var configuration = HTTPConfiguration(port: 0)
        configuration.preparation = { left.withLock { $0 } }
        try await API.with(configuration: configuration) { api in
            let answer = try await api.send("GET", "/readyz", authorization: nil)
            #expect(try answer.problem.code == "service.unavailable")
            #expect(try answer.problem.errors.map(\.detail) == ["the demo app is not created yet"])
            left.withLock { $0 = [] }
            let later = try await api.send("GET", "/readyz", authorization: nil)
            #expect(later.status == 200)
        }
    }

    @Test func `a stopped projection is reported, and the service stays ready`() async throws {
        var service = FakeService()
        service.stoppedViews = ["tenants": 1, "employees": 2]
        let answer = try await API.with(service) { try await $0.send("GET", "/readyz", authorization: nil) }
        #expect(answer.status == 200)
        #expect(
            String(decoding: answer.bytes, as: UTF8.self)
                == #"{"status":"degraded","stoppedViews":[{"companies":2,"view":"employees"},{"companies":1,"view":"tenants"}]}"#
        )
    }

    @Test func `disabled pages are named, and the service stays ready`() async throws {
        var service = FakeService()
        service.hasPagesApp = false
        let answer = try await API.with(service) { try await $0.send("GET", "/readyz", authorization: nil) }
        #expect(answer.status == 200)
        #expect(String(decoding: answer.bytes, as: UTF8.self) == #"{"pages":"disabled","status":"ready"}"#)
    }

    @Test func `checkpoints that rest are reported, and the service stays ready`() async throws {
        var service = FakeService()
        service.seals = ["a ledger cannot be sealed"]
        let answer = try await API.with(service) { try await $0.send("GET", "/readyz", authorization: nil) }
        #expect(answer.status == 200)
        #expect(
            String(decoding: answer.bytes, as: UTF8.self)
                == #"{"seals":["a ledger cannot be sealed"],"status":"degraded"}"#)
    }

    @Test func `ledgers that are ahead of the clock are reported, and the service stays ready`() async throws {
        var service = FakeService()
        service.clocks = ["a ledger is ahead"]
        let answer = try await API.with(service) { try await $0.send("GET", "/readyz", authorization: nil) }
        #expect(answer.status == 200)
        #expect(
            String(decoding: answer.bytes, as: UTF8.self) == #"{"clocks":["a ledger is ahead"],"status":"degraded"}"#)
    }
}
