import HTTPLimits
import HTTPTypes
import Hummingbird
import HummingbirdCore
import IdentityService
import Logging
import NIOCore
import NIOHTTPTypes
import TenureAPI

/// What a request knows about its connection.
struct ConnectionContext: InitializableFromSource {
    /// The address of the peer as text, without a port. A listener on `::` gives IPv4 addresses as such too.
    let peer: String?
    /// Whether the client still waits.
    var presence: CallerPresence { CallerPresence(of: channel) }
    /// The channel of the connection or of the stream.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress.map(IPAddress.canonical)
    }

    /// Stops reading, so that the rest of a refused body is not received.
    func stopReading() async {
        // TLS and HTTP/2 cannot close one half, so they close the whole channel. The response has been flushed before.
        do { try await channel.close(mode: .input) } catch { try? await channel.close() }
    }
}

/// Sends a problem document for a request whose head cannot be parsed.
///
/// Such a request never reaches a responder: the server writes an empty 400 response and closes the connection. This
/// handler sees the parser's error and fills that response. It drops the response if an earlier one ended the
/// connection: the parser then reports the rest of a body that nobody waits for.
///
/// A head so large that the parser gives up is a browser's with too many cookies, which gets a page with status 431.
final class ParserRefusal: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let publicURL: String
    private let security: SecurityHeaders
    private let servesPages: Bool
    private let brand: BrandAssets
    private var failed = false
    private var refusal = Refusal.invalid(
        .none, "the request breaks the framing of HTTP, or its head exceeds the limits")
    private var last = LastResponse.none

    /// The response that says `Connection: close`.
    private enum LastResponse {
        case none
        case begun
        case ended
    }

    init(publicURL: String, security: SecurityHeaders, servesPages: Bool, brand: BrandAssets) {
        self.publicURL = publicURL
        self.security = security
        self.servesPages = servesPages
        self.brand = brand
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let known = event as? HTTP1Gate.Refusal {
            refusal = known.isTooLarge ? .headTooLarge(known.reason) : .invalid(.none, known.reason)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failed = true
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard last != .ended else {
            promise?.succeed()
            return
        }
        let part = unwrapOutboundIn(data)
        switch part {
        case .head(let head) where head.headerFields[.connection] == "close": last = .begun
        case .end where last == .begun: last = .ended
        default: break
        }
        guard failed, case .head(let head) = part, head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else {
            context.write(data, promise: promise)
            return
        }
        let requestId = RequestHeaders(fields: [:]).requestId
        let isPage = servesPages && refusal.notice != nil
        let page = PageFrame.$current.withValue(PageFrame(brand: brand)) {
            isPage ? try? Reply(noticeOf: refusal, requestId: requestId) : nil
        }
        var reply = page ?? Reply(refusal, requestId: requestId, challenge: nil, publicURL: publicURL)
        security.add(to: &reply.headers)
        var fields = head.headerFields
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        fields[.contentLength] = String(reply.body.count)
        let status = HTTPResponse.Status(code: reply.status)
        context.write(wrapOutboundOut(.head(.init(status: status, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: reply.body))), promise: promise)
    }
}
