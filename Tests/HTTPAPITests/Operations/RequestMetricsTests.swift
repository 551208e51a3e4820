import Canonical
import ErrorCodes
import HTTPLimits
import IdentityService
import Logging
import NIOConcurrencyHelpers
import TenureAPI
import TenureServer
import Testing
@testable import HTTPAPI

@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    private static let host = "Host: 127.0.0.1"

    /// Asks the server of the metrics, and tells what came back.
    private func ask(
        _ port: Int, _ path: String = "/metrics", _ fields: [String] = [host], method: String = "GET"
    ) async throws -> String {
        let head = (["\(method) \(path) HTTP/1.1"] + fields + ["Connection: close", "", ""]).joined(separator: "\r\n")
        return try await RawConnection(port: port).exchange([head]).text
    }

    @Test func `requests are counted by pattern and code, and never by path`() async throws {
        let text = try await RunningServers.with { servers in
            _ = try await servers.send("GET", "/v1/companies/Secret%20Company")
            _ = try await servers.send("GET", "/v1/companies/Secret%20Company")
            _ = try await servers.send("COPY", "/nothing/Secret")
            _ = try await servers.send("POST", "/v1/registrations", body: String(repeating: "x", count: 70_000))
            return try await ask(servers.metricsPort)
        }
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(text.lowercased().contains("content-type: text/plain; version=0.0.4"))
        let total = "tenure_http_requests_total"
        #expect(text.contains(total + #"{method="GET",route="/v1/companies/{companyName}",status="200"} 2"#))
        #expect(text.contains(total + #"{method="OTHER",route="unknown",status="404",code="route.unknown"} 1"#))
        #expect(text.contains(#"route="/v1/registrations",status="413",code="request.too_large"} 1"#))
        #expect(text.contains(#"_duration_seconds_count{route="/v1/companies/{companyName}"} 2"#))
        #expect(text.contains("tenure_http_requests_in_flight 0\n"))
        #expect(text.contains("tenure_connections_limit 4096\n"))
        #expect(text.contains("\ntenure_connections_open ") && text.contains("\ntenure_connections_cut_total 0\n"))
        #expect(text.contains("\nprocess_max_fds ") && text.contains("\nprocess_cpu_seconds_total "))
        #expect(!text.contains("Secret") && !text.contains("tenure_certificate"))
    }

    @Test func `every line follows the Prometheus text format`() async {
        let metrics = RequestMetrics()
        await metrics.begin()
        await metrics.end(.init(method: "GET", route: "/a", status: 200), seconds: 0.03)
        await metrics.begin()
        await metrics.end(.init(method: "GET", route: "/a", status: 404, code: "a.b"), login: .refused, seconds: 0.03)
        let collector = MetricsCollector([MetricSection("a") { "tenure_a 1\n" }])
        let text =
            await metrics.text() + collector.text() + OpenDescriptors.metrics
            + ProcessUsage.metrics
        #expect(text.hasSuffix("\n"))
        #expect(text.contains(#"_bucket{route="/a",le="0.025"} 0"#))
        #expect(text.contains(#"_bucket{route="/a",le="0.05"} 2"#))
        #expect(text.contains(#"_bucket{route="/a",le="+Inf"} 2"#))
        #expect(text.contains(#"tenure_logins_total{outcome="refused"} 1"#))
        for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
            #expect(line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e-]+/) != nil, "\(line)")
        }
    }

    @Test func `metrics are for this machine by its own name, or for the token`() async throws {
        try await RunningServers.with(metrics: MetricsListener(port: 0, token: "t0ken")) { servers in
            let port = servers.metricsPort
            for host in ["127.0.0.1:9464", "localhost", "LOCALHOST:1", "[::1]:80"] {
                #expect(try await ask(port, "/metrics", ["Host: \(host)"]).hasPrefix("HTTP/1.1 200"), "\(host)")
            }
            for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:9464", "10.0.0.1"] {
                #expect(try await ask(port, "/metrics", ["Host: \(host)"]).hasPrefix("HTTP/1.1 403"), "\(host)")
            }
            let forwarded = [Self.host, "X-Forwarded-For: 203.0.113.9"]
            #expect(try await ask(port, "/metrics", forwarded).hasPrefix("HTTP/1.1 403"))
            let right = ["Host: a.example", "Authorization: Bearer t0ken"]
            #expect(try await ask(port, "/metrics", right).hasPrefix("HTTP/1.1 200"))
            for wrong in ["Bearer t0kem", "Bearer t0ke", "Bearer t0kenn", "Basic t0ken", "t0ken"] {
                let text = try await ask(port, "/metrics", ["Host: a.example", "Authorization: \(wrong)"])
                #expect(text.hasPrefix("HTTP/1.1 403"), "\(wrong)")
            }
        }
    }

    @Test func `the server of the metrics serves nothing else`() async throws {
        try await RunningServers.with { servers in
            for path in ["/", "/healthz", "/v1/companies/A", "/metrics/", "/metricsx"] {
                let text = try await ask(servers.metricsPort, path)
                #expect(text.hasPrefix("HTTP/1.1 404"), "\(path)")
            }
            let changed = try await ask(servers.metricsPort, method: "POST")
            #expect(changed.hasPrefix("HTTP/1.1 405"))
            let asked = try await ask(servers.metricsPort, "/metrics?a=b")
            #expect(asked.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `beyond loopback the token is required`() {
        for (host, token, isPermitted) in [
            ("0.0.0.0", nil, false), ("10.0.0.1", nil, false), ("0.0.0.0", "t", true), ("::1", nil, true),
            ("localhost", nil, true),
        ] {
            var configuration = HTTPConfiguration(port: 0)
            configuration.metrics = MetricsListener(host: host, port: 0, token: token)
            let isValid: Bool
            do throws(HTTPConfigurationError) {
                try configuration.validate()
                isValid = true
            } catch {
                #expect(error.code == .metricsTokenMissing)
                isValid = false
            }
            #expect(isValid == isPermitted, "\(host)")
        }
    }

    @Test func `an address that is taken stops the service if it was configured, and else is told`() async throws {
        try await RunningServers.with { servers in
            let lines = NIOLockedValueBox<[String]>([])
            let logger = Logger(label: "test") { _ in Capture(lines: lines) }
            let taken = servers.metricsPort
            let usual = MetricsListener(port: taken)
            try await RunningServers.with(metrics: usual, logger: logger, waitsForMetrics: false) { others in
                let text = try await others.send("GET", "/healthz")
                #expect(text.hasPrefix("HTTP/1.1 200"))
            }
            #expect(lines.withLockedValue { $0.contains { $0.contains("metrics are not served") } })
            let asked = MetricsListener(port: taken, isOptional: false)
            await #expect(throws: HTTPConfigurationError(code: .metricsAddressTaken)) {
                try await RunningServers.with(metrics: asked, waitsForMetrics: false) { _ in
                    try await Task.sleep(for: .seconds(60))
                }
            }
        }
    }

    @Test func `answers of the OpenID provider are counted by client, outcome and cause`() async throws {
        var service = FakeService()
        service.provider = .working
        let text = try await RunningServers.with(service) { servers in
            for type in ["password", "x&grant_type=y", "refresh_token&refresh_token=r"] {
                let body = "grant_type=" + type
                let fields = [
                    "POST /oauth/token HTTP/1.1", "Host: x", "Authorization: \(API.basic)", "Connection: close",
                    "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.utf8.count)", "", "",
                ]
                _ = try await RawConnection(port: servers.port).exchange([fields.joined(separator: "\r\n") + body])
            }
            return try await ask(servers.metricsPort)
        }
        let counted = text.split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("tenure_openid_answers_total")
        }
        let start = "tenure_openid_answers_total{client=\"\(FakeService.appId.lowercased)\","
        let expected: [String] = [
            #"outcome="invalid_request",cause="form"} 1"#, #"outcome="success"} 1"#,
            #"outcome="unsupported_grant_type",cause="grant_type"} 1"#,
        ].map { start + $0 }
        #expect(counted == expected)
    }

    @Test func `log-ins are counted by outcome, and repeated replies are not`() async throws {
        func count(_ service: FakeService) async throws -> String {
            try await RunningServers.with(service) { servers in
                let body = #"{"answers":[{"questionId":"a","answer":"b"}]}"#
                _ = try await servers.send("POST", "/v1/logins/f/answers", body: body)
                let text = try await ask(servers.metricsPort)
                return text.split(separator: "\n").filter { $0.hasPrefix("tenure_logins_total") && !$0.hasSuffix(" 0") }
                    .joined(separator: ",")
            }
        }
        var service = FakeService()
        #expect(try await count(service) == "", "the log-in goes on")
        service.outcome = .authorizationPending(employeePublicKey: [4], fingerprint: "ab", position: 1)
        #expect(try await count(service) == #"tenure_logins_total{outcome="authorization_pending"} 1"#)
        service.failure = ServiceError(.answersIncorrect)
        #expect(try await count(service) == #"tenure_logins_total{outcome="refused"} 1"#)
        service.failure = ServiceError(.serviceBusy)
        #expect(try await count(service) == #"tenure_logins_total{outcome="failed"} 1"#)
        let code = try #require(ErrorCode(rawValue: "answers.incorrect"))
        let refused = Reply(Refusal(code), requestId: "r", challenge: nil, publicURL: "")
        let repeated = Reply(refused.stored)
        #expect(repeated.code == "answers.incorrect")
        var trace = Trace(requestId: "r", method: "POST", route: "/v1/logins/{flow}/answers")
        #expect(LoginOutcome(trace, repeated) == nil && LoginOutcome(trace, refused) == .refused)
        // Pages of all flows share their paths, so their replies say whether they are about a log-in.
        trace.family = .page
        for route in ["/flow/{flow}/answers", "/waiting/{flow}/continue"] {
            trace.route = route
            var ended = refused
            #expect(LoginOutcome(trace, ended) == nil)
            ended.login = .success
            #expect(LoginOutcome(trace, ended) == .success)
        }
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
    @Test func `the cause that the database gave is in the log, and not in the reply`() async throws {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "test") { _ in Capture(lines: lines) }
        var service = FakeService()
        var failure = ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
        failure.cause = "FATAL: password authentication failed"
        service.failure = failure
        let answer = try await API.with(service, logger: logger) {
            try await $0.send("GET", "/v1/companies/A", [("X-Request-Id", "mine")])
        }
        #expect(answer.status == 503 && !String(decoding: answer.bytes, as: UTF8.self).contains("FATAL"))
        let all = lines.withLockedValue { $0 }
        let line = try #require(all.first { $0.contains("cause=FATAL: password authentication failed") })
        #expect(line.hasPrefix("error") && line.contains("request_id=mine"))
        #expect(all.contains { $0.contains(" request ") && $0.contains("code=service.unavailable") })
    }

    @Test func `a call that was given up has a cause in the log, which no database is`() async throws {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "test") { _ in Capture(lines: lines) }
        for failure in [CancellationError() as any Error, ServiceError(.serviceUnavailable)] {
            var service = FakeService()
            service.failure = failure
            let answer = try await API.with(service, logger: logger) { try await $0.send("GET", "/v1/companies/A") }
            #expect(answer.status == 503)
        }
        let causes = lines.withLockedValue { $0.filter { $0.contains("cause=") } }
        #expect(causes.count == 1 && causes.first?.contains("cause=the caller left, or the service stops") == true)
    }

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
        #expect(requests[2].contains("method=OTHER") && requests[2].contains(" code=route.unknown"))
        #expect(!requests[0].contains(" code=route"))
        let text = all.joined(separator: "\n")
        #expect(text.contains("unexpected error"))
        for secret in ["TopSecret", "TOPSECRET", "hunter2", FakeService.secret, String(API.basic.dropFirst(6))] {
            #expect(!text.contains(secret))
        }
    }
}
