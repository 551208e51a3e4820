public import Canonical
import ErrorCodes
import TenureAPI

/// A client of the service for one app on one device. It offers whole flows, and every single call.
///
/// A client is a value. Copies share the stores and the running refreshes.
///
/// ```swift
/// let client = try TenureClient(
///     appCredentials: AppCredentials(
///         appId: appId, appSecret: appSecret, appSalt: appSalt, baseURL: "https://id.example"))
/// let step = try await client.login(companyName: "acme.example", companyEmployeeId: "1001")
/// ```
public struct TenureClient: Sendable {
    /// The address of the service, without a trailing slash.
    public let baseURL: String
    let credentials: AppCredentials
    let issuer: String?
    let mode: Mode
    let keyStore: any DeviceKeyStore
    let pinStore: any PinStore
    let sessions: SessionRegistry
    /// The preferred languages of listed questions, in order of preference.
    let languages: [String]
    let transport: any Transport
    let retries: RetryPolicy

    /// Creates a client of the service at `baseURL`, for example `https://id.example`.
    ///
    /// - Parameters:
    ///   - baseURL: The address of the service. A trailing slash is ignored.
    ///   - appCredentials: The app's id and one of its secrets.
    ///   - transport: Sends the requests.
    ///   - retries: How often and with which pauses a call is retried.
    ///   - issuer: The name that the service writes into challenges; `nil` accepts any. If set, the client signs
    ///     nothing that another service has requested.
    ///   - mode: How secrets are proved.
    ///   - keyStore: The store of this device's keys.
    ///   - sessionStore: The store of session tokens.
    ///   - pinStore: The store of the pins of blind mode.
    ///   - languages: The languages of listed questions, such as `de`, in order of preference.
    public init(
        baseURL: String, appCredentials: AppCredentials, transport: any Transport = URLSessionTransport(),
        retries: RetryPolicy = RetryPolicy(), issuer: String? = nil, mode: Mode = .automatic,
        keyStore: any DeviceKeyStore = PlatformKeyStore.standard(),
        sessionStore: any SessionStore = PlatformSessionStore.standard(), pinStore: any PinStore = FilePinStore(),
        languages: [String] = []
    ) {
        self.languages = languages
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

    /// The authority of a call.
    public enum Authority: Sendable {
        /// The app itself.
        case app
        /// The employee that the access token belongs to.
        case employee(accessToken: String)
        /// No authority; the call needs no credentials.
        case nobody
    }

    /// Sends a request and reads the response.
    ///
    /// A change carries an idempotency key, the same for every retry, so a retry after a lost connection has no second
    /// effect.
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
        body: (any JSONConvertible)? = nil, form: TokenFormRequest? = nil, headers: [String: String] = [:],
        as authority: Authority = .app, idempotencyKey: String? = nil
    ) async throws -> WireResponse {
        var request = try request(endpoint, values, query: query, body: body, headers: headers, as: authority)
        if let form {
            request.headers["Content-Type"] = FormEncoding.mediaType
            request.body = form.form
        }
        if endpoint.method != "GET" { request.headers[HeaderName.idempotencyKey] = idempotencyKey ?? Self.newKey() }
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
            guard Self.passes(outcome, problem), let wait else {
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
        // Libraries rewrite paths with dot segments, so the call might reach another object.
        guard values.values.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw TenureClientError(.addressInvalid)
        }
        var headers = headers
        switch authority {
        case .app: headers["Authorization"] = try credentials.authorization
        case .employee(let token): headers["Authorization"] = "Bearer " + token
        case .nobody: break
        }
        if body != nil { headers["Content-Type"] = "application/json" }
        if !languages.isEmpty { headers["Accept-Language"] = languages.joined(separator: ", ") }
        let pairs = query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        let url = baseURL + endpoint.template.path(values) + (pairs.isEmpty ? "" : "?" + pairs)
        return WireRequest(method: endpoint.method, url: url, headers: headers, body: body?.bytes)
    }

    private static func error(_ response: WireResponse) -> TenureClientError {
        guard let problem = try? Problem(bytes: response.body) else {
            // A proxy with a smaller limit sends no problem document.
            return TenureClientError(response.status == 413 ? .requestTooLarge : .responseInvalid)
        }
        return TenureClientError(problem, retryAfter: retryAfter(response).map { .seconds($0) })
    }

    /// Whether the cause of a failure is transient. A lock on credentials is not: the person decides whether to wait.
    private static func passes(_ response: WireResponse?, _ error: TenureClientError?) -> Bool {
        guard let response else { return true }
        if error?.kind == .mailUnavailable { return false }
        return response.status == 503 || error?.kind == .idempotencyInProgress || error?.kind == .rateLimited
    }

    /// The seconds of `Retry-After`. The service sends no dates.
    private static func retryAfter(_ response: WireResponse) -> Int? {
        response.headers["retry-after"].flatMap { Int($0) }.map { max(0, $0) }
    }

    /// Creates the idempotency key of one call: 24 random bytes.
    static func newKey() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<24).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}

/// An app's id, one of its secrets, and the address of its service.
public struct AppCredentials: Sendable, Redacted {
    /// The app's id, issued by the operator.
    public let appId: String
    /// The app's salt, which is not secret. An app that vouches for keys derives its authority key with it.
    public let appSalt: String?
    /// The address of the service, for example `https://id.example`.
    public let baseURL: String?
    private let secret: String

    /// Creates credentials without an address; pass the address to the client.
    public init(appId: String, secret: String) {
        self.appId = appId
        self.secret = secret
        appSalt = nil
        baseURL = nil
    }

    /// Creates credentials from the values that the operator issued, and the address of the service.
    public init(appId: String, appSecret: String, appSalt: String, baseURL: String) {
        self.appId = appId
        secret = appSecret
        self.appSalt = appSalt
        self.baseURL = baseURL
    }

    /// The value of `Authorization` (RFC 7617).
    ///
    /// - Throws: ``TenureClientError/Kind/appSecretInvalid`` for an id or a secret with white space, such as the line end
    ///   of a file.
    var authorization: String {
        get throws(TenureClientError) {
            guard !(appId + secret).contains(where: \.isWhitespace) else {
                let advice = "The app's id or secret has white space, such as a line end: remove it."
                throw TenureClientError(.init(.appSecretInvalid), nil, nil, [advice])
            }
            return "Basic " + Base64.encode(Array("\(appId):\(secret)".utf8))
        }
    }
}
