import HTTPLimits
import HummingbirdTesting
import Testing
@testable import HTTPAPI

/// The limit against a server that listens. Every wait has a deadline, so a limit that does not work fails the test.
@Suite(.timeLimit(.minutes(5))) struct ConnectionLimitTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let head = "\r\n\r\n"
    private static let patience = Duration.seconds(30)

    /// Runs `body` with the port of a server that allows an address so many connections besides that of the client that
    /// the testing library opens.
    private func serving(
        _ limit: Int, trustedProxies: TrustedNetworks = .none, _ body: @Sendable (Int) async throws -> Void
    ) async throws {
        var configuration = HTTPConfiguration(port: 0, trustedProxies: trustedProxies)
        configuration.connections.connectionsPerAddress = limit + 1
        try await API.with(configuration: configuration, live: true) { api in
            // Once it is answered, that client has its place.
            #expect(try await api.send("GET", "/healthz", authorization: nil).status == 200)
            try await body(try #require(api.client.port))
        }
    }

    /// Runs `body` while so many connections are open, each of which was answered.
    private func holding(_ count: Int, _ port: Int, _ body: @Sendable () async throws -> Void) async throws {
        guard count > 0 else { return try await body() }
        try await RawConnection(port: port).holding(Self.request, until: Self.head, patience: Self.patience) { text in
            #expect(text.hasPrefix("HTTP/1.1 200"), "connection \(count) is answered")
            try await holding(count - 1, port, body)
        }
    }

    /// Asks over a connection of its own, and tells what came back and whether the server closed.
    private func ask(_ port: Int) async throws -> (text: String, closed: Bool) {
        try await RawConnection(port: port).exchange([Self.request], until: Self.head, patience: Self.patience)
    }

    /// Asks again until a connection is answered: the server has to notice first that another one ended.
    private func isServedAgain(_ port: Int) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        repeat {
            if try await ask(port).text.hasPrefix("HTTP/1.1 200") { return true }
        } while ContinuousClock.now < deadline
        return false
    }

    @Test func `a connection beyond the limit of its address is closed unanswered`() async throws {
        try await serving(2) { port in
            try await holding(2, port) {
                for _ in 0..<3 {
                    let (text, closed) = try await ask(port)
                    #expect(text == "" && closed)
                }
            }
            #expect(try await isServedAgain(port), "the connections that ended count no more")
        }
    }

    @Test func `refused connections do not count`() async throws {
        try await serving(1) { port in
            try await holding(1, port) {
                for _ in 0..<20 {
                    let (text, closed) = try await ask(port)
                    #expect(text == "" && closed)
                }
            }
            #expect(try await isServedAgain(port))
        }
    }

    @Test func `a trusted proxy may exceed the limit`() async throws {
        try await serving(1, trustedProxies: try TrustedNetworks(["127.0.0.0/8"])) { port in
            try await holding(3, port) {
                let (text, _) = try await ask(port)
                #expect(text.hasPrefix("HTTP/1.1 200"))
            }
        }
    }
}
