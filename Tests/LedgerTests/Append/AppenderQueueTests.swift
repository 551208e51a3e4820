import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// An appender that does not run yet: what happens to those who wait. Needs no database.
@Suite struct AppenderQueueTests {
    private func appender(maximumWaiting: Int) throws -> Appender {
        var configuration = Appender.Configuration()
        configuration.maximumWaiting = maximumWaiting
        let nowhere = try PostgresConfiguration(url: "postgresql://nobody@/none?host=/nonexistent")
        let pool = PostgresPool(configuration: nowhere, maximumConnections: 1, logger: TestServer.logger())
        return Appender(pool: pool, configuration: configuration, logger: TestServer.logger())
    }

    private func code(_ task: Task<Appended, any Error>) async -> LedgerError.Code? {
        do {
            _ = try await task.value
            return nil
        } catch { return (error as? LedgerError)?.code }
    }

    @Test func `a caller that finds too many waiting is refused at once`() async throws {
        let appender = try appender(maximumWaiting: 2)
        let waiting = (0..<2).map { _ in Task { try await appender.append(.test(.test())) as Appended } }
        while await appender.waitingCount < 2 { await Task.yield() }
        let error = await #expect(throws: LedgerError.self) { try await appender.append(.test(.test())) }
        #expect(error?.code == .busy)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await code(task) == .cancelled) }
        #expect(await appender.waitingCount == 0)
    }

    @Test func `one that is cancelled before or while it waits is taken back`() async throws {
        let appender = try appender(maximumWaiting: 2)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await appender.append(.test(.test())) as Appended
        }
        #expect(await code(early) == .cancelled)
        #expect(await appender.waitingCount == 0)
    }

    @Test func `those who wait are refused when the database cannot be reached`() async throws {
        let appender = try appender(maximumWaiting: 10)
        let waiting = Task { try await appender.append(.test(.test())) as Appended }
        while await appender.waitingCount < 1 { await Task.yield() }
        let running = Task { try await appender.run() }
        running.cancel()
        #expect(await code(waiting) == .unavailable)
        try await running.value
    }
}
