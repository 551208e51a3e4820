import Foundation
import Testing

@testable import tenure

@Suite struct UnknownSettingTests {
    private func failure(_ environment: [String: String], file: String? = nil) async -> CommandFailure? {
        do {
            _ = try await Settings(flags: [:], environment: environment, file: file)
            return nil
        } catch { return error as? CommandFailure }
    }

    @Test(arguments: [
        ("TENURE_TRUSTED_PROXY", "TENURE_TRUSTED_PROXIES"), ("TENURE_LISTENPORT", "TENURE_LISTEN_PORT"),
        ("TENURE_MPIN_DTA1_URL", "TENURE_MPIN_DTA_1_URL"), ("TENURE_METRIC_TOKEN", "TENURE_METRICS_TOKEN"),
        ("TENURE_DATABASE_URI", "TENURE_DATABASE_URL"), ("TENURE_listen_host", "TENURE_LISTEN_HOST"),
    ]) func `a variable with a typing error is an error that names what was meant`(
        name: String, meant: String
    ) async {
        let failure = await failure([name: "value", "TENURE_LISTEN_PORT": "8080"])
        #expect(failure?.exitCode == .usage)
        #expect(failure?.message == "the environment has \(name), which is no setting")
        #expect(failure?.remedy == "Did you mean \(meant)? Correct it or remove it.")
    }

    @Test func `a variable that resembles none leads to the list`() async {
        #expect(await failure(["TENURE_FAVOURITE_COLOUR": "blue"])?.remedy?.contains("docs/configuration.md") == true)
    }

    @Test(arguments: [
        "TENURE_TEST_DATABASE_URL", "TENURE_WRITE_CALLERS", "TENURE_BENCH_DIRECTORY", "TENURE_SOAK_SEED",
        "TENURE_ACCESS_TOKEN", "TENURE_SUPERUSER_PASSWORD", "TENURE_UID", "TENURE_SERVICE_HOST", "TENURE_SERVICE_PORT",
        "TENURE_SERVICE_PORT_HTTP", "TENURE_PORT_8080_TCP", "TENURE_PORT_8080_TCP_ADDR", "TENURE_PORT_8080_TCP_PORT",
        "TENURE_METRICS_SERVICE_HOST", "TENURE_METRICS_PORT_9464_TCP_PROTO", "PATH", "NOT_TENURE_PORT",
    ]) func `variables of scripts and of clusters are left alone`(name: String) async {
        #expect(await failure([name: "value"]) == nil)
    }

    @Test func `a port of a cluster is told from a setting by its value`() async {
        #expect(await failure(["TENURE_PORT": "tcp://10.0.0.1:8080"]) == nil)
        #expect(await failure(["TENURE_PORT": "8080"])?.exitCode == .usage)
    }

    @Test func `an empty variable counts as not set`() async {
        #expect(await failure(["TENURE_TRUSTED_PROXY": ""]) == nil)
    }

    @Test(arguments: [
        ("trustedProxy", "trustedProxies"), ("listen_port", "listenPort"), ("TENURE_LOG_LEVEL", "logLevel"),
        ("Issuer", "issuer"),
    ]) func `an unknown member of the file is an error that names what was meant`(
        name: String, meant: String
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(#"{"listenHost": "::1", "\#(name)": "1"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let failure = await failure([:], file: file)
        #expect(failure?.exitCode == .usage)
        #expect(failure?.message == "\(file) has \(name), which is no setting")
        #expect(failure?.remedy == "Did you mean \(meant)? Correct it or remove it.")
    }
}
