package import Canonical
package import HTTPLimits
package import IdentityService

/// The configuration of the HTTP API.
package struct HTTPConfiguration: Sendable {
    /// A certificate and its private key, as PEM files.
    package struct Certificate: Sendable {
        /// The file with the certificate chain, the server's own first.
        package var chainFile: String
        package var keyFile: String
        /// The time after which both files are read again.
        package var pause: Duration = .seconds(60)

        /// Names the files of the certificate chain and the private key.
        package init(chainFile: String, keyFile: String) {
            self.chainFile = chainFile
            self.keyFile = keyFile
        }
    }

    /// The address to bind.
    package var host: String
    /// The port to bind. 0 binds a free port, which ``onServerRunning`` receives.
    package var port: Int
    /// The public origin of the service, without a trailing slash. Without it, links are relative.
    package var publicURL: String?
    /// The certificate. If set, the service speaks TLS 1.2 or later, with HTTP/1.1 and HTTP/2.
    package var certificate: Certificate?
    /// Whether clear text is permitted beyond loopback, because a proxy in front terminates TLS.
    package var allowsClearText: Bool
    /// The networks of the proxies whose `X-Forwarded-For` is trusted.
    package var trustedProxies: TrustedNetworks
    package var limits: RequestLimits
    package var connections: ConnectionLimits
    /// The rate limit of one address; `nil` for none. A read costs one token, a call that hashes up to ten.
    package var rateLimit: RateLimit?
    /// The rate limit of one app over all addresses; `nil` for none.
    package var appRateLimit: RateLimit?
    /// The rate limit of all employees of one tenant together, and of one app for one tenant; `nil` for none.
    package var companyRateLimit: RateLimit?
    /// Where `/metrics` is served; `nil` for nowhere.
    package var metrics: MetricsListener?
    /// Returns what this process has yet to prepare. While there is something, `/readyz` names it and answers 503.
    package var preparation: @Sendable () -> [String] = { [] }
    /// The mails to show under `/dev/mail`, on loopback only; `nil` for none.
    package var developmentMail: MailDirectory?
    /// Whether the pages for browsers are served.
    package var servesPages = false
    package var brand = Brand()
    /// The largest number of waiting pages of this process that are told of a decision at once. Those beyond ask again
    /// by themselves.
    package var waitingPages = 256
    /// Whether a page that is opened by another name of this machine is redirected to ``publicURL``. Browsers keep device
    /// keys and cookies for one name.
    package var sendsBrowsersToPublicURL = false
    /// The people of a development service, whom `/dev` shows on loopback only; `nil` for none.
    package var developmentPeople: (@Sendable () -> [DevelopmentPerson])?
    /// The clock that stamps the arrival of requests.
    package var now: @Sendable () -> Timestamp = { .now() }
    /// Receives the bound port once the server accepts connections.
    package var onServerRunning: @Sendable (Int) async -> Void

    /// Describes a configuration. The defaults serve clear text on loopback.
    package init(
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
    package var bindsLoopback: Bool { LoopbackName.matches(host) }

    /// The address that clients reach the service at: the public URL, or else the address that is bound.
    package var address: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return publicURL ?? "\(certificate == nil ? "http" : "https")://\(name):\(port)"
    }

    /// Throws if the configuration is not permitted.
    func validate() throws(HTTPConfigurationError) {
        guard TLSBuild.isEnabled || (bindsLoopback && metrics?.bindsLoopback != false) else {
            throw HTTPConfigurationError(code: .builtWithoutTLS)
        }
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
package struct HTTPConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable identifier of the reason. Later versions may add codes.
    package struct Code: Sendable, Hashable {
        /// The identifier, such as `http.public_url_invalid`.
        package let rawValue: String

        /// The service would serve clear text beyond loopback without permission.
        package static let clearTextBeyondLoopback = Code(rawValue: "http.clear_text_beyond_loopback")
        /// The program was built without TLS, and would serve beyond loopback.
        package static let builtWithoutTLS = Code(rawValue: "http.built_without_tls")
        /// The public URL is not an `http` or `https` origin.
        package static let publicURLInvalid = Code(rawValue: "http.public_url_invalid")
        /// The certificate or its key cannot be read.
        package static let certificateUnreadable = Code(rawValue: "http.certificate_unreadable")
        /// The key is not that of the certificate.
        package static let certificateMismatch = Code(rawValue: "http.certificate_mismatch")
        /// The metrics would be served beyond loopback to anyone.
        package static let metricsTokenMissing = Code(rawValue: "http.metrics_token_missing")
        /// Another program listens on the configured address of the metrics.
        package static let metricsAddressTaken = Code(rawValue: "http.metrics_address_taken")
        /// A limit is not positive.
        package static let limitInvalid = Code(rawValue: "http.limit_invalid")
    }

    package let code: Code

    package var description: String { code.rawValue }
}

/// The limits of one request.
package struct RequestLimits: Sendable {
    /// The maximum size of a body, in bytes.
    package var bodyBytes = 65_536
    /// The maximum total size of the header fields, in bytes. Heads beyond twice as much are not read to the end.
    package var headerBytes = 16_384
    /// The maximum number of header fields.
    package var headerFields = 64
}
