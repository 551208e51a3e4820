import Dispatch
import HTTPTypes
public import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore

/// The configuration of a D-TA's server.
public struct MPinAuthorityConfiguration: Sendable {
    /// A certificate chain and its private key, as PEM files.
    public struct Certificate: Sendable {
        /// The file with the certificate chain, the server's own first.
        public var chainFile: String
        /// The file with the private key.
        public var keyFile: String

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
    /// The certificate. If set, the server speaks TLS 1.2 or later.
    public var certificate: Certificate?
    /// Whether clear text is permitted beyond loopback, because a proxy in front terminates TLS.
    public var allowsClearText: Bool
    /// Receives the bound port once the server accepts connections.
    public var onServerRunning: @Sendable (Int) async -> Void

    /// Describes a configuration. The defaults serve clear text on loopback.
    public init(
        host: String = "127.0.0.1", port: Int = 8001, certificate: Certificate? = nil, allowsClearText: Bool = false,
        onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.certificate = certificate
        self.allowsClearText = allowsClearText
        self.onServerRunning = onServerRunning
    }

    /// Whether the bound address is reachable from this machine only.
    private var bindsLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Throws if shares would leave the machine in clear text without permission.
    func validate() throws(MPinAuthorityError) {
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
public func makeMPinAuthorityApplication(
    issuer: MPinKeyIssuer, configuration: MPinAuthorityConfiguration, logger: Logger
) throws -> some ApplicationProtocol {
    try configuration.validate()
    return Application(
        responder: MPinAuthorityResponder(issuer: issuer),
        server: try serverBuilder(configuration),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port),
            availableConnectionsDelegate: .maximum(512, logger: logger)),
        onServerRunning: { channel in
            if let port = channel.localAddress?.port { await configuration.onServerRunning(port) }
        },
        logger: logger)
}

private func serverBuilder(
    _ configuration: MPinAuthorityConfiguration
) throws(MPinAuthorityError) -> HTTPServerBuilder {
    let http = HTTPServerBuilder.http1(
        configuration: HTTP1Channel.Configuration(
            idleTimeout: .seconds(30),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 8_192, maxHeaderListSize: 8_192, maxHeaderFieldCount: 64)))
    guard let certificate = configuration.certificate else { return http }
    do {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.chainFile).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyFile, format: .pem)))
        tls.minimumTLSVersion = .tlsv12
        return try .tls(http, tlsConfiguration: tls)
    } catch {
        throw MPinAuthorityError(
            .certificateUnreadable, "the certificate or its key cannot be read",
            remedy: "Both are PEM files: \(certificate.chainFile) and \(certificate.keyFile).")
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
