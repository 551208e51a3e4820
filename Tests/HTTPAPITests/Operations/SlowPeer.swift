import NIOCore
import NIOPosix
import NIOSSL
import Testing

/// A client that speaks as little HTTP as an attack needs, with or without TLS, and reads only when it is told to.
///
/// The frames of HTTP/2 are written by hand, because a library would open its windows and answer pings.
struct SlowPeer: Sendable {
    /// The frames that arrived, and whether the server closed.
    struct Heard: Sendable {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    private let channel: any Channel
    private let collector: Collector

    /// Connects. Over TLS it offers one protocol.
    static func connected(to port: Int, tls protocolName: String? = nil, reads: Bool) async throws -> SlowPeer {
        let collector = Collector()
        var handlers: [@Sendable () throws -> any ChannelHandler] = []
        if let protocolName {
            var configuration = TLSConfiguration.makeClientConfiguration()
            // The certificate is of a moment, and what is tested is not trust.
            configuration.certificateVerification = .none
            configuration.applicationProtocols = [protocolName]
            let context = try NIOSSLContext(configuration: configuration)
            handlers.append { try NIOSSLClientHandler(context: context, serverHostname: nil) }
        }
        let made = handlers
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // With a small buffer here, what is not read stays with the server.
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    for make in made { try channel.pipeline.syncOperations.addHandler(make()) }
                    try channel.pipeline.syncOperations.addHandler(collector.handler())
                }
            }.connect(host: "127.0.0.1", port: port).get()
        if !reads, protocolName == nil { try await channel.setOption(.autoRead, value: false).get() }
        return SlowPeer(channel: channel, collector: collector)
    }

    /// Sends bytes as they are.
    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Stops reading.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    /// What was read so far.
    func heard() async -> Heard { await collector.heard }

    /// Waits until the server has closed. Sends a byte from time to time: without reading, a reset shows only there.
    func isCut(within patience: Duration) async throws -> Bool {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if !channel.isActive { return true }
            if await collector.heard.isClosed { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Waits until the bytes that came satisfy a condition.
    func hears(within patience: Duration, _ condition: ([UInt8]) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if condition(await collector.heard.bytes) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// Closes the connection.
    func close() async { try? await channel.close() }

    private actor Collector {
        var heard = Heard()

        func add(_ bytes: [UInt8]) { heard.bytes += bytes }
        func end() { heard.isClosed = true }
        nonisolated func handler() -> any ChannelHandler { Handler(collector: self) }

        private final class Handler: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            let collector: Collector
            let (parts, part) = AsyncStream.makeStream(of: [UInt8]?.self)

            init(collector: Collector) {
                self.collector = collector
                // One task keeps the order of what arrives.
                Task { [parts] in
                    for await bytes in parts {
                        if let bytes { await collector.add(bytes) } else { await collector.end() }
                    }
                }
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                part.yield(Array(unwrapInboundIn(data).readableBytesView))
            }

            func channelInactive(context: ChannelHandlerContext) {
                part.yield(nil)
                part.finish()
                context.fireChannelInactive()
            }

            func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        }
    }
}

/// The frames of HTTP/2 (RFC 9113) that these tests send and find.
enum HTTP2Frames {
    static let data: UInt8 = 0, headers: UInt8 = 1, reset: UInt8 = 3, settings: UInt8 = 4, ping: UInt8 = 6,
        goAway: UInt8 = 7
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    static func frame(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = UInt32(payload.count)
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind, flags]
            + (0..<4).map { UInt8(stream >> (24 - 8 * $0) & 0xFF) } + payload
    }

    /// The preface, and settings with the first window of each stream.
    static func start(window: UInt32) -> [UInt8] {
        preface + frame(settings, [0, 4] + (0..<4).map { UInt8(window >> (24 - 8 * $0) & 0xFF) })
    }

    /// A GET of a path. `isComplete` is false for a request whose body never comes.
    static func get(_ path: String, stream: UInt32, isComplete: Bool = true) -> [UInt8] {
        let text = { (value: String) in [UInt8(value.utf8.count)] + Array(value.utf8) }
        // Static table: GET and https; literals without indexing: path and authority.
        return frame(
            headers, flags: isComplete ? 0x5 : 0x4, stream: stream,
            [0x82, 0x87, 0x04] + text(path) + [0x01] + text("localhost"))
    }

    /// Splits bytes into the complete frames that they begin with.
    static func frames(in bytes: [UInt8]) -> [(kind: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])] {
        var rest = bytes[...], frames: [(UInt8, UInt8, UInt32, [UInt8])] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard rest.count >= 9 + length else { break }
            let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            frames.append((head[3], head[4], stream, Array(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }
}
