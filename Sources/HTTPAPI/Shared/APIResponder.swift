import Canonical
import ErrorCodes
import HTTPLimits
import HTTPTypes
import Hummingbird
import HummingbirdCore
import IdentityService
import Logging
import NIOCore
import TenureAPI
import TenureServer

/// Responds to every request, with a problem document on failure. It never throws.
struct APIResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let configuration: HTTPConfiguration
    let routes: RouteTable
    let service: any UseCaseRunner
    let log: AccessLog
    let metrics = RequestMetrics()
    let limiters: RequestLimiters
    /// The browsers that wait for the decision about their device key.
    let waiting: WaitingStreams
    let security: SecurityHeaders
    /// The open connections, which bodies are written to in pieces.
    let table: ConnectionTable
    private let brand: BrandAssets

    init(service: any UseCaseRunner, configuration: HTTPConfiguration, table: ConnectionTable, logger: Logger) {
        self.table = table
        self.configuration = configuration
        self.service = service
        brand = BrandAssets(configuration.brand)
        waiting = WaitingStreams(limit: configuration.waitingPages, now: configuration.now)
        routes = RouteTable(Route.all(configuration, waiting: waiting))
        log = AccessLog(logger: logger)
        limiters = RequestLimiters(configuration)
        let isPublicSecure = configuration.publicURL?.hasPrefix("https://") ?? false
        security = SecurityHeaders(isSecure: isPublicSecure || configuration.certificate != nil)
    }

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        // Whatever is refused may be a page, so the frame of pages lies around all of it.
        try await PageFrame.$current.withValue(PageFrame(brand: brand, address: request.head.path ?? "/")) {
            try await answer(request, context)
        }
    }

    private func answer(_ request: Request, _ context: ConnectionContext) async throws -> Response {
        let started = ContinuousClock.now
        let headers = RequestHeaders(fields: request.headers)
        let path = routes.find(request.head.path ?? "")
        var trace = Trace(requestId: headers.requestId, method: AccessLog.method(request.method.rawValue))
        if let last = path.routes.last { trace.route = last.endpoint.template.text }
        // A service without the pages serves their files, but no page that says what was refused.
        if path.family != .page || configuration.servesPages { trace.family = path.family }
        if path.routes.isEmpty, configuration.servesPages, headers.wantPage { trace.family = .page }
        await metrics.begin()
        var reply: Reply
        var closes = false
        let shared = path.isOpenToOrigins ? await originFields(headers, trace) : [:]
        do {
            let preflight = request.method == .options ? CrossOriginAccess.preflight(shared) : nil
            if let preflight {
                reply = preflight
            } else {
                reply = try await RequestNotes.$current.withValue(trace.notes) {
                    try await serve(request, path, headers, context, &trace)
                }
            }
        } catch {
            let refusal = refusal(error, trace)
            closes = refusal.closes
            let meant = refusal.code == .routeUnknown && trace.method == "GET" ? routes.page(meantBy: path) : nil
            reply = meant.map(Reply.seeOther) ?? self.reply(to: refusal, headers, trace)
        }
        reply.headers.merge(shared) { own, _ in own }
        if trace.family == .page || trace.family == .mailedLink {
            let language = LanguageCookie(publicURL: configuration.publicURL ?? "", headers)
            reply.cookies += language.keeping(reply.headers["Content-Language"], headers).map { [$0] } ?? []
        }
        // A replayed problem document names the first call, in its body and in this header.
        if reply.headers[HeaderName.requestId] == nil { reply.headers[HeaderName.requestId] = trace.requestId }
        RateDraw.addFields(trace.draws, to: &reply.headers)
        security.add(to: &reply.headers)
        let duration = ContinuousClock.now - started, facts = trace.notes.facts, login = LoginOutcome(trace, reply)
        await metrics.end(
            .init(method: trace.method, route: trace.route, status: reply.status, code: reply.code), login: login,
            openID: reply.openID.map { .init(client: facts.client?.lowercased, outcome: $0, cause: facts.cause) },
            seconds: duration.inSeconds)
        log.write(
            .init(
                requestId: trace.requestId, method: trace.method, route: trace.route, status: reply.status,
                code: reply.code ?? reply.openID?.code, duration: duration, caller: trace.caller, login: login,
                notes: facts), quiet: trace.isQuiet)
        return await response(reply, isHead: request.method == .head, on: context, closes: closes)
    }

    /// The problem document of a refusal, or the page where people read the answer.
    private func reply(to refusal: Refusal, _ headers: RequestHeaders, _ trace: Trace) -> Reply {
        let language = LanguageCookie(publicURL: configuration.publicURL ?? "", headers).language(for: headers)
        let languages = [language.rawValue]
        let page: Reply? =
            switch trace.family {
            case .mailedLink: try? Reply(pageOf: refusal, requestId: trace.requestId, languages: languages)
            case .page: try? Reply(noticeOf: refusal, requestId: trace.requestId, languages: languages)
            case .api, .oauth, .mpin: nil
            }
        if let page { return page }
        let challenge = trace.endpoint.map {
            AuthenticationChallenge(access: $0.access, presented: headers.credentials)
        }
        return Reply(
            refusal, in: trace.family, requestId: trace.requestId, challenge: challenge,
            publicURL: configuration.publicURL ?? "")
    }

    /// The header fields for scripts of clients' pages.
    private func originFields(_ headers: RequestHeaders, _ trace: Trace) async -> [String: String] {
        let call = Call(requestId: trace.requestId, time: configuration.now())
        return await CrossOriginAccess(service: service).fields(headers, call)
    }

    private func refusal(_ error: any Error, _ trace: Trace) -> Refusal {
        if let error = error as? ServiceError, DatabaseCause.of(error) != nil {
            log.unexpected(error, requestId: trace.requestId, route: trace.route)
        }
        if var refusal = Refusal(error) {
            if trace.family == .mpin, refusal.code.isAboutApp { refusal.status = 403 }
            return refusal
        }
        if error is CancellationError {
            log.cancelled(requestId: trace.requestId, route: trace.route)
            return Refusal(.serviceUnavailable, retryAfter: 1)
        }
        log.unexpected(error, requestId: trace.requestId, route: trace.route)
        return .unexpected
    }

    private func response(
        _ reply: Reply, isHead: Bool, on context: ConnectionContext, closes: Bool
    ) async -> Response {
        var fields = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        for cookie in reply.cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
        if let pieces = reply.pieces, !isHead {
            let body = table.body(of: { await pieces.next() }, on: context.channel)
            return Response(status: .init(code: reply.status), headers: fields, body: body)
        }
        let hasContent = reply.status != 204 && reply.status != 304
        if hasContent { fields[.contentLength] = String(reply.body.count) }
        // HTTP/2 has no Connection header, and it is spoken only with a certificate.
        if closes, configuration.certificate == nil { fields[.connection] = "close" }
        let buffer = isHead ? ByteBuffer() : reply.shared ?? ByteBuffer(bytes: reply.body)
        let isShared = reply.shared != nil
        var afterwards: (@Sendable () async -> Void)?
        if closes { afterwards = { await context.stopReading() } }
        let isEmpty = buffer.readableBytes == 0 && !closes
        let body =
            isEmpty
            ? ResponseBody()
            : await table.body(of: buffer, isShared: isShared, on: context.channel, afterwards: afterwards)
        var response = Response(status: .init(code: reply.status), headers: fields, body: body)
        // A length of zero would be that of the representation (RFC 9110 §8.6).
        if !hasContent { response.headers[.contentLength] = nil }
        return response
    }
}

