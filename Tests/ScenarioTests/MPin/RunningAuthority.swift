import Foundation
import HTTPLimits
import Logging
import MPinAuthority
import MPinRequests
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import TenureServer

/// A D-TA that serves on a free port of loopback in this process.
struct RunningAuthority {
    let address: MPinAuthorityAddress
    let key: MPinSigningKey

    /// The D-TA as the service is configured with it.
    var member: MPinAuthorityClientConfiguration.Authority { .init(address: address, signingKey: key) }

    /// Runs `body` while the D-TA of a directory serves. Creates the D-TA if there is none.
    static func serve<Result: Sendable>(
        _ place: String, certificate: ServerCertificate? = nil,
        _ body: (RunningAuthority) async throws -> Result
    ) async throws -> Result {
        let directory = MPinAuthorityDirectory(path: place)
        if !directory.exists { try directory.create() }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, told) = AsyncStream<Int>.makeStream()
        let application = try makeMPinAuthorityApplication(
            issuer: try directory.open(),
            configuration: .init(port: 0, certificate: certificate) { told.yield($0) }, logger: logger)
        let group = ServiceGroup(services: [application], logger: logger)
        let run = Task {
            defer { told.finish() }
            try await group.run()
        }
        let outcome: Swift.Result<Result, any Error>
        do {
            let scheme = certificate == nil ? "http" : "https"
            guard let port = await ports.first(where: { _ in true }),
                let address = MPinAuthorityAddress("\(scheme)://localhost:\(port)")
            else { throw TemporaryFiles.Failure(description: "a D-TA did not become ready") }
            let key = try MPinSigningKey(file: place + "/signing.key")
            outcome = .success(try await body(RunningAuthority(address: address, key: key)))
        } catch {
            outcome = .failure(error)
        }
        await group.triggerGracefulShutdown()
        _ = await run.result
        return try outcome.get()
    }
}

/// A server that answers every connection with the same bytes, whatever is asked.
struct CannedServer {
    let address: MPinAuthorityAddress
    /// How many connections came.
    let connections: Counter

    final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func increment() { count.withLock { $0 += 1 } }
    }

    /// Runs `body` while the server answers.
    ///
    /// - Parameter bytes: The answer. The connection closes after it, unless the answer is empty or stalls.
    static func serve<Result: Sendable>(
        _ bytes: String, stalls: Bool = false, _ body: (CannedServer) async throws -> Result
    ) async throws -> Result {
        let counter = Counter()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                counter.increment()
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answer(bytes: bytes, stalls: stalls))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port, let address = MPinAuthorityAddress("http://127.0.0.1:\(port)")
        else { throw TemporaryFiles.Failure(description: "a server has no port") }
        do {
            let result = try await body(CannedServer(address: address, connections: counter))
            try await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let bytes: String
        let stalls: Bool
        private var isAnswered = false

        init(bytes: String, stalls: Bool) {
            self.bytes = bytes
            self.stalls = stalls
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isAnswered else { return }
            isAnswered = true
            let loop = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: bytes))).whenComplete { [stalls] _ in
                if !stalls { loop.value.close(promise: nil) }
            }
        }
    }
}
