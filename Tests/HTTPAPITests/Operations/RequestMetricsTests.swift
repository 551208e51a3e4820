import Logging
import NIOConcurrencyHelpers
import TenureAPI
import Testing
@testable import HTTPAPI

@Suite struct MetricsTests {
    @Test func `requests are counted by pattern and never by path`() async throws {
        let text = try await API.with(live: true) { api in
            _ = try await api.send("GET", "/v1/companies/Secret%20Company")
            _ = try await api.send("GET", "/v1/companies/Secret%20Company")
            _ = try await api.send("COPY", "/nothing/Secret")
            let answer = try await api.send("GET", "/metrics", authorization: nil)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type")?.hasPrefix("text/plain; version=0.0.4") == true)
            return String(decoding: answer.bytes, as: UTF8.self)
        }
        let total = "tenure_http_requests_total"
        #expect(text.contains(total + #"{method="GET",route="/v1/companies/{companyName}",status="200"} 2"#))
        #expect(text.contains(total + #"{method="OTHER",route="unknown",status="404"} 1"#))
        #expect(text.contains(#"_duration_seconds_count{route="/v1/companies/{companyName}"} 2"#))
        #expect(text.contains("tenure_http_requests_in_flight 1\n"))
        #expect(!text.contains("Secret"))
    }

    @Test func `every line follows the Prometheus text format`() async {
        let metrics = RequestMetrics()
        await metrics.begin()
        await metrics.end(method: "GET", route: "/a", status: 200, seconds: 0.03)
        let text = await metrics.text()
        #expect(text.hasSuffix("\n"))
        #expect(text.contains(#"_bucket{route="/a",le="0.025"} 0"#))
        #expect(text.contains(#"_bucket{route="/a",le="0.05"} 1"#))
        #expect(text.contains(#"_bucket{route="/a",le="+Inf"} 1"#))
        #expect(text.contains(#"_sum{route="/a"} 0.03"#))
        for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
            #expect(line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e-]+/) != nil)
        }
    }

    @Test func `beyond loopback metrics need the token`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        let send = { @Sendable (configuration: HTTPConfiguration, authorization: String?) in
            try await API.with(configuration: configuration) {
                try await $0.send("GET", "/metrics", authorization: authorization)
            }
        }
        #expect(try await send(configuration, nil).problem.code == "authorization.not_permitted")
        configuration.metricsToken = "t0ken"
        #expect(try await send(configuration, "Bearer t0ken").status == 200)
        for wrong in ["Bearer t0kem", "Bearer t0ke", "Bearer t0kenn", "Basic t0ken", "t0ken"] {
            #expect(try await send(configuration, wrong).status == 403)
        }
    }

    @Test func `the configuration can add lines to the metrics`() async throws {
        var configuration = HTTPConfiguration(port: 0, metricsToken: "t")
        configuration.moreMetrics = { "tenure_more 1\n" }
        let answer = try await API.with(configuration: configuration) {
            try await $0.send("GET", "/metrics", authorization: "Bearer t")
        }
        #expect(String(decoding: answer.bytes, as: UTF8.self).hasSuffix("\ntenure_more 1\n"))
    }
}

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
    @Test func `an access log line names the route and no caller input`() async throws {
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
