import Foundation
import HummingbirdTesting
import Testing
@testable import HTTPAPI

/// Requests that offer another protocol than HTTP/1.1, over a connection that would then be silent.
@Suite(.timeLimit(.minutes(5))) struct UpgradeTests {
    private static let patience = Duration.seconds(30)

    private func serving(_ body: @Sendable (Int) async throws -> Void) async throws {
        try await API.with(live: true) { api in try await body(try #require(api.client.port)) }
    }

    @Test(arguments: [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA",
        "Connection: keep-alive, upgrade\r\nUpgrade: websocket", "Upgrade: anything",
    ]) func `an offer of another protocol is answered, and the connection ends with the answer`(
        offer: String
    ) async throws {
        try await serving { port in
            let plain = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\(offer)\r\n\r\n"
            let (text, closed) = try await RawConnection(port: port)
                .exchange([plain + request + plain], patience: Self.patience)
            let answers = text.components(separatedBy: "HTTP/1.1 200").dropFirst()
            #expect(answers.count == 2 && closed, "\(text)")
            #expect(answers.map { $0.lowercased().contains("connection: close") } == [false, true], "\(text)")
        }
    }

    @Test func `a body after an offer is read`() async throws {
        try await serving { port in
            let body = #"{"companyName":1}"#
            let head = [
                "POST /v1/logins HTTP/1.1", "Host: x", "Authorization: \(API.basic)", "Content-Type: application/json",
                "Content-Length: \(body.utf8.count)", "Connection: upgrade", "Upgrade: websocket", "", "",
            ].joined(separator: "\r\n")
            let (text, closed) = try await RawConnection(port: port)
                .exchange([head, body], patience: Self.patience)
            #expect(text.hasPrefix("HTTP/1.1 400") && text.contains("request.invalid") && closed, "\(text)")
        }
    }

    @Test func `a tunnel is refused, and the connection ends`() async throws {
        try await serving { port in
            let (text, closed) = try await RawConnection(port: port)
                .exchange(["CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n"], patience: Self.patience)
            #expect(text.hasPrefix("HTTP/1.1 4") && text.lowercased().contains("connection: close"), "\(text)")
            #expect(closed)
        }
    }

    @Test(.enabled(if: Command.exists(["curl", "--version"])))
    func `a client that offers HTTP/2 in clear text gets all its answers`() async throws {
        try await serving { port in
            let url = "http://127.0.0.1:\(port)/healthz", began = ContinuousClock.now
            let (status, output) = try await Command.run(
                ["curl", "--silent", "--max-time", "30", "--http2", "--write-out", " %{http_code}\n", url, url])
            #expect(status == 0 && output.components(separatedBy: " 200\n").count == 3, "\(output)")
            #expect(ContinuousClock.now - began < Self.patience)
        }
    }
}
