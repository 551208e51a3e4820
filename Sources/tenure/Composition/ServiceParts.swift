import Foundation
import HTTPAPI
import IdentityService
import Keys
import Postgres

/// Everything that `tenure serve` reads from its settings.
struct ServiceParts: Sendable {
    var assembly: ServiceAssembly.Configuration
    var http: HTTPConfiguration

    /// Reads the settings of a service in production. Nothing secret has a default.
    init(_ settings: Settings) throws {
        let url = { (name: Settings.Name) in try PostgresConfiguration(url: try settings.required(name)) }
        assembly = Self.assembly(
            application: try url(.databaseUrl), reader: try url(.readerDatabaseUrl),
            masters: try settings.masterKeyStore(),
            issuer: settings.text(.issuer))
        assembly.anchorFile = settings.text(.anchorFile)
        let hours = try settings.number(.sessionHours, in: 1...8_760, default: 24)
        assembly.settings.sessionLifetime = .seconds(hours * 3_600)
        assembly.maximumConnections = try settings.number(
            .databaseConnections, in: 4...1_000, default: assembly.maximumConnections)
        http = HTTPConfiguration(
            host: settings.text(.listenHost) ?? "127.0.0.1",
            port: try settings.number(.listenPort, in: 0...65_535, default: 8080),
            publicURL: settings.text(.publicUrl), certificate: try Self.certificate(settings),
            allowsClearText: try settings.flag(.clearTextAllowed),
            trustedProxies: Set(settings.list(.trustedProxies)), rateLimit: RateLimit(perSecond: 50, burst: 200),
            appRateLimit: RateLimit(perSecond: 500, burst: 2_000), metricsToken: settings.text(.metricsToken))
    }

    /// The parts of a development service: a private cluster, clear text on loopback.
    init(cluster: ClusterLayout, masters: MasterKeyStore, port: Int) throws {
        let application = try PostgresConfiguration(url: cluster.url(role: "tenure_app"))
        assembly = Self.assembly(
            application: application, reader: application.with(user: "tenure_reader"), masters: masters, issuer: nil)
        http = HTTPConfiguration(port: port)
    }

    private static func assembly(
        application: PostgresConfiguration, reader: PostgresConfiguration, masters: MasterKeyStore, issuer: String?
    ) -> ServiceAssembly.Configuration {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        return ServiceAssembly.Configuration(
            application: application, reader: reader, masters: masters,
            settings: issuer.map { ServiceSettings(issuer: $0) } ?? ServiceSettings(), computeThreads: threads,
            computeWaiting: threads * 16)
    }

    private static func certificate(_ settings: Settings) throws -> HTTPConfiguration.Certificate? {
        switch (settings.text(.tlsCertificateFile), settings.text(.tlsKeyFile)) {
        case (nil, nil): return nil
        case (let chain?, let key?): return HTTPConfiguration.Certificate(chainFile: chain, keyFile: key)
        default:
            throw CommandFailure(
                .usage, "a certificate and its key belong together",
                remedy: "Set both TENURE_TLS_CERTIFICATE_FILE and TENURE_TLS_KEY_FILE.")
        }
    }
}
