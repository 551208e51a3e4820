public import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
public import IdentityService
public import Logging
import NIOCore

/// Makes the API as a service that runs until it is shut down gracefully.
///
/// - Throws: ``HTTPConfigurationError`` when the configuration cannot be served.
public func makeApplication(
    service: some TenureService, configuration: HTTPConfiguration, logger: Logger
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
        additionalChannelHandlers: [ParserRefusal(publicURL: publicURL, security: security)], idleTimeout: idle,
        httpDecoderConfiguration: .init(
            maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
            maxHeaderFieldCount: limits.headerFields))
    guard let certificate = configuration.certificate else { return .http1(configuration: http1) }
    do {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.chainFile).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyFile, format: .pem)))
        tls.minimumTLSVersion = .tlsv12
        return try .http2Upgrade(
            tlsConfiguration: tls, configuration: .init(idleTimeout: limits.idleTimeout, streamConfiguration: http1))
    } catch {
        throw HTTPConfigurationError(code: .certificateUnreadable)
    }
}

extension Duration {
    /// The duration in nanoseconds, at most as many as 64 bits hold.
    var wholeNanoseconds: Int64 {
        let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : seconds &+ components.attoseconds / 1_000_000_000
    }

    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
