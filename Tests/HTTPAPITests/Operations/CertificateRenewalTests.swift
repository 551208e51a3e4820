import Foundation
import HTTPLimits
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import Testing
@testable import HTTPAPI

/// Certificates of a moment, made by openssl, and a server that gets others while it runs.
@Suite(.enabled(if: Command.exists(["openssl", "version"]), "openssl is not installed"), .timeLimit(.minutes(5)))
struct CertificateRenewalTests {
    /// The files of a server in a folder of its own.
    private struct Files: Sendable {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        var chain: String { folder + "/chain.pem" }
        var key: String { folder + "/key.pem" }
        var certificate: HTTPConfiguration.Certificate { .init(chainFile: chain, keyFile: key) }

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }

        /// Makes a pair for a name, beside the files of the server.
        func make(_ name: String, algorithm: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) async throws {
            let made = try await Command.run(
                ["openssl", "req", "-x509", "-newkey"] + algorithm + [
                    "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-keyout", "\(folder)/\(name).key", "-out",
                    "\(folder)/\(name).pem",
                ])
            try #require(made.status == 0)
        }

        /// Puts certificate and key of two names in place, as whoever renews a certificate does.
        func place(chain name: String?, key other: String?) throws {
            if let name { try replace(chain, with: "\(folder)/\(name).pem") }
            if let other { try replace(key, with: "\(folder)/\(other).key") }
        }

