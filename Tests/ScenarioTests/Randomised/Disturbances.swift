import Foundation
import Postgres
import TestSupport

/// What is broken on purpose during a randomised run, one thing after the other.
struct Disturbances: Sendable {
    let cluster: ThrowawayCluster
    let world: TenureWorld
    let crowd: Crowd
    /// Before the server; the first process goes through it.
    let proxy: CuttingProxy

    /// Breaks something and returns when the server answers again; the processes may take longer.
    func take(_ disturbance: PlannedDisturbance) async throws {
        switch disturbance.kind {
        case .processKilled:
            let next = try await crowd.process(disturbance.number).replaced()
            await crowd.replace(disturbance.number, by: next)
        case .sessionsEnded: try await endSessions(disturbance.number)
        case .connectionsCut: proxy.cutConnections()
        case .commitLost: proxy.cutNext(.before, count: 1 + disturbance.number % 2)
        case .answerLost: proxy.cutNext(.after, count: 1 + disturbance.number % 2)
        case .backendKilled: try await killBackend()
        case .serverStopped: try await cluster.crash(.stopped)
        case .serverKilled: try await cluster.crash(.killed)
        }
        await crowd.count("\(disturbance.kind)")
    }

    /// Some of the sessions at the server; which of them follows from the number as far as sessions are the same.
    private func endSessions(_ number: Int) async throws {
        let name = world.database.name, salt = String(number)
        try await world.superuser { connection in
            _ = try await connection.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = \(name) AND pid <> pg_backend_pid()
                ORDER BY md5(row_number() OVER (ORDER BY backend_start) || \(salt)) LIMIT 5
                """)
        }
    }

    /// A connection of our own is sacrificed; the server is not told which session broke its shared memory.
    private func killBackend() async throws {
        let victim = try await world.database.connect(as: .superuser)
        let before = try await writer()
        cluster.crash(backend: victim.processID)
        for _ in 0..<1_200 {
            if let now = try? await writer(), now != before { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TestServerError(description: "the server did not notice that it was broken")
    }

    /// The process that writes checkpoints: another one after every recovery.
    private func writer() async throws -> Int32? {
        try await world.superuser { connection in
            try await connection.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'").first?
                .decode(Int32.self)
        }
    }

    /// Ends all damage and waits until both processes serve again, which they must do by themselves.
    func end() async throws {
        proxy.cutNext(.before, count: 0)
        for number in 0..<2 {
            let client = await crowd.client(number)
            var isReady = false
            for _ in 0..<600 where !isReady {
                let reply = try? await client.send(HTTPRequest("GET", "/readyz"))
                isReady = reply?.status == 200
                if !isReady { try await Task.sleep(for: .milliseconds(100)) }
            }
            guard isReady else { throw TestServerError(description: "process \(number) did not come back") }
        }
    }
}
