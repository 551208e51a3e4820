import Credentials
import Foundation
import IdentityService
import Keys
import Logging
import Postgres
import ServiceLifecycle
import TenureServer

/// The whole service but for HTTP, sized as `tenure serve` sizes it.
struct BenchService: Sendable {
    private let cluster: Cluster
    private let database: String
    private let masters: MasterKeys
    private let mpinKeys: (any MPinKeySource)?
    private let publicURL: String?

    /// - Parameters:
    ///   - mpinKeys: Where key shares of M-Pin come from; without it M-Pin is not offered.
    ///   - publicURL: The public URL; `nil` for that of the settings.
    init(
        _ cluster: Cluster, _ database: String, _ masters: MasterKeys, mpinKeys: (any MPinKeySource)? = nil,
        publicURL: String? = nil
    ) {
        self.mpinKeys = mpinKeys
        self.publicURL = publicURL
        self.cluster = cluster
        self.database = database
        self.masters = masters
    }

    /// Runs it beside `body`.
    func run<Result: Sendable>(_ body: (ServiceAssembly) async throws -> Result) async throws -> Result {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        var configuration = ServiceAssembly.Configuration(
            application: try cluster.configuration(database, as: "tenure_app"),
            reader: try cluster.configuration(database, as: "tenure_reader"), masters: masters,
            computeThreads: threads, computeWaiting: max(64, threads * 16))
        let key = try OperatorKey(privateBytes: [UInt8](repeating: 7, count: 32))
        configuration.makeOperatorKey = { NewOperatorKey(key.publicKey) {} }
        configuration.operatorSigner = OperatorKeySource { key }
        configuration.mpinKeys = mpinKeys
        if let publicURL { configuration.settings.tokenIssuer = publicURL }
        let assembly = try await ServiceAssembly(configuration, logger: Cluster.logger)
        let group = ServiceGroup(services: assembly.services, logger: Cluster.logger)
        let running = Task { try await group.run() }
        do {
            let result = try await body(assembly)
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