        private func replace(_ file: String, with source: String) throws {
            try Data(contentsOf: URL(fileURLWithPath: source)).write(to: URL(fileURLWithPath: file), options: .atomic)
        }
    }

    private static func with<Value>(_ body: (Files) async throws -> Value) async throws -> Value {
        let files = try Files()
        defer { files.remove() }
        for name in ["one", "two"] { try await files.make(name) }
        try files.place(chain: "one", key: "one")
        return try await body(files)
    }

    /// The certificate that a new connection to this port is given, in PEM.
    private static func served(_ port: Int, until expected: String) async throws -> String? {
        let deadline = ContinuousClock.now + .seconds(60)
        var names: String?
        repeat {
            let told = try await Command.run(
                ["openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "x"], input: "")
            names = told.output.firstMatch(of: /subject=CN ?= ?([a-z]+)/).map { String($0.1) }
        } while names != expected && ContinuousClock.now < deadline
        return names
    }

    private static func quiet() -> (Logger, NIOLockedValueBox<[String]>) {
        let lines = NIOLockedValueBox<[String]>([])
        return (Logger(label: "test") { _ in Capture(lines: lines) }, lines)
    }

    @Test func `a new connection sees the new certificate, and an old connection lives on`() async throws {
        try await Self.with { files in
            try await RunningServers.with(certificate: files.certificate) { servers in
                #expect(try await Self.served(servers.port, until: "one") == "one")
                let old = try await EncryptedConnection(port: servers.port)
                #expect(try await old.health().hasPrefix("HTTP/1.1 200"))
                try files.place(chain: "two", key: "two")
                #expect(servers.servers.reload())
                #expect(try await Self.served(servers.port, until: "two") == "two")
                #expect(try await old.health().hasPrefix("HTTP/1.1 200"), "the old connection")
                let end = try await Command.run(["openssl", "x509", "-in", files.chain, "-noout", "-enddate"])
                #expect(end.status == 0)
                let text = try await RawConnection(port: servers.metricsPort).exchange(
                    ["GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"]
                ).text
                #expect(text.contains("\ntenure_certificate_renewals_total 1\n"))
                #expect(text.contains("\ntenure_certificate_failures_total 0\n"))
                let told = text.firstMatch(of: /\ntenure_certificate_end_seconds ([0-9]+)\n/).flatMap { Double($0.1) }
                let left = try #require(told) - Date().timeIntervalSince1970
                #expect((86_000...172_900).contains(left), "\(left) seconds are left of two days")
                try await old.close()
            }
        }
    }

    @Test func `a pair that does not match keeps the old one, is logged once, and counts`() async throws {
        let (logger, lines) = Self.quiet()
        try await Self.with { files in
            let held = try ServerCertificate(chainFile: files.chain, keyFile: files.key, logger: logger)
            let end = held.status.end
            try files.place(chain: "two", key: nil)
            held.reload()
            #expect(held.status.end == end && held.status.renewals == 0 && held.status.failures == 1)
            let told = lines.withLockedValue {
                $0.filter { $0.contains("the key is not that of the first certificate") }
            }
            #expect(told.count == 1)
            // The key comes a moment later.
            try files.place(chain: nil, key: "two")
            held.reload()
            #expect(held.status.renewals == 1 && held.status.failures == 1)
            held.reload()
            #expect(held.status.renewals == 1, "the same pair is no other one")
            try await files.make("three", algorithm: ["rsa:2048"])
            try files.place(chain: nil, key: "three")
            held.reload()
            #expect(held.status.failures == 2, "a key of another kind")
        }
    }

    @Test(arguments: ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `files that cannot be read keep the old pair`(content: String) async throws {
        let (logger, lines) = Self.quiet()
        try await Self.with { files in
            let held = try ServerCertificate(chainFile: files.chain, keyFile: files.key, logger: logger)
            for file in [files.chain, files.key] {
                try Data(content.utf8).write(to: URL(fileURLWithPath: file))
                held.reload()
                try FileManager.default.removeItem(atPath: file)
                held.reload()
                try files.place(chain: "one", key: "one")
            }
            #expect(held.status.failures == 4 && held.status.renewals == 0)
            #expect(lines.withLockedValue { $0.allSatisfy { !$0.contains("PRIVATE") } })
        }
    }

    @Test func `an encrypted key is refused instead of asked for`() async throws {
        try await Self.with { files in
            let encrypted = try await Command.run([
                "openssl", "ec", "-in", files.key, "-aes256", "-passout", "pass:secret", "-out", files.key + ".new",
            ])
            try #require(encrypted.status == 0)
            let error = #expect(throws: ServerCertificateError.self) {
                try ServerCertificate(chainFile: files.chain, keyFile: files.key + ".new", logger: Self.quiet().0)
            }
            #expect(error?.code == .keyUnreadable)
        }
    }

    @Test func `the files are read again without being told to`() async throws {
        try await Self.with { files in
            var certificate = files.certificate
            certificate.pause = .milliseconds(20)
            try await RunningServers.with(certificate: certificate) { servers in
                try files.place(chain: "two", key: "two")
                #expect(try await Self.served(servers.port, until: "two") == "two")
            }
        }
    }

    @Test func `a pair that does not match stops the start`() async throws {
        try await Self.with { files in
            try files.place(chain: nil, key: "two")
            #expect(throws: HTTPConfigurationError(code: .certificateMismatch)) {
                try HTTPServers(
                    service: FakeService(), configuration: HTTPConfiguration(certificate: files.certificate),
                    logger: Self.quiet().0)
            }
        }
    }
}

/// A connection over TLS that trusts any certificate and stays open between requests.
private actor EncryptedConnection {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    private var requests: AsyncStream<CheckedContinuation<String, any Error>>.Continuation
    private let work: Task<Void, any Error>

    init(port: Int) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        self.channel = channel
        let (stream, requests) = AsyncStream.makeStream(of: CheckedContinuation<String, any Error>.self)
        self.requests = requests
        work = Task {
            try await channel.executeThenClose { inbound, outbound in
                var incoming = inbound.makeAsyncIterator()
                for await request in stream {
                    do {
                        try await outbound.write(
                            ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"))
                        var text = ""
                        while !text.contains("}"), let part = try await incoming.next() {
                            text += String(buffer: part)
                        }
                        request.resume(returning: text)
                    } catch {
                        request.resume(throwing: error)
                    }
                }
            }
        }
    }

    /// Asks for `/healthz` and gives back the reply; empty if the server has closed the connection.
    func health() async throws -> String { try await withCheckedThrowingContinuation { requests.yield($0) } }

    func close() async throws {
        requests.finish()
        try await work.value
    }
}
