import HTTPLimits
package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
package import ServiceLifecycle
package import TenureServer

#if TLS
import HummingbirdHTTP2
#endif

/// The servers of the HTTP API: the one for callers, and the one for `/metrics` if it is configured.
package struct HTTPServers: Sendable {
    /// What runs, in the order of the start. The server for callers is the last, so that it stops first.
    package let services: [any Service]
    private let certificate: ServerCertificate?

    /// Builds the servers.
    ///
    /// - Throws: ``HTTPConfigurationError`` if the configuration is not permitted.
    package init(
        service: some UseCaseRunner, configuration: HTTPConfiguration, logger: Logger
    ) throws(HTTPConfigurationError) {
        let table = ConnectionTable(limits: configuration.connections)
        certificate = try configuration.serverCertificate(logger)
        let (application, responder) = try makeApplication(
            service: service, configuration: configuration, table: table, certificate: certificate, logger: logger)
        var services: [any Service] = certificate.map { [$0] } ?? []
        if let listener = configuration.metrics {
            let metrics = ServerMetrics(
                requests: responder.metrics, table: table, certificate: certificate, waiting: responder.waiting)
            services.append(MetricsServer(listener, metrics: metrics, logger: logger))
        }
        self.services = services + [application]
    }

    /// Reads the certificate again. Returns whether there is one.
    package func reload() -> Bool {
        certificate?.reload()
        return certificate != nil
    }
}

/// Builds the server for callers as a service that runs until it is shut down gracefully.
///
/// - Throws: ``HTTPConfigurationError`` if the configuration is not permitted.
package func makeApplication(
    service: some UseCaseRunner, configuration: HTTPConfiguration, logger: Logger
) throws -> some ApplicationProtocol {
    try makeApplication(
        service: service, configuration: configuration, table: ConnectionTable(limits: configuration.connections),
        logger: logger)
}

/// Builds the server for callers with a table of connections.
func makeApplication(
    service: some UseCaseRunner, configuration: HTTPConfiguration, table: ConnectionTable, logger: Logger
) throws -> some ApplicationProtocol {
    try makeApplication(
        service: service, configuration: configuration, table: table,
        certificate: configuration.serverCertificate(logger), logger: logger
    ).application
}

private func makeApplication(
    service: some UseCaseRunner, configuration: HTTPConfiguration, table: ConnectionTable,
    certificate: ServerCertificate?, logger: Logger
) throws(HTTPConfigurationError) -> (application: some ApplicationProtocol, responder: APIResponder) {
    try configuration.validate()
    let responder = APIResponder(service: service, configuration: configuration, table: table, logger: logger)
    let application = Application(
        responder: responder,
        server: server(configuration, table, certificate, responder.security),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port),
            availableConnectionsDelegate: .maximum(configuration.connections.connections, logger: logger)
        ),
        onServerRunning: { channel in
            ConnectionSweeper(table: table).start(with: channel)
            if let port = channel.localAddress?.port { await configuration.onServerRunning(port) }
        },
        logger: logger
    )
    return (application, responder)
}

private func server(
    _ configuration: HTTPConfiguration, _ table: ConnectionTable, _ certificate: ServerCertificate?,
    _ security: SecurityHeaders
) -> HTTPServerBuilder {
    let limits = configuration.limits
    let idle = configuration.connections.idleTimeout
    let publicURL = configuration.publicURL ?? "", brand = BrandAssets(configuration.brand)
    let http1 = HTTP1Channel.Configuration(
        additionalChannelHandlers: [
            HTTP1Gate(largestBody: limits.bodyBytes), ClientDeparture(), ExchangeHandler(table: table),
            ParserRefusal(
                publicURL: publicURL, security: security, servesPages: configuration.servesPages, brand: brand),
        ], idleTimeout: TimeAmount(idle),
        httpDecoderConfiguration: .init(
            // The parser reads more than is served, so that the refusal knows whether a browser waits for it.
            maxHeaderFieldSize: 2 * limits.headerBytes, maxHeaderListSize: 2 * limits.headerBytes,
            maxHeaderFieldCount: limits.headerFields))
    let proxies = configuration.trustedProxies
    #if TLS
    if let certificate {
        let http2 = HTTP2UpgradeChannel.Configuration(idleTimeout: idle, streamConfiguration: http1)
        return HTTPServerBuilder { responder in
            BoundedChannel(
                base: try HTTP2UpgradeChannel(
                    tlsConfiguration: certificate.configuration, configuration: http2, responder: responder),
                table: table, trustedProxies: proxies, defersClose: true)
        }
    }
    #endif
    return HTTPServerBuilder { responder in
        BoundedChannel(
            base: HTTP1Channel(responder: responder, configuration: http1), table: table, trustedProxies: proxies)
    }
}

extension HTTPConfiguration {
    /// The pair of the configured files; `nil` without files.
    func serverCertificate(_ logger: Logger) throws(HTTPConfigurationError) -> ServerCertificate? {
        guard let certificate else { return nil }
        do throws(ServerCertificateError) {
            return try ServerCertificate(
                chainFile: certificate.chainFile, keyFile: certificate.keyFile, pause: certificate.pause,
                logger: logger)
        } catch {
            let isMismatch = error.code == .mismatch
            throw HTTPConfigurationError(code: isMismatch ? .certificateMismatch : .certificateUnreadable)
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
