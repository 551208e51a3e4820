import Foundation
import HTTPLimits
import HummingbirdTesting
import IdentityService
import Logging
import ServiceLifecycle
import TenureAPI
import TenureClient
import Testing
@testable import HTTPAPI

@Suite struct ConfigurationTests {
    private func code(_ configuration: HTTPConfiguration) -> HTTPConfigurationError.Code? {
        do {
            try configuration.validate()
            return nil
        } catch { return error.code }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "id.example"])
    func `clear text beyond loopback is refused unless allowed`(host: String) {
        #expect(code(HTTPConfiguration(host: host)) == .clearTextBeyondLoopback)
        #expect(code(HTTPConfiguration(host: host, allowsClearText: true)) == nil)
        let certificate = HTTPConfiguration.Certificate(chainFile: "a", keyFile: "b")
        #expect(code(HTTPConfiguration(host: host, certificate: certificate)) == nil)
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) func `clear text on loopback is allowed`(
        host: String
    ) {
        #expect(code(HTTPConfiguration(host: host)) == nil)
    }

    @Test(arguments: [
        "id.example", "ftp://id.example", "https://", "https:///x", "https://id.example/", "https://a b",
        "https://id.example?x", "https://id.example#x", "https://u@id.example", "https://ä.example", "",
    ]) func `a public address other than an origin with an optional path is refused`(url: String) {
        #expect(code(HTTPConfiguration(publicURL: url)) == .publicURLInvalid)
    }

    @Test(arguments: ["http://127.0.0.1:8080", "https://id.example", "https://id.example/base"])
    func `a valid public address is accepted`(url: String) { #expect(code(HTTPConfiguration(publicURL: url)) == nil) }

    @Test func `limits that are not positive are refused`() {
        #expect(code(HTTPConfiguration(limits: RequestLimits(bodyBytes: 0))) == .limitInvalid)
        #expect(code(HTTPConfiguration(connections: ConnectionLimits(bodyTimeout: .zero))) == .limitInvalid)
        #expect(code(HTTPConfiguration(rateLimit: RateLimit(perSecond: 0, burst: 1))) == .limitInvalid)
        #expect(code(HTTPConfiguration(appRateLimit: RateLimit(perSecond: 1, burst: 0))) == .limitInvalid)
        #expect(code(HTTPConfiguration(port: -1)) == .limitInvalid)
    }

    @Test func `an unreadable certificate is reported before the server starts`() {
        let certificate = HTTPConfiguration.Certificate(chainFile: "/nowhere/a.pem", keyFile: "/nowhere/b.pem")
        #expect(throws: HTTPConfigurationError(code: .certificateUnreadable)) {
            _ = try makeApplication(
                service: FakeService(), configuration: HTTPConfiguration(certificate: certificate),
                logger: Logger(label: "test"))
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
    /// Hands the port over once the server runs.
    private func start(
        _ service: FakeService, _ work: @Sendable (Int, ServiceGroup) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let configuration = HTTPConfiguration(port: 0, onServerRunning: { port.yield($0) })
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = try makeApplication(service: service, configuration: configuration, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                try await work(port, group)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private func client(_ port: Int) -> TenureClient {
        TenureClient(
            baseURL: "http://127.0.0.1:\(port)",
            appCredentials: AppCredentials(appId: "app", secret: FakeService.secret),
            retries: RetryPolicy(attempts: 1))
    }

    @Test func `the server reports its bound port and ends on request`() async throws {
        try await start(FakeService()) { port, _ in
            #expect(port > 0)
            let company = try await client(port).company("Acme")
            #expect(company.employees == 3)
        }
    }

    @Test func `the server answers requests in flight before it ends`() async throws {
        var service = FakeService()
        service.delay = .milliseconds(500)
        let recorder = service.recorder
        try await start(service) { port, group in
            async let company = client(port).company("Acme")
            while await recorder.work.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            await group.triggerGracefulShutdown()
            let name = try await company.companyName
            #expect(name == "Acme")
        }
    }
}

@Suite(
    .enabled(
        if: Command.exists(["openssl", "version"]) && Command.exists(["curl", "--version"]),
        "openssl and curl are not installed"), .timeLimit(.minutes(5)))
struct TLSTests {
    /// Serves with a certificate of a moment, and hands over what curl needs to trust it.
    private func serving<Value: Sendable>(
        _ work: @Sendable (_ url: String, _ trust: [String]) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (chain, key) = (folder.path + "/chain.pem", folder.path + "/key.pem")
        let made = try await Command.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", chain,
        ])
        try #require(made.status == 0)
        let configuration = HTTPConfiguration(port: 0, certificate: .init(chainFile: chain, keyFile: key))
        return try await API.with(configuration: configuration, live: true) { api in
            let port = try #require(api.client.port)
            let trust = [
                "--cacert", chain, "--resolve", "localhost:\(port):127.0.0.1", "--silent", "--max-time", "120",
            ]
            return try await work("https://localhost:\(port)", trust)
        }
    }

    @Test(arguments: [("--http1.1", "1.1"), ("--http2", "2")])
    func `a server with a certificate speaks HTTP/1.1 and HTTP/2`(option: String, version: String) async throws {
        let output = try await serving { url, trust in
            try await Command.run(
                ["curl", option, "--write-out", " %{http_version} %{http_code}", "--include", url + "/healthz"] + trust)
        }
        #expect(output.status == 0)
        #expect(output.output.hasSuffix(" \(version) 200"))
        #expect(output.output.lowercased().contains("strict-transport-security: max-age=31536000"))
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `a body beyond the limit is refused with a problem document`(option: String) async throws {
        let body = #"{"passphrase":"\#(String(repeating: "a", count: 200_000))"}"#
        let output = try await serving { url, trust in
            try await Command.run(
                [
                    "curl", option, "--data-binary", "@-", "--header", "Content-Type: application/json", "--header",
                    "Expect:", "--header", "Authorization: " + API.basic, "--write-out", " %{http_code}",
                    url + "/v1/logins/f/passphrase",
                ] + trust, input: body)
        }
        #expect(output.output.hasSuffix(" 413"))
        #expect(output.output.contains(#""code":"request.too_large""#))
    }

    @Test func `clear text and old versions of TLS are not answered`() async throws {
        let (clear, old) = try await serving { url, trust in
            let clear = try await Command.run(["curl", url.replacing("https:", with: "http:") + "/healthz"] + trust)
            let old = try await Command.run(["curl", "--tls-max", "1.1", url + "/healthz"] + trust)
            return (clear, old)
        }
        #expect(clear.status != 0)
        #expect(old.status != 0)
    }
}
