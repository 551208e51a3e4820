import NIOCore

/// Closes a connection of HTTP/2 a moment later than it was asked to.
///
/// After a shutdown the connection closes with its last stream: within the write of the stream's last frame, before
/// anybody flushes it. TLS drops what is not flushed, and the client would see a reply that was cut. The handler stands
/// between TLS and HTTP/2, and lets the write end first.
final class DeferredClose: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.value.eventLoop.execute { context.value.close(mode: mode, promise: promise) }
    }
}
