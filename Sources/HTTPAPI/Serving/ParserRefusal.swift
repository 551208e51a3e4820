import HTTPTypes
import NIOCore
import NIOHTTPTypes
import TenureAPI

/// Gives a request whose head cannot be read a problem document too.
///
/// Such a request never reaches a responder: the server writes an empty 400 and closes. This handler sees the error
/// pass and fills that response.
final class ParserRefusal: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let publicURL: String
    private let security: SecurityHeaders
    private var failed = false

    init(publicURL: String, security: SecurityHeaders) {
        self.publicURL = publicURL
        self.security = security
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failed = true
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard failed, case .head(let head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else {
            context.write(data, promise: promise)
            return
        }
        var reply = Reply(
            .invalid(.none, "a request that follows HTTP, with a head within the limits, is expected"),
            requestId: RequestHeaders(fields: [:]).requestId, access: nil, publicURL: publicURL)
        security.add(to: &reply.headers)
        var fields = head.headerFields
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        fields[.contentLength] = String(reply.body.count)
        context.write(wrapOutboundOut(.head(.init(status: .badRequest, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: reply.body))), promise: promise)
    }
}
