import HTTPTypes
import Hummingbird
import IdentityService
import NIOCore
import NIOHTTPTypes

/// Notices that a client closed its connection or its stream before the answer was complete.
///
/// A client that closes only its sending half counts as gone too: the service cannot tell it from one that left, and no
/// client library of HTTP does that.
final class ClientDeparture: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isGone = false
    /// What to do when the client leaves during the current request.
    private var watchers: [@Sendable () -> Void] = []

    /// Calls `body` when the client leaves before the end of the current response, and at once if it has left. Must be
    /// called on the event loop.
    func watch(_ body: @escaping @Sendable () -> Void) {
        if isGone { body() } else { watchers.append(body) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { watchers = [] }
        context.write(data, promise: promise)
    }

    private func leave() {
        isGone = true
        let told = watchers
        watchers = []
        for watcher in told { watcher() }
    }
}

extension CallerPresence {
    /// The presence of the client of a channel, which must have a ``ClientDeparture``.
    init(of channel: any Channel) {
        self.init { body in
            channel.eventLoop.execute {
                guard let departure = try? channel.pipeline.syncOperations.handler(type: ClientDeparture.self) else {
                    // A channel that is closed has no handlers any more.
                    if !channel.isActive { body() }
                    return
                }
                departure.watch(body)
            }
        }
    }
}
