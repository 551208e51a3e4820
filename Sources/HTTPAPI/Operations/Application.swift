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
    try configuration.validate()
    let responder = APIResponder(service: service, configuration: configuration, logger: logger)
    return Application(
        responder: responder,
        server: try server(configuration, responder.security),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port),
            availableConnectionsDelegate: .maximum(configuration.limits.connections, logger: logger)
        ),
        onServerRunning: { channel in
            if let port = channel.localAddress?.port { await configuration.onServerRunning(port) }
        },
        logger: logger
    )
}

private func server(
    _ configuration: HTTPConfiguration, _ security: SecurityHeaders
) throws(HTTPConfigurationError) -> HTTPServerBuilder {
    let limits = configuration.limits
    let idle = TimeAmount.nanoseconds(limits.idleTimeout.wholeNanoseconds)
    let publicURL = configuration.publicURL ?? ""
    let http1 = HTTP1Channel.Configuration(
        additionalChannelHandlers: [
            ClientDeparture(), ParserRefusal(publicURL: publicURL, security: security),
        ], idleTimeout: idle,
        httpDecoderConfiguration: .init(
            maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
            maxHeaderFieldCount: limits.headerFields))
    let counter = ConnectionCounter(limit: limits.connectionsPerAddress), proxies = configuration.trustedProxies
    guard let certificate = configuration.certificate else {
        return HTTPServerBuilder { responder in
            BoundedChannel(
                base: HTTP1Channel(responder: responder, configuration: http1), counter: counter,
                trustedProxies: proxies)
        }
    }
    do {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.chainFile).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyFile, format: .pem)))
        tls.minimumTLSVersion = .tlsv12
        let http2 = HTTP2UpgradeChannel.Configuration(idleTimeout: limits.idleTimeout, streamConfiguration: http1)
        return HTTPServerBuilder { [tls] responder in
            BoundedChannel(
                base: try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: http2, responder: responder),
                counter: counter, trustedProxies: proxies)
        }
    } catch {
        throw HTTPConfigurationError(code: .certificateUnreadable)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to 64 bits.
    var wholeNanoseconds: Int64 {
        let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : seconds &+ components.attoseconds / 1_000_000_000
    }

    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
