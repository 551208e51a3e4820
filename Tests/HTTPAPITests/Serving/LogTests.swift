import Logging
import NIOConcurrencyHelpers
import Testing

@testable import HTTPAPI

/// Keeps what was logged.
struct Capture: LogHandler {
    let lines: NIOLockedValueBox<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let text = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        lines.withLockedValue { $0.append("\(event.level) \(event.message) \(text)") }
    }
}

@Suite struct LogTests {
    @Test func `a line tells the pattern and nothing that a caller wrote`() async throws {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "test") { _ in Capture(lines: lines) }
        var service = FakeService()
        service.failure = ProblemTests.Secretive()
        try await API.with(service, logger: logger) { api in
            let path = "/v1/companies/TopSecret/employees/TopSecret?x=TopSecret"
            _ = try await api.send("GET", path, [("X-Request-Id", "visible")])
            _ = try await api.send("POST", "/v1/logins", body: #"{"TopSecret":"TopSecret"}"#)
            _ = try await api.send("TOPSECRET", "/TopSecret")
            _ = try await api.send("GET", "/v1/companies/TopSecret")
            _ = try await api.send("GET", "/v1/sessions", authorization: "Bearer TopSecret")
        }
        let all = lines.withLockedValue { $0 }
        let requests = all.filter { $0.contains(" request ") }
        #expect(requests.count == 5)
        #expect(requests.allSatisfy { $0.contains("duration_ms=") && $0.contains("route=") })
        #expect(requests[0].contains("request_id=visible"))
        #expect(requests[0].contains("route=/v1/companies/{companyName}/employees/{companyEmployeeId}"))
        #expect(requests[2].contains("method=OTHER"))
        let text = all.joined(separator: "\n")
        #expect(text.contains("unexpected error"))
        for secret in ["TopSecret", "TOPSECRET", "hunter2", FakeService.secret, String(API.basic.dropFirst(6))] {
            #expect(!text.contains(secret))
        }
    }
}
