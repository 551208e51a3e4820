import ArgumentParser
import Testing

@testable import tenure

@Suite struct ServeTests {
    private func settings(_ environment: [String: String]) async throws -> Settings {
        try await Settings(flags: [:], environment: environment, file: nil)
    }

    @Test(arguments: [
        ["TENURE_TLS_CERTIFICATE_FILE"], ["TENURE_TLS_KEY_FILE"],
        ["TENURE_TLS_CERTIFICATE_FILE", "TENURE_TLS_KEY_FILE"],
    ])
    func `a development service refuses TLS settings and names them`(names: [String]) async throws {
        let settings = try await settings(Dictionary(uniqueKeysWithValues: names.map { ($0, "/etc/tls.pem") }))
        let failure = #expect(throws: CommandFailure.self) { try Serve.requireNoCertificate(settings) }
        #expect(failure?.exitCode == .usage)
        for name in ["TENURE_TLS_CERTIFICATE_FILE", "TENURE_TLS_KEY_FILE"] {
            #expect(failure?.message.contains(name) == names.contains(name))
        }
    }

    @Test func `a development service takes settings without TLS`() async throws {
        try Serve.requireNoCertificate(try await settings(["TENURE_LISTEN_PORT": "9000"]))
    }
}
