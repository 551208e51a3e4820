import HTTPLimits
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
package import TenureServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The address where `/metrics` is served, in clear text.
package struct MetricsListener: Sendable {
    /// The address to bind.
    package var host: String
    /// The port to bind. 0 binds a free port, which ``onServerRunning`` receives.
    package var port: Int
    /// The `Bearer` token that a caller beyond loopback needs.
    package var token: String?
    /// Whether the service does without metrics if another program listens there.
    package var isOptional: Bool
    /// The parts of the metrics beside those of the server itself.
    package var sections: [MetricSection]
    /// Receives the bound port once the server accepts connections.
    package var onServerRunning: @Sendable (Int) async -> Void

    /// The port that is usual for metrics of one process.
    package static let usualPort = 9_464

    /// Describes a listener. The defaults serve on loopback, if nobody else does.
    package init(
        host: String = "127.0.0.1", port: Int = usualPort, token: String? = nil, isOptional: Bool = true,
        sections: [MetricSection] = [], onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.token = token
        self.isOptional = isOptional
        self.sections = sections
        self.onServerRunning = onServerRunning
    }

    /// Whether the bound address is reachable from this machine only.
    package var bindsLoopback: Bool { LoopbackName.matches(host) }

    /// The address of the metrics as callers of this machine reach it.
    package var url: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/metrics" }
}

/// Serves `/metrics` and nothing else, apart from the callers of the API: it answers when they take every connection.
struct MetricsServer: Service {
    /// Few ask. Each of them has a place also when others do not read.
    private static let limits = ConnectionLimits(
        connections: 64, connectionsPerAddress: 16, idleTimeout: .seconds(60), bodyTimeout: .seconds(5))

    private let listener: MetricsListener
    private let responder: MetricsResponder
    private let logger: Logger

    init(_ listener: MetricsListener, metrics: ServerMetrics, logger: Logger) {
        self.listener = listener
        self.logger = logger
        let table = ConnectionTable(limits: Self.limits)
        responder = MetricsResponder(
            token: listener.token.map { Array($0.utf8) }, metrics: metrics,
            collector: MetricsCollector(listener.sections), table: table)
    }

    func run() async throws {
        do { try await application.run() } catch let error as IOError where error.errnoCode == EADDRINUSE {
            guard listener.isOptional else { throw HTTPConfigurationError(code: .metricsAddressTaken) }
            logger.warning(
                "metrics are not served: another program listens on their address; set TENURE_METRICS_LISTEN",
                metadata: ["address": "\(listener.url)"])
            try? await gracefulShutdown()
        }
    }

    private var application: some ApplicationProtocol {
        let table = responder.table, listener = listener
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [HTTP1Gate(largestBody: 0), ExchangeHandler(table: table)],
            idleTimeout: TimeAmount(table.limits.idleTimeout))
        // An address that is taken is told once, here.
        var quiet = logger
        quiet.logLevel = .critical
        return Application(
            responder: responder,
            server: HTTPServerBuilder { responder in
                BoundedChannel(base: HTTP1Channel(responder: responder, configuration: http), table: table)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(listener.host, port: listener.port),
                availableConnectionsDelegate: .maximum(table.limits.connections, logger: quiet)),
            onServerRunning: { channel in
                ConnectionSweeper(table: table).start(with: channel)
                if let port = channel.localAddress?.port { await listener.onServerRunning(port) }
            },
            logger: quiet)
    }
}

/// Responds with the metrics to whoever may see them. It never throws and ignores bodies.
struct MetricsResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let token: [UInt8]?
    let metrics: ServerMetrics
    let collector: MetricsCollector
    let table: ConnectionTable

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let isRead = request.method == .get || request.method == .head
        let (status, text): (HTTPResponse.Status, String) =
            if RequestTarget(request.head.path ?? "")?.rawPath != "/metrics" {
                (.notFound, "Only /metrics is served here.\n")
            } else if !isRead {
                (.methodNotAllowed, "Only GET and HEAD are served here.\n")
            } else if !isPermitted(request, context) {
                (.forbidden, "Ask from this machine by its own name, or with the token of TENURE_METRICS_TOKEN.\n")
            } else {
                (.ok, await metrics.text() + collector.text())
            }
        let buffer = ByteBuffer(string: text)
        var fields: HTTPFields = [
            .contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store",
            .contentLength: String(buffer.readableBytes), .xContentTypeOptions: "nosniff",
        ]
        if status == .methodNotAllowed { fields[.allow] = "GET, HEAD" }
        let body =
            request.method == .head
            ? ResponseBody() : await table.body(of: buffer, isShared: false, on: context.channel)
        return Response(status: status, headers: fields, body: body)
    }

    /// Whether the caller is on this machine, without a proxy and by a name of this machine, or has the token.
    private func isPermitted(_ request: Request, _ context: ConnectionContext) -> Bool {
        let headers = RequestHeaders(fields: request.headers)
        if let token, case .bearer(let presented) = headers.credentials {
            return ConstantTime.equal(token, Array(presented.utf8))
        }
        let isHere = (try? RequestAuthority(request.head))?.isLoopback ?? false
        return isHere && ClientAddress.isLoopback(peer: context.peer, headers: headers)
    }
}
