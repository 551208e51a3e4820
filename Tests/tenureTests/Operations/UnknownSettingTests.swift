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
    ]) func `a variable with a typing error is a warning that names what was meant, and not its value`(
        name: String, meant: String
    ) async {
        let environment = [name: "v4lue", "TENURE_LISTEN_PORT": "8080"]
        #expect(await failure(environment) == nil)
        #expect(
            UnknownSetting.warnings(environment) == [
                "the environment has \(name), which is no setting and counts for nothing. "
                    + "Did you mean \(meant)? Correct it or remove it."
            ])
    }

    @Test func `a variable that resembles none leads to the list, and one line stays one line`() {
        #expect(
            UnknownSetting.warnings(["TENURE_FAVOURITE_COLOUR": "blue"]).first?.contains("configuration.md") == true)
        #expect(UnknownSetting.warnings(["TENURE_A\nB": "x"]).allSatisfy { !$0.contains("\n") })
    }

    @Test(arguments: [
        "TENURE_TEST_DATABASE_URL", "TENURE_WRITE_CALLERS", "TENURE_BENCH_DIRECTORY", "TENURE_SOAK_SEED",
        "TENURE_ACCESS_TOKEN", "TENURE_SUPERUSER_PASSWORD", "TENURE_UID", "TENURE_SERVICE_HOST", "TENURE_SERVICE_PORT",
        "TENURE_SERVICE_PORT_HTTP", "TENURE_PORT_8080_TCP", "TENURE_PORT_8080_TCP_ADDR", "TENURE_PORT_8080_TCP_PORT",
        "TENURE_METRICS_SERVICE_HOST", "TENURE_METRICS_PORT_9464_TCP_PROTO", "PATH", "NOT_TENURE_PORT",
    ]) func `variables of scripts and of clusters are left alone`(name: String) async {
        #expect(await failure([name: "value"]) == nil && UnknownSetting.warnings([name: "value"]).isEmpty)
    }

    @Test func `a port of a cluster is told from a setting by its value`() {
        #expect(UnknownSetting.warnings(["TENURE_PORT": "tcp://10.0.0.1:8080"]).isEmpty)
        #expect(UnknownSetting.warnings(["TENURE_PORT": "8080"]).count == 1)
    }

    @Test(arguments: Settings.Name.allCases)
    func `the address of a service of a cluster is no setting, and is refused as what it is`(
        name: Settings.Name
    ) async {
        let failure = await failure([name.variable: "tcp://10.0.0.1:8080"])
        #expect(failure?.exitCode == .usage && failure?.message.contains(name.variable) == true)
        #expect(failure?.message.contains("Kubernetes") == true)
        #expect(failure?.remedy?.contains("enableServiceLinks") == true)
    }

    @Test func `an empty variable counts as not set`() {
        #expect(UnknownSetting.warnings(["TENURE_TRUSTED_PROXY": ""]).isEmpty)
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
