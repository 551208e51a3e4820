public import Canonical
public import HTTPLimits
public import IdentityService

/// The configuration of the HTTP API.
public struct HTTPConfiguration: Sendable {
    /// A certificate and its private key, as PEM files.
    public struct Certificate: Sendable {
        /// The file with the certificate chain, the server's own first.
        public var chainFile: String
        /// The file with the private key.
        public var keyFile: String
        /// The time after which both files are read again.
        public var pause: Duration = .seconds(60)

        /// Names the files of the certificate chain and the private key.
        public init(chainFile: String, keyFile: String) {
            self.chainFile = chainFile
            self.keyFile = keyFile
        }
    }

    /// The address to bind.
    public var host: String
    /// The port to bind. 0 binds a free port, which ``onServerRunning`` receives.
    public var port: Int
    /// The public origin of the service, without a trailing slash. Without it, links are relative.
    public var publicURL: String?
    /// The certificate. If set, the service speaks TLS 1.2 or later, with HTTP/1.1 and HTTP/2.
    public var certificate: Certificate?
    /// Whether clear text is permitted beyond loopback, because a proxy in front terminates TLS.
    public var allowsClearText: Bool
    /// The networks of the proxies whose `X-Forwarded-For` is trusted.
    public var trustedProxies: TrustedNetworks
    /// The limits of one request.
    public var limits: RequestLimits
    /// The limits of connections.
    public var connections: ConnectionLimits
    /// The rate limit of one address; `nil` for none. A read costs one token, a call that hashes up to ten.
    public var rateLimit: RateLimit?
    /// The rate limit of one app over all addresses; `nil` for none.
    public var appRateLimit: RateLimit?
    /// The rate limit of all employees of one tenant together, and of one app for one tenant; `nil` for none.
    public var companyRateLimit: RateLimit?
    /// Where `/metrics` is served; `nil` for nowhere.
    public var metrics: MetricsListener?
    /// Returns what this process has yet to prepare. While there is something, `/readyz` names it and answers 503.
    public var preparation: @Sendable () -> [String] = { [] }
    /// The mails to show under `/dev/mail`, on loopback only; `nil` for none.
    public var developmentMail: MailDirectory?
    /// Whether the pages for browsers are served.
    public var servesPages = false
    /// The clock that stamps the arrival of requests.
    public var now: @Sendable () -> Timestamp = { .now() }
    /// Receives the bound port once the server accepts connections.
    public var onServerRunning: @Sendable (Int) async -> Void

    /// Describes a configuration. The defaults serve clear text on loopback.
    public init(
        host: String = "127.0.0.1", port: Int = 8080, publicURL: String? = nil, certificate: Certificate? = nil,
        allowsClearText: Bool = false, trustedProxies: TrustedNetworks = .none, limits: RequestLimits = .init(),
        connections: ConnectionLimits = .init(),
        rateLimit: RateLimit? = nil, appRateLimit: RateLimit? = nil, companyRateLimit: RateLimit? = nil,
        metrics: MetricsListener? = nil,
        onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.publicURL = publicURL
        self.certificate = certificate
        self.allowsClearText = allowsClearText
        self.trustedProxies = trustedProxies
        self.limits = limits
        self.connections = connections
        self.rateLimit = rateLimit
        self.appRateLimit = appRateLimit
        self.companyRateLimit = companyRateLimit
        self.metrics = metrics
        self.onServerRunning = onServerRunning
    }
}

extension HTTPConfiguration {
    /// Whether the bound address is reachable from this machine only.
    public var bindsLoopback: Bool { LoopbackName.matches(host) }

    /// The address that clients reach the service at: the public URL, or else the address that is bound.
    public var address: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return publicURL ?? "\(certificate == nil ? "http" : "https")://\(name):\(port)"
    }

    /// Throws if the configuration is not permitted.
    func validate() throws(HTTPConfigurationError) {
        guard certificate != nil || bindsLoopback || allowsClearText else {
            throw HTTPConfigurationError(code: .clearTextBeyondLoopback)
        }
        if let publicURL {
            let rest = ["https://", "http://"].first(where: publicURL.hasPrefix).map { publicURL.dropFirst($0.count) }
            let plain = publicURL.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && !Array("\"<>\\?#@".utf8).contains($0)
            }
            guard let rest, !rest.isEmpty, !rest.hasPrefix("/"), !rest.hasSuffix("/"), plain else {
                throw HTTPConfigurationError(code: .publicURLInvalid)
            }
        }
        let positive =
            limits.bodyBytes > 0 && limits.headerBytes > 0 && limits.headerFields > 0 && connections.isPositive
        let rate = [rateLimit, appRateLimit, companyRateLimit].allSatisfy { limit in
            limit.map { $0.perSecond > 0 && $0.burst > 0 && $0.addresses > 0 } ?? true
        }
        guard positive, rate, (0...65_535).contains(port) else { throw HTTPConfigurationError(code: .limitInvalid) }
        if let metrics, !metrics.bindsLoopback, metrics.token == nil {
            throw HTTPConfigurationError(code: .metricsTokenMissing)
        }
    }
}

/// The reason why a configuration is not permitted.
public struct HTTPConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable identifier of the reason. Later versions may add codes.
    public struct Code: Sendable, Hashable {
        /// The identifier, such as `http.public_url_invalid`.
        public let rawValue: String

        /// The service would serve clear text beyond loopback without permission.
        public static let clearTextBeyondLoopback = Code(rawValue: "http.clear_text_beyond_loopback")
        /// The public URL is not an `http` or `https` origin.
        public static let publicURLInvalid = Code(rawValue: "http.public_url_invalid")
        /// The certificate or its key cannot be read.
        public static let certificateUnreadable = Code(rawValue: "http.certificate_unreadable")
        /// The key is not that of the certificate.
        public static let certificateMismatch = Code(rawValue: "http.certificate_mismatch")
        /// The metrics would be served beyond loopback to anyone.
        public static let metricsTokenMissing = Code(rawValue: "http.metrics_token_missing")
        /// Another program listens on the configured address of the metrics.
        public static let metricsAddressTaken = Code(rawValue: "http.metrics_address_taken")
        /// A limit is not positive.
        public static let limitInvalid = Code(rawValue: "http.limit_invalid")
    }

    /// The reason.
    public let code: Code

    /// The raw code.
    public var description: String { code.rawValue }
}

/// The limits of one request.
public struct RequestLimits: Sendable {
    /// The maximum size of a body, in bytes.
    public var bodyBytes: Int
    /// The maximum total size of the header fields, in bytes.
    public var headerBytes: Int
    /// The maximum number of header fields.
    public var headerFields: Int

    /// Describes limits. The defaults are the documented ones.
    public init(bodyBytes: Int = 65_536, headerBytes: Int = 16_384, headerFields: Int = 64) {
        self.bodyBytes = bodyBytes
        self.headerBytes = headerBytes
        self.headerFields = headerFields
    }
}
