import Canonical
import TenureAPI

/// A service as one app on one device sees it: the flows that people go through, and every single call.
///
/// A client is a value; copies share the stores and what is under way.
public struct TenureClient: Sendable {
    let baseURL: String
    let credentials: AppCredentials
    let issuer: String?
    let mode: Mode
    let keyStore: any DeviceKeyStore
    let pinStore: any PinStore
    let sessions: SessionRegistry
    private let transport: any Transport
    private let retries: RetryPolicy

    /// Makes a client of the service at `baseURL`, for example `https://id.example`.
    ///
    /// - Parameters:
    ///   - baseURL: Where the service is; a slash at the end does not matter.
    ///   - appCredentials: The app's id and one of its secrets.
    ///   - transport: What sends requests.
    ///   - retries: How often and after which pauses a call is sent again whose reply was lost.
    ///   - issuer: The name that the service writes into challenges; `nil` accepts any. An app that knows it sets it, and
    ///     signs nothing that another service asked for.
    ///   - mode: How secrets are proved.
    ///   - keyStore: Where this device's keys are.
    ///   - sessionStore: Where the tokens of sessions are.
    ///   - pinStore: Where it is remembered which credentials the blind mode has met.
    public init(
        baseURL: String, appCredentials: AppCredentials, transport: any Transport = URLSessionTransport(),
        retries: RetryPolicy = RetryPolicy(), issuer: String? = nil, mode: Mode = .automatic,
        keyStore: any DeviceKeyStore = PlatformKeyStore.standard(),
        sessionStore: any SessionStore = PlatformSessionStore.standard(), pinStore: any PinStore = FilePinStore()
    ) {
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        credentials = appCredentials
        self.transport = transport
        self.retries = retries
        self.issuer = issuer
        self.mode = mode
        self.keyStore = keyStore
        self.pinStore = pinStore
        sessions = SessionRegistry(store: sessionStore)
    }

    /// Who a call is made for.
    public enum Authority: Sendable {
        /// The app itself.
        case app
        /// The employee whose access token this is.
        case employee(accessToken: String)
        /// Nobody.
        case nobody
    }

    /// Sends a request and reads the response.
    ///
    /// A POST carries an idempotency key, the same in every try, so that sending it again after a lost connection does
    /// nothing twice. What is neither that nor idempotent by its method is sent once.
    func call<Response: JSONConvertible>(
        _ endpoint: Endpoint, _ values: [String: String] = [:], query: [(String, String)] = [],
        body: (any JSONConvertible)? = nil, headers: [String: String] = [:], as authority: Authority = .app,
        idempotencyKey: String? = nil, _: Response.Type = Response.self
    ) async throws -> Response {
        let response = try await send(
            endpoint, values, query: query, body: body, headers: headers, as: authority, idempotencyKey: idempotencyKey)
        do {
            return try Response(bytes: response.body, limits: .init(bytes: 4_194_304))
        } catch { throw TenureClientError(.responseInvalid) }
    }

    @discardableResult
    func send(
        _ endpoint: Endpoint, _ values: [String: String] = [:], query: [(String, String)] = [],
        body: (any JSONConvertible)? = nil, headers: [String: String] = [:], as authority: Authority = .app,
        idempotencyKey: String? = nil
    ) async throws -> WireResponse {
        var request = try request(endpoint, values, query: query, body: body, headers: headers, as: authority)
        if endpoint.method == "POST" { request.headers[HeaderName.idempotencyKey] = idempotencyKey ?? Self.newKey() }
        let repeatable = endpoint.method != "PATCH" && endpoint != .refreshSession
        var attempt = 1
        while true {
            let outcome: WireResponse?
            do { outcome = try await transport.send(request) } catch let error as TenureClientError {
                throw error
            } catch is CancellationError { throw CancellationError() } catch { outcome = nil }
            if let outcome, (200..<300).contains(outcome.status) { return outcome }
            try Task.checkCancellation()
            let problem = outcome.map(Self.error)
            let retryAfter = outcome.flatMap(Self.retryAfter)
            let wait = retries.wait(after: attempt, retryAfter: retryAfter, draw: Double.random(in: 0...1))
            guard Self.passes(outcome, problem), repeatable, let wait else {
                throw problem ?? TenureClientError(.connectionLost)
            }
            try await Task.sleep(for: wait)
            attempt += 1
        }
    }

    private func request(
        _ endpoint: Endpoint, _ values: [String: String], query: [(String, String)], body: (any JSONConvertible)?,
        headers: [String: String], as authority: Authority
    ) throws(TenureClientError) -> WireRequest {
        // Libraries rewrite paths with dot segments, so the call would reach another object.
        guard values.values.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw TenureClientError(.addressInvalid)
        }
        var headers = headers
        switch authority {
        case .app: headers["Authorization"] = credentials.authorization
        case .employee(let token): headers["Authorization"] = "Bearer " + token
        case .nobody: break
        }
        if body != nil { headers["Content-Type"] = "application/json" }
        let pairs = query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        let url = baseURL + endpoint.template.path(values) + (pairs.isEmpty ? "" : "?" + pairs)
        return WireRequest(method: endpoint.method, url: url, headers: headers, body: body?.bytes)
    }

    private static func error(_ response: WireResponse) -> TenureClientError {
        guard let problem = try? Problem(bytes: response.body) else { return TenureClientError(.responseInvalid) }
        return TenureClientError(problem, retryAfter: retryAfter(response).map { .seconds($0) })
    }

    /// Whether the reason of a failure goes away by itself. A lock on credentials does not: it is for a person to wait.
    private static func passes(_ response: WireResponse?, _ error: TenureClientError?) -> Bool {
        guard let response else { return true }
        return response.status == 503 || error?.kind == .idempotencyInProgress || error?.kind == .rateLimited
    }

    /// The seconds of `Retry-After`; the service sends no dates.
    private static func retryAfter(_ response: WireResponse) -> Int? {
        response.headers["retry-after"].flatMap { Int($0) }.map { max(0, $0) }
    }

    /// A key for one call that changes something: 24 random bytes.
    static func newKey() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<24).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}
