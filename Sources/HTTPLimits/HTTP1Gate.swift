package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Refuses requests of HTTP/1 that another server might read as something else: of another version than 1.1, without
/// exactly one `Host`, or with a target that names another authority than `Host`.
///
/// The codec that gives requests of all versions one form drops the version, the first `Host` and the authority of the
/// target. So the reader that refuses stands before the codec. Only handlers after it can be configured; this one puts
/// the reader in its place. On a stream of HTTP/2 there is no such codec, and it does nothing.
///
/// A refusal ends the connection with status 400, like an error of the parser.
package final class HTTP1Gate: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart

    private let largestBody: Int

    /// Prepares a gate for one connection or stream.
    ///
    /// - Parameter largestBody: The size of a body in bytes up to which a client that expects `100-continue` is told to
    ///   go on. A larger body is refused before it is sent.
    package init(largestBody: Int) { self.largestBody = largestBody }

    package func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        do { try pipeline.addHandler(HTTP1GateReader(largestBody: largestBody), position: .before(codec)) } catch {
            // Without the reader nothing is served.
            context.close(promise: nil)
        }
    }

    /// What a client did wrong. It comes as an event, before the error.
    package struct Refusal: Sendable, Equatable {
        /// What was expected instead.
        package let reason: String

        /// Whether the head exceeds the limits of the parser.
        package var isTooLarge = false

        static let version = Refusal(reason: "HTTP/1.1 or HTTP/2 is expected")
        static let head = Refusal(reason: "a head within the limits is expected: send fewer cookies", isTooLarge: true)
        static let host = Refusal(reason: "one Host header with the authority of the request is expected")
    }
}

/// Reads the heads of HTTP/1 requests as they came.
///
/// It writes the options of `Connection` as the server behind it compares them, and tells a client that expects
/// `100-continue` to send its body (RFC 9110 §10.1.1).
///
/// A request that offers another protocol, or asks for a tunnel, is answered as if it did not, and is the last of its
/// connection: the parser reads nothing after it, and nobody takes the offer.
final class HTTP1GateReader: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let largestBody: Int
    private var hasRefused = false
    /// The requests that came, and the responses that have begun.
    private var requests = 0
    private var responses = 0
    /// Whether the last request that came is the last of the connection, and has been read.
    private var isLast = false
    private var isRead = false

    init(largestBody: Int) { self.largestBody = largestBody }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused, !isRead else { return }
        let part = unwrapInboundIn(data)
        if case .end = part { isRead = isLast }
        guard case .head(var head) = part else { return context.fireChannelRead(data) }
        requests += 1
        if let refusal = Self.refusal(of: head) {
            hasRefused = true
            context.fireUserInboundEventTriggered(refusal)
            // The server answers errors of the parser, and no others.
            return context.fireErrorCaught(HTTPParserError.unknown)
        }
        isLast = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
        if isLast || FieldReader(head.headers["Connection"]).options.contains("close") {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        if awaitsContinue(head) {
            let response = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(response)), promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Names a head that the parser found too large.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error as? HTTPParserError == .headerOverflow {
            context.fireUserInboundEventTriggered(HTTP1Gate.Refusal.head)
        }
        context.fireErrorCaught(error)
    }

    /// Receives nothing after the last request: the bytes would wait in memory for a parser that has stopped.
    func read(context: ChannelHandlerContext) {
        if !isRead { context.read() }
    }

    /// Tells the client that the response to the last request is the last one, and closes when it has been sent.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part, !(100..<200).contains(head.status.code) {
            responses += 1
            if isLast, responses == requests { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            part = .head(head)
        }
        guard case .end = part, isLast, responses == requests else {
            return context.write(wrapOutboundOut(part), promise: promise)
        }
        let promise = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.write(wrapOutboundOut(part), promise: promise)
    }

    /// Whether the client waits for a word before it sends a body that is not too large.
    private func awaitsContinue(_ head: HTTPRequestHead) -> Bool {
        guard FieldReader(head.headers["Expect"]).options.contains("100-continue"),
            let length = head.headers.first(name: "Content-Length").flatMap(Int.init)
        else { return false }
        return length > 0 && length <= largestBody
    }

    /// Why a head is refused; `nil` if it is not.
    static func refusal(of head: HTTPRequestHead) -> HTTP1Gate.Refusal? {
        guard head.version == .http1_1 else { return .version }
        let hosts = head.headers["Host"]
        guard hosts.count == 1, let host = hosts.first, !host.isEmpty else { return .host }
        guard let authority = authority(of: head.uri) else { return nil }
        return authority.lowercased() == host.lowercased() ? nil : .host
    }

    /// The authority of a target in absolute form (RFC 9112 §3.2.2); `nil` for other forms.
    private static func authority(of target: String) -> Substring? {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
        return target[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }
}
