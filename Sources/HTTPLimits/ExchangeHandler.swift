import HTTPTypes
package import NIOCore
import NIOExtras
package import NIOHTTPTypes

/// Watches the requests of one HTTP/1.1 connection or of one HTTP/2 stream.
///
/// * It counts them, so that a shutdown knows which connections still answer one, and it counts a stream while it is
///   open.
/// * It closes what does not receive a body in time, and the stream that does not take its reply.
/// * On a stream it counts the bytes that wait for the window to open. The handler at the socket does not see them.
/// * On a stream it keeps the event of a shutdown. A stream ends with its reply, and the handler of idle connections
///   would close it before the last bytes are sent.
package final class ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    private var id: ConnectionTable.ID?
    private var channelId: ConnectionTable.ID?
    private var isStream = false
    /// Whether the table counts this stream as open.
    private var isCounted = false
    private var requests = 0
    /// The unsent bytes of a stream, and whether some were sent since the timer began.
    private var unsent = 0
    private var hasProgress = false
    private var stall: Scheduled<Void>?
    private var body: Scheduled<Void>?
    /// Whether the pipeline asked for more since something arrived.
    private var isReading = false

    /// Watches a connection of a table, or a stream of one.
    package init(table: ConnectionTable) { self.table = table }

    package func handlerAdded(context: ChannelHandlerContext) {
        // The parent of a connection is the channel that listens. The parent of a stream is a connection.
        isStream = context.channel.parent?.parent != nil
        channelId = ObjectIdentifier(context.channel)
        id = (isStream ? context.channel.parent : context.channel).map { ObjectIdentifier($0) }
        // A client may open many streams at once, before any is answered.
        isCounted = isStream && id != nil
        if isCounted, let id { table.streamIsOpen(true, on: id) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isStream, event is ChannelShouldQuiesceEvent { return }
        context.fireUserInboundEventTriggered(event)
    }

    /// Counts what has begun here as ended.
    private func end() {
        body?.cancel()
        stall?.cancel()
        (body, stall) = (nil, nil)
        guard let id else { return }
        if let channelId { table.passed(by: channelId, on: id) }
        for _ in 0..<requests { table.requestEnded(id) }
        requests = 0
        if isCounted { table.streamIsOpen(false, on: id) }
        isCounted = false
    }
}

extension ExchangeHandler {
    package func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = false
        switch unwrapInboundIn(data) {
        case .head:
            requests += 1
            if let id { table.requestBegan(id) }
            expectBody(context)
        case .body: break
        case .end:
            body?.cancel()
            body = nil
        }
        context.fireChannelRead(data)
    }

    /// Closes the channel if the body does not arrive in time. Time in which the service itself does not read does not
    /// count: the request before has not been answered yet.
    private func expectBody(_ context: ChannelHandlerContext) {
        body?.cancel()
        // Later than the reader of a body, which replies that it took too long. The reader may wait for a processor.
        let patience = TimeAmount(table.limits.bodyTimeout + .seconds(5))
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        body = context.value.eventLoop.scheduleTask(in: patience) {
            let handler = handler.value
            handler.body = nil
            if handler.isReading {
                context.value.close(promise: nil)
            } else {
                handler.expectBody(context.value)
            }
        }
    }
}

extension ExchangeHandler {
    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let isLast = if case .end = part { true } else { false }
        defer { if case .body(let buffer) = part { givesBack(buffer.readableBytes) } }
        guard isStream || isLast else { return context.write(data, promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        let bytes = isStream ? part.weight : 0
        wrote(bytes, context)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { result in
            handler.value.sent(bytes, isLast: isLast, isProgress: (try? result.get()) != nil)
        }
        context.write(data, promise: promise)
    }

    private func wrote(_ bytes: Int, _ context: ChannelHandlerContext) {
        guard bytes > 0, let id else { return }
        table.wrote(bytes, at: .stream, of: id)
        unsent += bytes
        guard stall == nil else { return }
        watch(context)
    }

    private func givesBack(_ bytes: Int) {
        if let id, let channelId { table.passed(bytes, by: channelId, on: id) }
    }

    private func watch(_ context: ChannelHandlerContext) {
        hasProgress = false
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        stall = context.value.eventLoop.scheduleTask(in: TimeAmount(table.limits.stallTimeout)) {
            if handler.value.hasProgress {
                handler.value.watch(context.value)
            } else {
                context.value.close(promise: nil)
            }
        }
    }

    private func sent(_ bytes: Int, isLast: Bool, isProgress: Bool) {
        guard let id else { return }
        if bytes > 0 {
            table.sent(bytes, at: .stream, of: id, isProgress: isProgress)
            unsent -= bytes
            hasProgress = true
            if unsent == 0 {
                stall?.cancel()
                stall = nil
            }
        }
        if isLast, requests > 0 {
            requests -= 1
            table.requestEnded(id)
        }
    }
}

extension HTTPResponsePart {
    /// The bytes that wait for the window of a stream. No window holds back a head, so it has none, and is no progress.
    fileprivate var weight: Int { if case .body(let buffer) = self { buffer.readableBytes } else { 0 } }
}
