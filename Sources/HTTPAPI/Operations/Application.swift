import HTTPLimits
public import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
public import Logging
import NIOCore
public import TenureServer

/// Builds the HTTP API as a service that runs until it is shut down gracefully.
///
/// - Throws: ``HTTPConfigurationError`` if the configuration is not permitted.
public func makeApplication(
    service: some UseCaseRunner, configuration: HTTPConfiguration, logger: Logger
) throws -> some ApplicationProtocol {
    try makeApplication(
        service: service, configuration: configuration, table: ConnectionTable(limits: configuration.connections),
        logger: logger)
}

/// Builds the HTTP API with a table of connections.
func makeApplication(
    service: some UseCaseRunner, configuration: HTTPConfiguration, table: ConnectionTable, logger: Logger
) throws -> some ApplicationProtocol {
    try configuration.validate()
    let responder = APIResponder(service: service, configuration: configuration, table: table, logger: logger)
    return Application(
        responder: responder,
        server: try server(configuration, table, responder.security),
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
}

private func server(
    _ configuration: HTTPConfiguration, _ table: ConnectionTable, _ security: SecurityHeaders
) throws(HTTPConfigurationError) -> HTTPServerBuilder {
    let limits = configuration.limits
    let idle = configuration.connections.idleTimeout
    let publicURL = configuration.publicURL ?? ""
    let http1 = HTTP1Channel.Configuration(
        additionalChannelHandlers: [
            ClientDeparture(), ExchangeHandler(table: table),
            ParserRefusal(publicURL: publicURL, security: security),
        ], idleTimeout: TimeAmount(idle),
        httpDecoderConfiguration: .init(
            maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
            maxHeaderFieldCount: limits.headerFields))
    let proxies = configuration.trustedProxies
    guard let certificate = configuration.certificate else {
        return HTTPServerBuilder { responder in
            BoundedChannel(
                base: HTTP1Channel(responder: responder, configuration: http1), table: table, trustedProxies: proxies)
        }
    }
    do {
        let tls = try ServerTLS.configuration(chainFile: certificate.chainFile, keyFile: certificate.keyFile)
        let http2 = HTTP2UpgradeChannel.Configuration(idleTimeout: idle, streamConfiguration: http1)
        return HTTPServerBuilder { responder in
            BoundedChannel(
                base: try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: http2, responder: responder),
                table: table, trustedProxies: proxies)
        }
    } catch {
        throw HTTPConfigurationError(code: .certificateUnreadable)
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
