import Credentials
import Foundation
import HTTPAPI
import Hummingbird
import IdentityService
import Keys
import Logging
import Postgres
import ServiceLifecycle
import TenureServer
import TestSupport

/// One process's worth of the service: everything that runs, and the port it listens on.
struct RunningInstance: Sendable {
    let baseURL: URL
    let commands: OperatorUseCases
    /// The service itself, for tests that set the time of a call.
    let service: any UseCaseRunner
    /// Closes the sessions of unlinked apps and revoked secrets, as the sweeper does from time to time.
    let closeEndedSessions: @Sendable () async throws -> Void
    /// What the process tells of itself.
    let metrics: @Sendable () async -> String
    /// The parts of it.
    let metricSections: [MetricSection]

    /// Runs `body` beside the service and stops the service afterwards.
    ///
    /// - Parameter proxy: The URL of a proxy through which the service reaches the database.
    static func with<Result>(
        _ database: TestDatabase, _ options: WorldOptions, _ masters: MasterKeyStore, _ log: CollectedLog,
        through proxy: String? = nil, _ body: (RunningInstance) async throws -> Result
    ) async throws -> Result {
        let logger = log.logger
        var parts = ServiceAssembly.Configuration(
            application: try configuration(of: database, as: .application, through: proxy),
            reader: try configuration(of: database, as: .reader, through: proxy), masters: masters,
            settings: options.settings,
            maximumConnections: 12, computeThreads: options.computeThreads,
            computeWaiting: options.computeWaiting)
        parts.makeOperatorKey = { NewOperatorKey(try TestOperator.key().publicKey) {} }
        parts.operatorSigner = OperatorKeySource(TestOperator.key)
        parts.mpinKeys = options.mpinKeys
        parts.mailTransport = options.mailTransport
        parts.anchorFile = options.anchorFile
        let assembly = try await ServiceAssembly(parts, logger: logger)
        let (ports, announce) = AsyncStream<Int>.makeStream()
        var configuration = HTTPConfiguration(
            port: 0, rateLimit: options.rateLimit, onServerRunning: { announce.yield($0) })
        configuration.now = options.settings.now
        configuration.servesPages = options.servesPages
        let application = try makeApplication(
            service: assembly.service, configuration: configuration, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: assembly.services.map { .init(service: $0) } + [.init(service: application)],
                logger: logger))
        let running = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next(), let url = URL(string: "http://127.0.0.1:\(port)") else {
            try await running.value
            throw TestServerError(description: "the service did not start")
        }
        do {
            let result = try await body(
                RunningInstance(
                    baseURL: url, commands: assembly.commands, service: assembly.service,
                    closeEndedSessions: assembly.closeEndedSessions, metrics: assembly.metrics,
                    metricSections: assembly.metricSections))
            await group.triggerGracefulShutdown()
            try await running.value
            return result
        } catch {
            await group.triggerGracefulShutdown()
            try? await running.value
            throw error
        }
    }

    private static func configuration(
        of database: TestDatabase, as role: TestDatabase.Role, through proxy: String?
    ) throws -> PostgresConfiguration {
        guard let proxy else { return database.configuration(as: role) }
        return try TestServer.configuration(url: proxy).with(database: database.name).with(user: role.rawValue)
    }
}

/// Everything that was logged, with metadata, so that tests can look for what must not be there.
///
/// `@unchecked Sendable`: the lines are read and written only while `lock` is held.
final class CollectedLog: @unchecked Sendable {
    private let lock = NSLock()
    private var collected: [String] = []

    /// The lines so far.
    var lines: [String] { lock.withLock { collected } }

    /// A logger that writes here, at every level.
    var logger: Logger {
        var logger = Logger(label: "tenure") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    fileprivate func add(_ line: String) { lock.withLock { collected.append(line) } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let error = event.error.map { " error=\($0)" } ?? ""
            log.add(
                "\(event.level) \(event.message)\(error) \(all.map { "\($0)=\($1)" }.sorted().joined(separator: " "))")
        }
    }
}
