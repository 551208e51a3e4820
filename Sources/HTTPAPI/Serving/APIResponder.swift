import Hummingbird
import HTTPTypes
import IdentityService
import Logging
import NIOCore
import TenureAPI

/// Answers every request, refusals included; it never throws.
struct APIResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let configuration: HTTPConfiguration
    let routes: RouteTable
    let service: any TenureService
    let log: AccessLog
    let metrics = RequestMetrics()
    let rateLimiter: RateLimiter?
    let appRateLimiter: RateLimiter?
    let security: SecurityHeaders

    init(service: any TenureService, configuration: HTTPConfiguration, logger: Logger) {
        self.configuration = configuration
        self.service = service
        routes = RouteTable(Route.all(configuration, metrics: metrics))
        log = AccessLog(logger: logger)
        rateLimiter = configuration.rateLimit.map { RateLimiter($0) }
        appRateLimiter = configuration.appRateLimit.map { RateLimiter($0) }
        let isPublicSecure = configuration.publicURL?.hasPrefix("https://") ?? false
        security = SecurityHeaders(isSecure: isPublicSecure || configuration.certificate != nil)
    }

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let started = ContinuousClock.now
        let headers = RequestHeaders(fields: request.headers)
        var trace = Trace(requestId: headers.requestId, method: AccessLog.method(request.method.rawValue))
        await metrics.begin()
        var reply: Reply
        var closes = false
        do {
            reply = try await serve(request, headers, context, &trace)
        } catch {
            let refusal = refusal(error, trace)
            closes = refusal.closes
            reply = Reply(
                refusal, requestId: trace.requestId, access: trace.access, publicURL: configuration.publicURL ?? "")
        }
        reply.headers[HeaderName.requestId] = trace.requestId
        security.add(to: &reply.headers)
        let duration = ContinuousClock.now - started
        await metrics.end(method: trace.method, route: trace.route, status: reply.status, seconds: duration.inSeconds)
        log.write(
            .init(
                requestId: trace.requestId, method: trace.method, route: trace.route, status: reply.status,
                duration: duration, caller: trace.caller), quiet: trace.isQuiet)
        return response(reply, isHead: request.method == .head, closing: closes ? context : nil)
    }

    private func refusal(_ error: any Error, _ trace: Trace) -> Refusal {
        if let refusal = Refusal(error) { return refusal }
        if !(error is CancellationError) { log.unexpected(error, requestId: trace.requestId, route: trace.route) }
        return .unexpected
    }

    private func response(_ reply: Reply, isHead: Bool, closing context: ConnectionContext?) -> Response {
        var fields = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if reply.status != 204 { fields[.contentLength] = String(reply.body.count) }
        // HTTP/2 knows no Connection header, and it is spoken only with a certificate.
        if context != nil, configuration.certificate == nil { fields[.connection] = "close" }
        let buffer = ByteBuffer(bytes: isHead ? [] : reply.body)
        guard let context else {
            return Response(
                status: .init(code: reply.status), headers: fields,
                body: buffer.readableBytes == 0 ? .init() : .init(byteBuffer: buffer))
        }
        let body = ResponseBody(contentLength: reply.body.count) { writer in
            try await writer.write(buffer)
            try await writer.finish(nil)
            await context.stopReading()
        }
        return Response(status: .init(code: reply.status), headers: fields, body: body)
    }
}
