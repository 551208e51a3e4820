import Logging
import ServiceLifecycle
import Testing
@testable import HTTPAPI

/// The servers of the API with that of the metrics, each on a free port of loopback.
struct RunningServers: Sendable {
    let port: Int
    /// 0 if nobody waited for it.
    let metricsPort: Int
    let servers: HTTPServers

    /// Runs `body` while the servers run.
    ///
    /// - Throws: What `body` throws, or what a server ended with before.
    static func with<Value: Sendable>(
        _ service: FakeService = FakeService(), metrics: MetricsListener = MetricsListener(port: 0),
        certificate: HTTPConfiguration.Certificate? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, waitsForMetrics: Bool = true,
        _ body: @Sendable @escaping (RunningServers) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let (metricsPorts, metricsPort) = AsyncStream.makeStream(of: Int.self)
        var metrics = metrics
        metrics.onServerRunning = { metricsPort.yield($0) }
        let configuration = HTTPConfiguration(
            port: 0, certificate: certificate, metrics: metrics, onServerRunning: { port.yield($0) })
        let servers = try HTTPServers(service: service, configuration: configuration, logger: logger)
        let group = ServiceGroup(configuration: .init(services: servers.services, logger: logger))
        return try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask {
                try await group.run()
                return nil
            }
            tasks.addTask {
                guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
                let other = waitsForMetrics ? await metricsPorts.first { _ in true } : 0
                guard let other else { throw CancellationError() }
                return try await body(RunningServers(port: port, metricsPort: other, servers: servers))
            }
            var value: Value?
            while let next = try await tasks.next() {
                guard let next else { continue }
                value = next
                await group.triggerGracefulShutdown()
            }
            return try #require(value)
        }
    }

    /// Sends a request to the server for callers, and gives back all that came.
    func send(_ method: String, _ path: String, body: String? = nil) async throws -> String {
        var fields = ["Host: x", "Authorization: \(API.basic)", "Connection: close"]
        if let body { fields += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        let head = (["\(method) \(path) HTTP/1.1"] + fields + ["", ""]).joined(separator: "\r\n")
        return try await RawConnection(port: port).exchange([head + (body ?? "")]).text
    }
}
