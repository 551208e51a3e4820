package import HummingbirdCore
package import Logging
package import NIOCore
import NIOExtras

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server channel that keeps the limits of connections.
///
/// It closes a connection beyond the limit of its address before reading a byte. Trusted proxies are exempt, because
/// they carry the connections of many clients. A handler at the socket counts what is unsent, before TLS.
package struct BoundedChannel<Base: ServerChildChannel>: ServerChildChannel {
    private let base: Base
    private let table: ConnectionTable
    private let trustedProxies: TrustedNetworks
    private let defersClose: Bool

    /// - Parameter defersClose: Whether the base channel speaks HTTP/2, see ``DeferredClose``.
    package init(
        base: Base, table: ConnectionTable, trustedProxies: TrustedNetworks = .none, defersClose: Bool = false
    ) {
        self.base = base
        self.table = table
        self.trustedProxies = trustedProxies
        self.defersClose = defersClose
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let peer = channel.remoteAddress?.ipAddress
        let address = peer.flatMap { trustedProxies.contains($0) ? nil : ClientNetwork.of($0) }
        let id = ObjectIdentifier(channel), table = table
        guard table.open(id, of: address, closing: Self.closing(of: channel)) else {
            logger.debug("a connection was closed: its address has too many connections")
            // Set the base channel up first: a channel whose set-up fails would be an error of the server.
            return base.setup(channel: channel, logger: logger).map { value in
                channel.close(promise: nil)
                return value
            }
        }
        channel.closeFuture.whenComplete { _ in table.close(id) }
        do {
            try channel.pipeline.syncOperations.addHandler(UnsentBytesHandler(table: table, id: id))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        guard defersClose else { return base.setup(channel: channel, logger: logger) }
        // What the base channel adds once the protocol is known stands after this.
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try channel.pipeline.syncOperations.addHandler(DeferredClose())
            return value
        }
    }

    package func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }

    private static func closing(of channel: any Channel) -> ConnectionTable.Closing {
        ConnectionTable.Closing(
            orderly: { channel.close(promise: nil) },
            abrupt: {
                channel.eventLoop.execute {
                    // With this option the kernel drops what it holds, too.
                    (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                        .whenComplete { _ in channel.pipeline.fireUserInboundEventTriggered(AbruptEnd()) }
                }
            })
    }
}

/// Tells the handler at the socket to close the connection at once.
struct AbruptEnd: Sendable {}

/// Counts the bytes that wait for the socket.
///
/// It is the first handler of a connection, so what it sees is what the kernel gets.
final class UnsentBytesHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let table: ConnectionTable
    private let id: ConnectionTable.ID

    init(table: ConnectionTable, id: ConnectionTable.ID) {
        self.table = table
        self.id = id
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data).readableBytes
        let promise = promise ?? context.eventLoop.makePromise()
        table.wrote(bytes, at: .socket, of: id)
        promise.futureResult.whenComplete { [table, id] _ in table.sent(bytes, at: .socket, of: id) }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is AbruptEnd { return context.close(promise: nil) }
        if event is ChannelShouldQuiesceEvent { table.drain(id) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// Calls ``ConnectionTable/sweep(now:)`` while a server runs.
package struct ConnectionSweeper: Sendable {
    private let table: ConnectionTable

    package init(table: ConnectionTable) { self.table = table }

    /// Sweeps on an event loop until the channel of the server is closed and the last connection has ended.
    package func start(with server: any Channel) {
        let table = table, loop = server.eventLoop
        let pause = TimeAmount(table.sweepPause)
        loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { task in
            table.sweep()
            if !server.isActive, table.usage.connections == 0 { task.cancel(promise: nil) }
        }
    }
}
