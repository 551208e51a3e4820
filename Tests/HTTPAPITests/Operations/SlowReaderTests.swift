import Foundation
@testable import HTTPLimits
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import TenureAPI
import Testing
@testable import HTTPAPI

/// Clients that ask for the API description, 324 KB, and do not read it. Times are short; the proportions are those of
/// the service.
@Suite(
    .enabled(if: Command.exists(["openssl", "version"]), "openssl is not installed"), .timeLimit(.minutes(5)))
struct SlowReaderTests {
    private static let patience: Duration = .seconds(30)

    /// Runs `body` with the port of a server over TLS or in clear text, and its table of connections.
    private func serving(
        tls: Bool, _ change: (inout ConnectionLimits) -> Void = { _ in },
        _ body: @Sendable (Int, ConnectionTable, ServiceGroup) async throws -> Void
    ) async throws {
        let files = try OwnCertificate()
        defer { files.remove() }
        var limits = ConnectionLimits()
        limits.stallTimeout = .milliseconds(500)
        limits.drainDelay = .milliseconds(300)
        change(&limits)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var configuration = HTTPConfiguration(port: 0, onServerRunning: { port.yield($0) })
        configuration.connections = limits
        if tls { configuration.certificate = files.certificate }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let table = ConnectionTable(limits: limits)
        let application = try makeApplication(
            service: FakeService(), configuration: configuration, table: table, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let bound = try #require(await iterator.next())
            try await body(bound, table, group)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private func eventually(_ condition: @Sendable () -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private static let request = Array(
        String(repeating: "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n", count: 64).utf8)

    @Test func `a client of HTTP/1.1 that never reads is cut off, with little unsent until then`() async throws {
        try await serving(tls: false) { port, table, _ in
            let peer = try await SlowPeer.connected(to: port, reads: false)
            try await peer.send(Self.request)
            #expect(try await eventually { table.usage.unsent > 0 })
            // A connection is written to only while less than half of what it may have is unsent, then one more piece.
            #expect(table.usage.unsent <= table.limits.unsentPerConnection / 2 + ConnectionTable.pieceBytes)
            #expect(try await eventually { table.usage.cut == 1 && table.usage.connections == 0 })
            #expect(table.usage.unsent == 0)
            await peer.close()
        }
    }

    @Test func `a stream whose window stays closed is reset, with one piece unsent until then`() async throws {
        try await serving(tls: true) { port, table, _ in
            let peer = try await SlowPeer.connected(to: port, tls: "h2", reads: true)
            let streams = (0..<20).map { UInt32(2 * $0 + 1) }
            try await peer.send(
                HTTP2Frames.start(window: 0) + streams.flatMap { HTTP2Frames.get("/openapi.yaml", stream: $0) })
            #expect(try await eventually { table.usage.unsent > 0 })
            // Each stream: one piece of 16 KB, its head, and the weight of a waiting stream.
            #expect(table.usage.unsent <= 20 * (16 + 1 + 16) * 1_024)
            #expect(try await eventually { table.usage.unsent == 0 })
            await peer.close()
        }
    }

    @Test func `streams that wait on one connection leave less unsent than the connection may`() async throws {
        try await serving(tls: true, { $0.stallTimeout = .seconds(20) }) { port, table, _ in
            let peer = try await SlowPeer.connected(to: port, tls: "h2", reads: true)
            let streams = (0..<100).map { UInt32(2 * $0 + 1) }
            try await peer.send(
                HTTP2Frames.start(window: 0) + streams.flatMap { HTTP2Frames.get("/openapi.yaml", stream: $0) })
            let heads = try await peer.hears(within: Self.patience) { bytes in
                HTTP2Frames.frames(in: bytes).count { $0.kind == HTTP2Frames.headers } == 100
            }
            #expect(heads, "every request is answered")
            #expect(table.usage.cut == 0)
            let bytes = table.usage.unsent - 100 * 16 * 1_024
            #expect(bytes <= 512 * 1_024)
            await peer.close()
        }
    }

    @Test func `an address that leaves too much unsent loses its own connections, and others are served`() async throws
    {
        try await serving(tls: true, { ($0.unsentPerAddress, $0.stallTimeout) = (1 << 20, .seconds(60)) }) {
            port, table, _ in
            var peers: [SlowPeer] = []
            for _ in 0..<8 {
                let peer = try await SlowPeer.connected(to: port, tls: "h2", reads: true)
                let streams = (0..<10).map { UInt32(2 * $0 + 1) }
                try await peer.send(
                    HTTP2Frames.start(window: 0) + streams.flatMap { HTTP2Frames.get("/openapi.yaml", stream: $0) })
                peers.append(peer)
            }
            #expect(try await eventually { table.usage.cut > 0 })
            #expect(table.usage.unsent <= 1 << 20)
            let reader = try await SlowPeer.connected(to: port, tls: "http/1.1", reads: true)
            try await reader.send(Array("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            #expect(
                try await reader.hears(within: Self.patience) {
                    String(decoding: $0, as: UTF8.self).hasPrefix("HTTP/1.1 200")
                })
            for peer in peers + [reader] { await peer.close() }
        }
    }

    @Test func `a reply to a channel that has ended takes no room of its connection`() async throws {
        let table = ConnectionTable(limits: ConnectionLimits())
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        #expect(table.open(ObjectIdentifier(channel), of: "a", closing: .init(orderly: {}, abrupt: {})))
        try await channel.close()
        // Twice as many replies as the connection has room for. Each would wait for ever if the others kept theirs.
        let replies = 2 * table.limits.unsentPerConnection / ConnectionTable.pieceBytes
        let buffer = ByteBuffer(repeating: 0, count: ConnectionTable.pieceBytes)
        for _ in 0..<replies { _ = await table.body(of: buffer, isShared: true, on: channel) }
        table.close(ObjectIdentifier(channel))
    }

    @Test func `who reads slowly but steadily gets everything`() async throws {
        try await serving(tls: false) { port, table, _ in
            let (text, _) = try await RawConnection(port: port).exchange(
                ["GET /openapi.yaml HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"], patience: Self.patience)
            #expect(text.contains("openapi: 3.1"))
            #expect(text.utf8.count > Documentation.contract.body.count)
            #expect(try await eventually { table.usage.unsent == 0 })
            #expect(table.usage.cut == 0)
        }
    }

    @Test(arguments: ["/healthz", "/v1/questions"])
    func `a request of HTTP/2 whose body never ends is ended`(path: String) async throws {
        try await serving(tls: true, { $0.bodyTimeout = .milliseconds(300) }) { port, _, _ in
            let peer = try await SlowPeer.connected(to: port, tls: "h2", reads: true)
            try await peer.send(
                HTTP2Frames.start(window: 65_535) + HTTP2Frames.get(path, stream: 1, isComplete: false))
            let reset = try await peer.hears(within: Self.patience) { bytes in
                HTTP2Frames.frames(in: bytes).contains { $0.kind == HTTP2Frames.reset && $0.stream == 1 }
            }
            #expect(reset)
            await peer.close()
        }
    }

    @Test func `a connection that never finishes its handshake is closed when its time is over`() async throws {
        try await serving(tls: true, { $0.idleTimeout = .milliseconds(100) }) { port, table, _ in
            let peer = try await SlowPeer.connected(to: port, reads: true)
            #expect(try await eventually { table.usage.connections == 1 })
            #expect(try await peer.isCut(within: Self.patience))
        }
    }
}

/// The end of a server under HTTP/2.
extension SlowReaderTests {
    @Test func `a shutdown closes an idle connection of HTTP/2 that answers no ping`() async throws {
        // Only the shutdown may end the connection.
        try await serving(tls: true, { $0.idleTimeout = .seconds(600) }) { port, table, group in
            let peer = try await SlowPeer.connected(to: port, tls: "h2", reads: true)
            try await peer.send(HTTP2Frames.start(window: 65_535) + HTTP2Frames.get("/healthz", stream: 1))
            #expect(
                try await peer.hears(within: Self.patience) { bytes in
                    HTTP2Frames.frames(in: bytes).contains { $0.kind == HTTP2Frames.data && $0.stream == 1 }
                })
            await group.triggerGracefulShutdown()
            #expect(try await eventually { table.usage.connections == 0 })
            let frames = HTTP2Frames.frames(in: await peer.heard().bytes)
            #expect(frames.contains { $0.kind == HTTP2Frames.goAway })
        }
    }

    /// A client that answers the ping is told a second time what goes away, and its connection closes with its last
    /// stream.
    @Test(arguments: [false, true])
    func `a shutdown lets a stream under way end, to its last byte`(answersPing: Bool) async throws {
        try await serving(tls: true, { $0.stallTimeout = .seconds(20) }) { port, table, group in
            let peer = try await SlowPeer.connected(to: port, tls: "h2", reads: true)
            // The window takes the head and ten bytes; the rest waits for it to open.
            try await peer.send(HTTP2Frames.start(window: 10) + HTTP2Frames.get("/v1/questions", stream: 1))
            #expect(
                try await peer.hears(within: Self.patience) { bytes in
                    HTTP2Frames.frames(in: bytes).contains { $0.kind == HTTP2Frames.data && $0.stream == 1 }
                })
            await group.triggerGracefulShutdown()
            #expect(
                try await peer.hears(within: Self.patience) { bytes in
                    let kinds = HTTP2Frames.frames(in: bytes).map(\.kind)
                    return kinds.contains(HTTP2Frames.goAway) && kinds.contains(HTTP2Frames.ping)
                })
            if answersPing {
                let ping = HTTP2Frames.frames(in: await peer.heard().bytes).first { $0.kind == HTTP2Frames.ping }
                try await peer.send(HTTP2Frames.frame(HTTP2Frames.ping, flags: 1, try #require(ping).payload))
                #expect(
                    try await peer.hears(within: Self.patience) { bytes in
                        HTTP2Frames.frames(in: bytes).count { $0.kind == HTTP2Frames.goAway } == 2
                    })
            }
            // WINDOW_UPDATE of the stream.
            try await peer.send(HTTP2Frames.frame(8, stream: 1, [0, 1, 0, 0]))
            let isWhole = try await peer.hears(within: Self.patience) { bytes in
                HTTP2Frames.frames(in: bytes).contains {
                    $0.kind == HTTP2Frames.data && $0.stream == 1 && $0.flags & 1 == 1
                }
            }
            #expect(isWhole, "the reply ends as it should")
            let frames = HTTP2Frames.frames(in: await peer.heard().bytes)
            #expect(!frames.contains { $0.kind == HTTP2Frames.reset })
            #expect(try await eventually { table.usage.connections == 0 })
        }
    }
}

/// A certificate of a moment for `localhost`.
struct OwnCertificate {
    let certificate: HTTPConfiguration.Certificate
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (chain, key) = (folder.path + "/chain.pem", folder.path + "/key.pem")
        let made = try Command.runBlocking([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", chain,
        ])
        try #require(made.status == 0)
        certificate = .init(chainFile: chain, keyFile: key)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
