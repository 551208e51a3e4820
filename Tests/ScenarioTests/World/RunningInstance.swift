import Foundation
import HTTPAPI
import Hummingbird
import IdentityService
import Keys
import Logging
import ServiceLifecycle
import TestSupport

/// One process's worth of the service: everything that runs, and the port it listens on.
struct RunningInstance: Sendable {
    let baseURL: URL
    let commands: OperatorCommands
    /// The service itself, for tests that set the time of a call.
    let service: any TenureService
    /// What the process tells of itself.
    let metrics: @Sendable () async -> String

    /// Runs `body` beside the service and stops the service afterwards.
    static func with<Result>(
        _ database: TestDatabase, _ options: WorldOptions, _ masters: MasterKeyStore, _ log: CollectedLog,
        _ body: (RunningInstance) async throws -> Result
    ) async throws -> Result {
        let logger = log.logger
        let assembly = try await ServiceAssembly(
            ServiceAssembly.Configuration(
                application: database.configuration(as: .application),
                reader: database.configuration(as: .reader), masters: masters, settings: options.settings,
                maximumConnections: 12, computeThreads: options.computeThreads,
                computeWaiting: options.computeWaiting), logger: logger)
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let application = try makeApplication(
            service: assembly.service,
            configuration: HTTPConfiguration(
                port: 0, rateLimit: options.rateLimit, onServerRunning: { announce.yield($0) }), logger: logger)
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
                    metrics: assembly.metrics))
            await group.triggerGracefulShutdown()
            try await running.value
            return result
        } catch {
            await group.triggerGracefulShutdown()
            try? await running.value
            throw error
        }
    }
}
