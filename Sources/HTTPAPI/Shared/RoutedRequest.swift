import Canonical
import ErrorCodes
import Hummingbird
import IdentityService
import NIOCore
import TenureAPI
import TenureServer

/// A request after routing and authentication, as handlers receive it.
struct RoutedRequest: Sendable {
    let service: any UseCaseRunner
    let endpoint: Endpoint
    let captures: PathCaptures
    let rawQuery: Substring
    let headers: RequestHeaders
    let body: [UInt8]
    /// The caller, or `nil` if the endpoint needs no credentials.
    let presented: Caller?
    /// The metadata of the call, which the service gets besides the input.
    let call: Call
    /// The public origin of the service; empty if not configured.
    let publicURL: String
    /// The address of the peer.
    let peer: String?
    let authority: RequestAuthority
    /// The app that the pages act as, once a page has found it.
    var foundPagesApp: AppCaller?

    /// The tenant that the path names.
    var company: String { captures["companyName"] }

    /// The challenge of this request's refusals.
    var challenge: AuthenticationChallenge {
        AuthenticationChallenge(access: endpoint.access, presented: headers.credentials)
    }

    /// Returns the calling app, or throws.
    func app() throws(Refusal) -> AppCaller {
        guard case .app(let app) = presented else { throw Refusal(.appUnknown) }
        return app
    }

    /// Returns the app whose secret a request presents to an endpoint that needs none; `nil` without one.
    ///
    /// - Throws: `app.unknown` or `app.secret_invalid` for a secret that is not in force.
    func presentedApp() async throws -> AppCaller? {
        guard case .basic(let appId, let secret) = headers.credentials else { return nil }
        return try await service.run(AuthenticateApp(appId: appId, secret: secret), call)
    }

    /// Returns the calling employee, or throws.
    func employee() throws(Refusal) -> EmployeeCaller {
        guard case .employee(let employee) = presented else { throw Refusal(.sessionInvalid) }
        return employee
    }

    func caller() throws(Refusal) -> Caller {
        guard let presented else { throw Refusal(.appUnknown) }
        return presented
    }

    /// Refuses a caller whose session ended, or whose secret was revoked, since the request arrived. Time that passed
    /// meanwhile expires no access token.
    func authenticateAgain() async throws {
        _ = try await Authenticator(service: service, call: call).caller(endpoint.access, headers)
    }

    /// Parses the body. An empty body counts as an empty object.
    func document() throws(JSONError) -> JSONValue { body.isEmpty ? [:] : try StrictJSON.parse(body) }

    func read<Request: JSONConvertible>(_: Request.Type) throws(JSONError) -> Request {
        try Request(json: document())
    }

    /// Returns a link to the next page of this list. The origin comes from the configuration, never from the request.
    func link(next: Int64, limit: Int) -> String {
        var query = "after=\(next)&limit=\(limit)"
        for pair in rawQuery.split(separator: "&") where !pair.hasPrefix("after=") && !pair.hasPrefix("limit=") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.compactMap { PercentEncoding.decode($0) }.map(PercentEncoding.encode)
            query += "&" + decoded.joined(separator: "=")
        }
        return "<\(publicURL)\(endpoint.template.path(captures.all))?\(query)>; rel=\"next\""
    }
}

extension RoutedRequest {
    /// Runs a use case. A repeated call runs it again.
    func run<Request: UseCase>(_ request: Request) async throws -> Request.Answer {
        try await service.run(request, call)
    }

    func run<Read: ProjectionRead>(_ read: Read) async throws -> Read.Answer { try await service.read(read) }

    /// Runs a use case at most once per `Idempotency-Key`, and replies with its answer.
    ///
    /// - Parameter encode: Makes the reply of the answer. A repeated call gets the reply that the first call stored.
    func reply<Request: RepeatableUseCase>(
        to request: Request, _ encode: @escaping @Sendable (Request.Answer) -> Reply
    ) async throws -> Reply {
        let encoding = ReplyEncoding(encode)
        let form = WireForm<Request.Answer>(
            answer: { encoding.stored($0) },
            refusal: { [call, challenge, publicURL] in
                Reply(Refusal($0), requestId: call.requestId, challenge: challenge, publicURL: publicURL).stored
            })
        switch try await service.reply(to: request, call, as: form) {
        case .answered(let answer): return encoding.reply(answer)
        case .repeated(let stored): return Reply(stored)
        }
    }

    /// Runs a step of a flow, and replies with its outcome.
    func outcome<Request: RepeatableUseCase<FlowOutcomeResponse>>(_ request: Request) async throws -> Reply {
        let languages = headers.preferredLanguages
        return try await reply(to: request) { .outcome($0, preferring: languages) }
    }

    /// Runs an administrative decision, and replies with it or with the statement to sign.
    func decision<Request: RepeatableUseCase<DecisionResponse>>(_ request: Request) async throws -> Reply {
        try await reply(to: request) { .decision($0) }
    }
}

/// Reads a whole body within limits of size and time.
struct RequestBodyReader {
    let limits: RequestLimits
    /// The time that the body may take to arrive.
    let timeout: Duration

    /// Reads the body.
    ///
    /// It reads the body before any other decision, so that an early refusal leaves no unread bytes on the connection.
    /// If the body cannot be read completely, the connection is closed after the refusal.
    func read(_ request: Request, headers: RequestHeaders) async throws(Refusal) -> [UInt8] {
        let length = try contentLength(headers)
        if let length, length > limits.bodyBytes { throw .tooLarge(limit: limits.bodyBytes) }
        if length == nil, headers.all("Transfer-Encoding").isEmpty, request.method == .get || request.method == .head {
            return []
        }
        let bytes = try await collect(request.body)
        if let length, length != bytes.count { throw .unreadable("the body ends early") }
        return bytes
    }

    private func contentLength(_ headers: RequestHeaders) throws(Refusal) -> Int? {
        guard let text = try headers.single("Content-Length") else { return nil }
        guard let length = Int64(decimal: text) else {
            throw .unreadable("a whole number is expected in Content-Length")
        }
        return Int(length)
    }

    private func collect(_ body: RequestBody) async throws(Refusal) -> [UInt8] {
        let limits = limits, timeout = timeout
        let result = await withTaskGroup(of: Result<[UInt8], Refusal>.self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                do {
                    for try await chunk in body {
                        guard bytes.count + chunk.readableBytes <= limits.bodyBytes else {
                            return .failure(.tooLarge(limit: limits.bodyBytes))
                        }
                        bytes += chunk.readableBytesView
                    }
                } catch {
                    return .failure(.unreadable("the body breaks the framing of HTTP or was cut off"))
                }
                return .success(bytes)
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(.unreadable("the body did not arrive in time"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.unreadable("the body could not be read"))
        }
        return try result.get()
    }
}
