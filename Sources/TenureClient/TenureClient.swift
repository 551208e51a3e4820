import Canonical
import TenureAPI

/// Calls the service for an app.
///
/// In blind mode (``setBlindCredentials(_:_:questions:passphrase:questionsWithPassphrase:blindOnly:key:pins:)``,
/// ``proveAnswers(_:_:answers:pins:)``, ``provePassphrase(_:_:passphrase:pins:)``) answers and passphrases stay here; in
/// direct mode they are sent over TLS and compared there.
public struct TenureClient: Sendable {
    let baseURL: String
    let credentials: AppCredentials
    private let transport: any Transport
    private let retries: RetryPolicy

    /// Makes a client of the service at `baseURL`, for example `https://id.example`.
    public init(
        baseURL: String, appCredentials: AppCredentials, transport: some Transport = URLSessionTransport(),
        retries: RetryPolicy = RetryPolicy()
    ) {
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        credentials = appCredentials
        self.transport = transport
        self.retries = retries
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
        _: Response.Type = Response.self
    ) async throws -> Response {
        let response = try await send(endpoint, values, query: query, body: body, headers: headers, as: authority)
        do {
            return try Response(bytes: response.body, limits: .init(bytes: 4_194_304))
        } catch { throw TenureClientError(.responseInvalid) }
    }

    @discardableResult
    func send(
        _ endpoint: Endpoint, _ values: [String: String] = [:], query: [(String, String)] = [],
        body: (any JSONConvertible)? = nil, headers: [String: String] = [:], as authority: Authority = .app
    ) async throws -> WireResponse {
        let request = try request(endpoint, values, query: query, body: body, headers: headers, as: authority)
        let repeatable = endpoint.method != "PATCH" && endpoint != .refreshSession
        var attempt = 1
        while true {
            let outcome: WireResponse?
            do { outcome = try await transport.send(request) } catch let error as TenureClientError {
                throw error
            } catch is CancellationError { throw CancellationError() } catch { outcome = nil }
            if let outcome, (200..<300).contains(outcome.status) { return outcome }
            let problem = outcome.map(Self.error)
            let passes = outcome == nil || outcome?.status == 503 || problem?.code.rawValue == "idempotency.in_progress"
            let retryAfter = outcome?.headers["retry-after"].flatMap { Int($0) }
            guard passes, repeatable, let wait = retries.wait(after: attempt, retryAfter: retryAfter) else {
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
        if endpoint.method == "POST" { headers[HeaderName.idempotencyKey] = Self.newKey() }
        let pairs = query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        let url = baseURL + endpoint.template.path(values) + (pairs.isEmpty ? "" : "?" + pairs)
        return WireRequest(method: endpoint.method, url: url, headers: headers, body: body?.bytes)
    }

    private static func error(_ response: WireResponse) -> TenureClientError {
        guard let problem = try? Problem(bytes: response.body) else { return TenureClientError(.responseInvalid) }
        return TenureClientError(problem)
    }

    private static func newKey() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<24).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}
