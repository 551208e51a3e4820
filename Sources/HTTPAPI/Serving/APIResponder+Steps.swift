import Canonical
import Hummingbird
import HTTPTypes
import IdentityService
import TenureAPI

extension APIResponder {
    /// The steps of a request in their order: body, route, rate, caller, the app's rate, then the route's own
    /// work.
    func serve(
        _ request: Request, _ headers: RequestHeaders, _ context: ConnectionContext, _ trace: inout Trace
    ) async throws -> Reply {
        let arrived = Timestamp.now()
        let body = try await RequestBodyReader(limits: configuration.limits).read(request, headers: headers)
        guard let target = RequestTarget(request.head.path ?? "") else {
            throw Refusal.invalid(.none, "a path of visible ASCII characters is expected")
        }
        let match = try routes.find(method: request.method.rawValue, target.rawPath, &trace)
        let address = ClientAddress(trustedProxies: configuration.trustedProxies)
            .of(peer: context.peer, headers: headers)
        if let rateLimiter, !trace.isQuiet, let seconds = await rateLimiter.wait(for: address ?? "") {
            throw Refusal(.rateLimited, retryAfter: seconds)
        }
        let route = match.route
        let captures = try PathCaptures(match.raw)
        let caller = try await Authenticator(service: service).caller(route.endpoint.access, headers)
        trace.caller = caller?.fingerprintId
        // Only who holds a secret of the app counts against it: a stranger cannot stop an app by naming it.
        if let appRateLimiter, case .app(let app) = caller,
            let seconds = await appRateLimiter.wait(for: app.appId.lowercased)
        {
            throw Refusal(.rateLimited, retryAfter: seconds)
        }
        try route.checkBody(body, headers)
        let call = Call(
            requestId: trace.requestId, sourceAddress: address, time: arrived,
            idempotencyKey: route.endpoint.method == "POST" ? try headers.idempotencyKey() : nil,
            fingerprintInput: Self.fingerprint(
                request.method.rawValue, target.rawPath, caller?.fingerprintId ?? "", body))
        return try await route.respond(
            Exchange(
                service: service, endpoint: route.endpoint, captures: captures, rawQuery: target.rawQuery,
                headers: headers, body: body, presented: caller, call: call,
                publicURL: configuration.publicURL ?? "", peer: context.peer))
    }

    /// Method, path, caller and body, each after its length in 8 bytes, so that no two requests have the same bytes.
    static func fingerprint(
        _ method: String, _ rawPath: Substring, _ caller: String, _ body: [UInt8]
    ) -> [UInt8] {
        [Array(method.utf8), Array(rawPath.utf8), Array(caller.utf8), body].reduce(into: []) { input, part in
            let length = UInt64(part.count)
            input += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
            input += part
        }
    }
}
