import Dispatch
package import HTTPLimits
import HTTPTypes
package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore

#if TLS
import HummingbirdTLS
#endif

/// The configuration of a D-TA's server.
package struct MPinAuthorityConfiguration: Sendable {
    /// The address to bind.
    package var host: String
    /// The port to bind. 0 binds a free port, which ``onServerRunning`` receives.
    package var port: Int
    /// The certificate. If set, the server speaks TLS 1.2 or later. The caller runs it, so that it is renewed.
    package var certificate: ServerCertificate?
    /// Whether clear text is permitted beyond loopback, because a proxy in front terminates TLS.
    package var allowsClearText: Bool
    package var connections: ConnectionLimits
    /// The networks of the proxies in front, to which the limits of one address do not apply.
    package var trustedProxies: TrustedNetworks
    /// Receives the bound port once the server accepts connections.
    package var onServerRunning: @Sendable (Int) async -> Void

    /// The limits of a D-TA: 512 connections, 128 of one address, 30 seconds of idleness, and 10 seconds for a body.
    package static let usualConnections = ConnectionLimits(
        connections: 512, connectionsPerAddress: 128, idleTimeout: .seconds(30))

    /// Describes a configuration. The defaults serve clear text on loopback.
    package init(
        host: String = "127.0.0.1", port: Int = 8001, certificate: ServerCertificate? = nil,
        allowsClearText: Bool = false, connections: ConnectionLimits = Self.usualConnections,
        trustedProxies: TrustedNetworks = .none,
        onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.certificate = certificate
        self.allowsClearText = allowsClearText
        self.connections = connections
        self.trustedProxies = trustedProxies
        self.onServerRunning = onServerRunning
    }

    /// Whether the bound address is reachable from this machine only.
    private var bindsLoopback: Bool { LoopbackName.matches(host) }

    /// Throws if shares would leave the machine in clear text without permission.
    func validate() throws(MPinAuthorityError) {
        guard TLSBuild.isEnabled || bindsLoopback else {
            throw MPinAuthorityError(
                .clearTextBeyondLoopback, "\(TLSBuild.reason), so it serves on loopback only", remedy: TLSBuild.remedy)
        }
        guard certificate != nil || bindsLoopback || allowsClearText else {
            throw MPinAuthorityError(
                .clearTextBeyondLoopback, "key shares would be sent in clear text on \(host)",
                remedy: """
                    Pass --certificate and --certificate-key, or --clear-text-allowed behind a proxy that terminates \
                    TLS.
                    """)
        }
    }
}

/// Builds the server of a D-TA as a service that runs until it is shut down gracefully.
///
/// It writes no line for a request, because queries are signed requests.
///
/// - Throws: ``MPinAuthorityError`` if the configuration is not permitted.
package func makeMPinAuthorityApplication(
    issuer: MPinKeyIssuer, configuration: MPinAuthorityConfiguration, logger: Logger
) throws -> some ApplicationProtocol {
    try configuration.validate()
    let table = ConnectionTable(limits: configuration.connections)
    return Application(
        responder: MPinAuthorityResponder(issuer: issuer),
        server: serverBuilder(configuration, table),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port),
            availableConnectionsDelegate: .maximum(configuration.connections.connections, logger: logger)),
        onServerRunning: { channel in
            ConnectionSweeper(table: table).start(with: channel)
            if let port = channel.localAddress?.port { await configuration.onServerRunning(port) }
        },
        logger: logger)
}

private func serverBuilder(
    _ configuration: MPinAuthorityConfiguration, _ table: ConnectionTable
) -> HTTPServerBuilder {
    let http = HTTP1Channel.Configuration(
        additionalChannelHandlers: [HTTP1Gate(largestBody: 0), ExchangeHandler(table: table)],
        idleTimeout: TimeAmount(configuration.connections.idleTimeout),
        httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 8_192, maxHeaderListSize: 8_192, maxHeaderFieldCount: 64))
    let proxies = configuration.trustedProxies, certificate = configuration.certificate
    return HTTPServerBuilder { responder in
        let base = HTTP1Channel(responder: responder, configuration: http)
        #if TLS
        if let certificate {
            return BoundedChannel(
                base: try TLSChannel(base, tlsConfiguration: certificate.configuration), table: table,
                trustedProxies: proxies)
        }
        #endif
        return BoundedChannel(base: base, table: table, trustedProxies: proxies)
    }
}

/// Responds to every request with the answer of the issuer. It never throws and ignores bodies.
struct MPinAuthorityResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let issuer: MPinKeyIssuer
    /// Answers wait for the disk, which is not allowed on the threads of tasks.
    private let queue = DispatchQueue(label: "tenure.mpin-authority")

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let method = request.method.rawValue, target = request.head.path ?? ""
        let answer = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: issuer.answer(method: method, target: target)) }
        }
        let fields: HTTPFields = [
            .contentType: "application/json", .cacheControl: "no-store", .contentLength: String(answer.body.count),
            .xContentTypeOptions: "nosniff",
        ]
        let body = request.method == .head ? [] : answer.body
        return Response(
            status: .init(code: answer.status), headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
