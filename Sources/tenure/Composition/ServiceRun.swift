import HTTPAPI
import IdentityService
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs the service until it is asked to stop or a part of it fails.
enum ServiceRun {
    /// How long requests that are under way may take once a stop is asked for.
    static let patience: Duration = .seconds(15)

    /// - Parameters:
    ///   - parts: What to serve.
    ///   - logger: The process's log.
    ///   - companion: Makes a further service; it is told the port once connections are accepted.
    static func run(
        _ parts: ServiceParts, logger: Logger, companion: (AsyncStream<Int>, OperatorCommands) -> any Service
    ) async throws {
        let (ports, told) = AsyncStream<Int>.makeStream()
        var http = parts.http
        http.onServerRunning = { port in
            told.yield(port)
            told.finish()
        }
        let assembly = try await ServiceAssembly(parts.assembly, logger: logger)
        http.moreMetrics = assembly.metrics
        for weakness in assembly.durability.weaknesses where weakness.losesEvents {
            logger.warning("\(weakness.setting) is off: \(weakness.consequence)")
        }
        let application = try makeApplication(service: assembly.service, configuration: http, logger: logger)
        // Stopped in the opposite order: first no new requests, at last the database.
        let services = assembly.services + [application, companion(ports, assembly.commands)]
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = patience
        try await ServiceGroup(configuration: configuration).run()
    }
}
