import Logging
import ServiceLifecycle
import TenureAPI
import TenureClient
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
    /// Hands the port over once the server runs.
    private func start(
        _ service: FakeService, _ work: @Sendable (Int, ServiceGroup) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let configuration = HTTPConfiguration(port: 0, onServerRunning: { port.yield($0) })
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = try makeApplication(service: service, configuration: configuration, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                try await work(port, group)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private func client(_ port: Int) -> TenureClient {
        TenureClient(
            baseURL: "http://127.0.0.1:\(port)",
            appCredentials: AppCredentials(appId: "app", secret: FakeService.secret),
            retries: RetryPolicy(attempts: 1))
    }

    @Test func `the bound port is told and the server ends when asked`() async throws {
        try await start(FakeService()) { port, _ in
            #expect(port > 0)
            let company = try await client(port).company("Acme")
            #expect(company.employees == 3)
        }
    }

    @Test func `a request in flight is answered before the server ends`() async throws {
        var service = FakeService()
        service.delay = .milliseconds(500)
        let recorder = service.recorder
        try await start(service) { port, group in
            async let company = client(port).company("Acme")
            while await recorder.work.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            await group.triggerGracefulShutdown()
            let name = try await company.companyName
            #expect(name == "Acme")
        }
    }
}
