import Canonical
import Foundation
import Glibc
import Postgres
import Testing

/// The session of `tenure client`, shared by commands that run at once and by those that come after a lost response.
@Suite(.onServer, .atTerminal, .sharedWorld)
struct `The session of tenure client` {
    private static let answers = (1...5).map { "hidden answer \($0) \(Person.word())" }

    /// A device with a session, whose requests pass a relay.
    private struct Device {
        let program: TerminalProgram
        let relay: RefreshRelay
        let folder: String
        let company: String

        /// The file of the only session.
        private var file: URL {
            get throws {
                let sessions = URL(fileURLWithPath: folder + "/sessions")
                let names = try FileManager.default.contentsOfDirectory(atPath: sessions.path)
                return sessions.appendingPathComponent(try #require(names.first { $0.hasSuffix(".json") }))
            }
        }

        /// The members of the session's file.
        var session: JSONValue { get throws { try StrictJSON.parse(Array(Data(contentsOf: file))) } }

        /// Sets the end of the access token back, so that the next command refreshes the session.
        func expire() throws {
            guard case .object(var members) = try session else { return }
            members["expiresAt"] = .string("2020-01-01T00:00:00.000000Z")
            try Data(JSONValue.object(members).canonicalBytes()).write(to: file)
        }

        func token() async throws -> TerminalProgram.Ending {
            try await program.run(["client", "token", "--data-directory", folder], [])
        }

        func whoami() async throws -> TerminalProgram.Ending {
            try await program.run(["client", "whoami", "--data-directory", folder], [])
        }
    }

    private func withDevice(_ company: String, _ work: (Device) async throws -> Void) async throws {
        let relay = try RefreshRelay(to: try sharedWorld().client.port)
        defer { relay.stop() }
        let program = try TerminalProgram.inSharedWorld(["TENURE_URL": relay.url])
        try await TerminalProgram.inFolder { folder in
            let founded = try await program.run(
                ["client", "register", company, "ada", "ada@\(company)", "--data-directory", folder],
                TerminalProgram.setUp(answers: Self.answers, passphrase: nil))
            try #require(founded.status == 0, "\(founded)")
            try await work(Device(program: program, relay: relay, folder: folder, company: company))
        }
    }

    private func ends(_ company: String) async throws -> [String] {
        try await sharedWorld().client.events(company, "type=SessionClosed").compactMap { $0["data"]?["reason"]?.text }
    }

    /// Makes the service forget the reply that it gives twice within ten seconds, as if they had passed.
    private func pass10Seconds(_ device: Device) async throws {
        let token = try #require(try device.session["refreshToken"]?.text)
        let bytes = try #require(Base64URL.decode(token))
        let session = try #require(UUID(bytes: Array(bytes[16..<32])))
        _ = try await sharedWorld().superuser { connection in
            try await connection.query(
                """
                UPDATE tenure.refresh_reply SET exchanged_at = exchanged_at - interval '10 seconds'
                WHERE session_id = \(session)
                """)
        }
    }

    @Test func `is refreshed once by six commands at once, and goes on`() async throws {
        try await withDevice("at-once.example") { device in
            for round in 1...2 {
                try device.expire()
                let endings = try await concurrently(6) { _ in try await device.token() }
                for ending in endings { #expect(ending.status == 0, "\(ending)") }
                #expect(Set(endings.map(\.output)).count == 1)
                #expect(device.relay.refreshes == round)
            }
            #expect(try await device.whoami().status == 0)
            #expect(try await ends(device.company).isEmpty)
        }
    }

    @Test func `survives a lost response at once`() async throws {
        try await withDevice("lost-once.example") { device in
            try device.expire()
            device.relay.lose(1)
            #expect(try await device.token().status == 0)
            #expect(device.relay.refreshes == 2)
            #expect(try await device.whoami().status == 0)
        }
    }

    @Test func `survives a command whose responses were all lost, however late the next one comes`() async throws {
        try await withDevice("lost-all.example") { device in
            try device.expire()
            device.relay.lose(.max)
            #expect(try await device.token().status == 69)
            device.relay.lose(0)
            try await pass10Seconds(device)
            #expect(try await device.token().status == 0)
            #expect(try await device.whoami().status == 0)
            #expect(try await ends(device.company).isEmpty)
        }
    }

    @Test func `ends when somebody else has used a copy of its token`() async throws {
        try await withDevice("copied.example") { device in
            let token = try #require(try device.session["refreshToken"]?.text)
            let world = try sharedWorld()
            let thief = try await world.client.post(
                "/v1/sessions/refresh", ["refreshToken": .string(token)], by: .app(world.app))
            #expect(thief.status == 200)
            try await pass10Seconds(device)
            try device.expire()
            #expect(try await device.token().status != 0)
            #expect(try await ends(device.company) == ["refreshReused"])
        }
    }
}

/// What `tenure` sends while the environment names proxies.
@Suite(.onServer, .atTerminal, .sharedWorld)
struct `A proxy of the environment` {
    private static let answers = (1...5).map { "hidden answer \($0) \(Person.word())" }

    @Test func `gets no byte of what tenure sends to a service on this machine`() async throws {
        let world = try sharedWorld()
        let proxy = try ProxyListener()
        defer { proxy.stop() }
        var environment: [String: String] = [:]
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            environment[name] = "http://127.0.0.1:\(proxy.port)"
        }
        let program = try TerminalProgram.inSharedWorld(environment)
        try await TerminalProgram.inFolder { folder in
            let data = ["--data-directory", folder]
            let founded = try await program.run(
                ["client", "register", "proxied.example", "ada", "ada@proxied.example"] + data,
                TerminalProgram.setUp(answers: Self.answers, passphrase: nil))
            #expect(founded.status == 0, "\(founded)")
            #expect(try await program.run(["client", "whoami"] + data, []).status == 0)
            let status = try await program.run(["status", "--url", world.baseURL.absoluteString, "--json"], [])
            #expect(status.output.contains("ready"), "\(status)")
            #expect(try await program.run(["client", "logout"] + data, []).status == 0)
        }
        #expect(proxy.connections == 0)
    }
}

/// A listener that takes connections and closes them.
///
/// `@unchecked Sendable`: descriptor and port never change; the count is under `lock`.
private final class ProxyListener: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var count = 0

    /// How many connections came.
    var connections: Int { lock.withLock { count } }

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard listens else { throw TCPConnection.Failure(description: "the proxy cannot listen") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                lock.withLock { count += 1 }
                close(client)
            }
            close(listener)
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
