/// Where and how the API is served.
public struct HTTPConfiguration: Sendable {
    /// A certificate and its key, as PEM files.
    public struct Certificate: Sendable {
        /// The file with the certificate chain, the server's own first.
        public var chainFile: String
        /// The file with the private key.
        public var keyFile: String

        /// Names the two files.
        public init(chainFile: String, keyFile: String) {
            self.chainFile = chainFile
            self.keyFile = keyFile
        }
    }

    /// The address to bind.
    public var host: String
    /// The port to bind; 0 takes a free one, which ``onServerRunning`` is told.
    public var port: Int
    /// The address of the service as its callers see it, without a trailing slash; links are relative without it.
    public var publicURL: String?
    /// With a certificate the service speaks TLS 1.2 or later, with HTTP/1.1 and HTTP/2.
    public var certificate: Certificate?
    /// Whether clear text may be served on an address that is not loopback, because a proxy in front ends TLS.
    public var allowsClearText: Bool
    /// The addresses of the proxies whose `X-Forwarded-For` counts.
    public var trustedProxies: Set<String>
    /// Bounds of one request and one connection.
    public var limits: HTTPLimits
    /// How many requests one address may send; nil does not limit.
    public var rateLimit: RateLimit?
    /// How many requests one app may send, whatever the addresses; nil does not limit.
    public var appRateLimit: RateLimit?
    /// What a caller beyond loopback presents as `Bearer` to read `/metrics`.
    public var metricsToken: String?
    /// More lines for `/metrics`, in the Prometheus text format.
    public var moreMetrics: (@Sendable () async -> String)?
    /// Is told the bound port once the server accepts connections.
    public var onServerRunning: @Sendable (Int) async -> Void

    /// Describes how the API is served; the defaults serve clear text on loopback.
    public init(
        host: String = "127.0.0.1", port: Int = 8080, publicURL: String? = nil, certificate: Certificate? = nil,
        allowsClearText: Bool = false, trustedProxies: Set<String> = [], limits: HTTPLimits = .init(),
        rateLimit: RateLimit? = nil, appRateLimit: RateLimit? = nil, metricsToken: String? = nil,
        moreMetrics: (@Sendable () async -> String)? = nil,
        onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.publicURL = publicURL
        self.certificate = certificate
        self.allowsClearText = allowsClearText
        self.trustedProxies = trustedProxies
        self.limits = limits
        self.rateLimit = rateLimit
        self.appRateLimit = appRateLimit
        self.metricsToken = metricsToken
        self.moreMetrics = moreMetrics
        self.onServerRunning = onServerRunning
    }
}