extension APIResponder {
    /// A request that was read and has a route.
    private struct Arrival {
        let body: [UInt8]
        let target: RequestTarget
        let authority: RequestAuthority
        let route: Route
        let raw: [String: Substring]
    }

    /// Serves a request in order: body, route, the address's rate limit, caller, the caller's rate limits, handler.
    func serve(
        _ request: Request, _ path: PathRoutes, _ headers: RequestHeaders, _ context: ConnectionContext,
        _ trace: inout Trace
    ) async throws -> Reply {
        let address = ClientAddress(trustedProxies: configuration.trustedProxies)
            .of(peer: context.peer, headers: headers)
        let arrival = try await arrive(request, path, headers, address, &trace)
        if let moved = publicAddress(of: arrival) { return Reply(status: 307, headers: ["Location": moved]) }
        let arrived = configuration.now()
        let route = arrival.route, cost = route.endpoint.cost(of: arrival.target.rawQuery)
        if !trace.isQuiet { try await limiters.draw(address: address ?? "", cost: cost, &trace) }
        let captures = try PathCaptures(arrival.raw)
        var call = Call(requestId: trace.requestId, sourceAddress: address, time: arrived)
        if trace.family == .page { call.deviceName = BrowserName(headers)?.text }
        let mayBePublic = route.endpoint == .revokeToken && headers.all("Authorization").isEmpty
        let caller =
            mayBePublic
            ? nil : try await Authenticator(service: service, call: call).caller(route.endpoint.access, headers)
        trace.caller = caller?.fingerprintId ?? (trace.family == .page ? "pages" : nil)
        if let caller {
            try await limiters.draw(caller: caller, company: captures["companyName"], cost: cost, &trace)
        }
        try route.checkBody(arrival.body, headers)
        call.idempotencyKey = route.endpoint.method == "GET" ? nil : try headers.idempotencyKey()
        call.fingerprintInput = [
            Array(request.method.rawValue.utf8), Array(arrival.target.rawPath.utf8),
            Array((caller?.fingerprintId ?? "").utf8), arrival.body,
        ]
        let routed = RoutedRequest(
            service: service, endpoint: route.endpoint, captures: captures, rawQuery: arrival.target.rawQuery,
            headers: headers, body: arrival.body, presented: caller, call: call,
            publicURL: configuration.publicURL ?? "", peer: context.peer, authority: arrival.authority)
        let reply = try await CallerPresence.$current.withValue(context.presence) { try await route.respond(routed) }
        return reply.conditional(on: headers, of: route.endpoint)
    }

