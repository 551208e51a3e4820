import Foundation
import Synchronization
import Testing
import TestSupport

/// An instance of the service that reaches the database through a proxy of its own, so that a test can cut it off.
///
/// Cut off for good it is what a killed process is to the database and to other instances.
final class MortalInstance: Sendable {
    /// The app's view of the instance.
    let client: Client
    private let proxy: CuttingProxy
    private let isServing = Mutex(true)
    private let run: Task<Void, any Error>
    private let end: AsyncStream<Void>.Continuation

    private init(
        _ client: Client, _ proxy: CuttingProxy, _ run: Task<Void, any Error>, _ end: AsyncStream<Void>.Continuation
    ) {
        self.client = client
        self.proxy = proxy
        self.run = run
        self.end = end
    }

    /// Starts an instance on the database and with the keys of a world.
    static func start(
        in world: TenureWorld, _ change: @escaping @Sendable (inout WorldOptions) -> Void
    ) async throws -> MortalInstance {
        let proxy = try CuttingProxy(url: world.database.url, .before, count: 0)
        let (urls, told) = AsyncStream<URL>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let run = Task {
            defer { told.finish() }
            try await world.withSecondInstance(through: proxy.url, changing: change) { url in
                told.yield(url)
                for await _ in ends {}
            }
        }
        guard let url = await urls.first(where: { _ in true }) else {
            proxy.stop()
            try await run.value
            throw TestServerError(description: "an instance did not start")
        }
        return MortalInstance(try Client(url, world.app), proxy, run, end)
    }

    /// Cuts every connection to the database. The instance opens new ones.
    func cutConnections() { proxy.cutConnections() }

    /// Cuts the instance off from the database for good, and lets it end.
    func kill() {
        stopProxy()
        proxy.cutConnections()
        end.finish()
    }

    /// Ends the instance, or waits for the end of one that was killed.
    func ended() async {
        end.finish()
        _ = await run.result
        stopProxy()
    }

    private func stopProxy() {
        let isFirst = isServing.withLock { isServing in
            defer { isServing = false }
            return isServing
        }
        if isFirst { proxy.stop() }
    }
}
