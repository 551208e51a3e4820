import HTTPAPI
import HTTPLimits
import Testing

@testable import tenure

@Suite struct ListenerSettingsTests {
    private func settings(_ environment: [String: String]) async throws -> Settings {
        try await Settings(flags: [:], environment: environment, file: nil)
    }

    @Test func `without a setting the metrics are on loopback, if the port is free`() async throws {
        let listener = try #require(try await settings([:]).metricsListener())
        #expect(listener.host == "127.0.0.1" && listener.port == 9_464 && listener.isOptional)
        #expect(listener.token == nil && listener.url == "http://127.0.0.1:9464/metrics")
    }

    @Test(arguments: [
        ("0.0.0.0:9000", "0.0.0.0", 9_000), ("[::1]:1", "::1", 1), ("localhost:0", "localhost", 0),
        ("metrics.internal:65535", "metrics.internal", 65_535),
    ]) func `an address is served, and must be free`(text: String, host: String, port: Int) async throws {
        let settings = try await settings(["TENURE_METRICS_LISTEN": text, "TENURE_METRICS_TOKEN": "t"])
        let listener = try #require(try settings.metricsListener())
        #expect(listener.host == host && listener.port == port && !listener.isOptional && listener.token == "t")
    }

    @Test func `metrics can be off`() async throws {
        #expect(try await settings(["TENURE_METRICS_LISTEN": "off"]).metricsListener() == nil)
    }

    @Test(arguments: ["9464", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:9464", "[::1]", "a:-1"])
    func `what is no address is refused with an example`(text: String) async throws {
        let settings = try await settings(["TENURE_METRICS_LISTEN": text])
        let failure = #expect(throws: CommandFailure.self) { try settings.metricsListener() }
        #expect(failure?.exitCode == .usage && failure?.message.contains("TENURE_METRICS_LISTEN") == true)
        #expect(failure?.remedy?.contains("127.0.0.1:9464") == true)
    }

    @Test func `trusted proxies are networks, and others are refused by name`() async throws {
        let networks = try await settings(["TENURE_TRUSTED_PROXIES": "192.0.2.7, 10.0.0.0/8"]).networks(.trustedProxies)
        #expect(networks.contains("10.9.9.9") && networks.contains("192.0.2.7") && !networks.contains("192.0.2.8"))
        let wrong = try await settings(["TENURE_TRUSTED_PROXIES": "192.0.2.7,proxy.internal"])
        let failure = #expect(throws: CommandFailure.self) { try wrong.networks(.trustedProxies) }
        #expect(failure?.exitCode == .usage && failure?.message.contains("proxy.internal is not a network") == true)
        #expect(failure?.message.contains("TENURE_TRUSTED_PROXIES") == true)
    }
}