    /// The public address of what a browser opened by another name of this machine; `nil` for every other request.
    private func publicAddress(of arrival: Arrival) -> String? {
        guard configuration.sendsBrowsersToPublicURL, let url = configuration.publicURL,
            arrival.route.endpoint.method == "GET", arrival.authority.isLoopback,
            !url.lowercased().hasSuffix("//" + arrival.authority.text.lowercased()),
            arrival.route.endpoint.isForBrowsers
        else { return nil }
        let query = arrival.target.rawQuery
        return url + arrival.target.rawPath + (query.isEmpty ? "" : "?" + query)
    }

    /// Reads a request and finds the route of its method. What is refused here costs its address as much as a read.
    private func arrive(
        _ request: Request, _ path: PathRoutes, _ headers: RequestHeaders, _ address: String?, _ trace: inout Trace
    ) async throws -> Arrival {
        do throws(Refusal) {
            return try await arrival(request, path, headers, &trace)
        } catch {
            do { try await limiters.draw(address: address ?? "", cost: 1, &trace) } catch var limited as Refusal {
                limited.closes = error.closes
                throw limited
            }
            throw error
        }
    }

    private func arrival(
        _ request: Request, _ path: PathRoutes, _ headers: RequestHeaders, _ trace: inout Trace
    ) async throws(Refusal) -> Arrival {
        let body = try await RequestBodyReader(
            limits: configuration.limits, timeout: configuration.connections.bodyTimeout
        ).read(request, headers: headers)
        let limit = configuration.limits.headerBytes
        guard headers.size <= limit else {
            throw .headTooLarge("header fields of at most \(limit) bytes are expected: send fewer cookies")
        }
        let authority = try RequestAuthority(request.head)
        let found = try path.route(for: request.method.rawValue)
        trace.route = found.route.endpoint.template.text
        trace.endpoint = found.route.endpoint
        return Arrival(body: body, target: found.target, authority: authority, route: found.route, raw: found.raw)
    }
}

extension Endpoint {
    /// Whether a browser opens it: a page, or what clients send browsers to.
    fileprivate var isForBrowsers: Bool { family == .page || terms?.answer.isRedirect ?? false }
}

/// The header fields that every response carries.
struct SecurityHeaders: Sendable {
    /// Whether callers reach the service over TLS.
    let isSecure: Bool

    /// Adds the fields, except those that the route has set.
    func add(to headers: inout [String: String]) {
        var fields = [
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
        ]
        if isSecure { fields["Strict-Transport-Security"] = "max-age=31536000" }
        headers.merge(fields) { set, _ in set }
    }
}
