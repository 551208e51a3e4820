import Foundation
import HummingbirdTesting
import Testing

@testable import HTTPAPI

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
    func `with a certificate both protocols are spoken`(option: String, version: String) async throws {
        let output = try await serving { url, trust in
            try await Command.run(
                ["curl", option, "--write-out", " %{http_version} %{http_code}", "--include", url + "/healthz"] + trust)
        }
        #expect(output.status == 0)
        #expect(output.output.hasSuffix(" \(version) 200"))
        #expect(output.output.lowercased().contains("strict-transport-security: max-age=31536000"))
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `a body beyond the limit is refused with a document`(option: String) async throws {
        let body = #"{"passphrase":"\#(String(repeating: "a", count: 200_000))"}"#
        let output = try await serving { url, trust in
            try await Command.run(
                [
                    "curl", option, "--data-binary", "@-", "--header", "Content-Type: application/json", "--header",
                    "Expect:", "--header", "Authorization: " + API.basic, "--write-out", " %{http_code}",
                    url + "/v1/logins/f/passphrase",
                ] + trust, input: body)
        }
        #expect(output.output.hasSuffix(" 400"))
        #expect(output.output.contains(#""code":"request.invalid""#))
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
