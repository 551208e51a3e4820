import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// The server crashes while two processes append.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"))
struct CrashTests {
    @Test func `after crashes of the server every append is recorded exactly once`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await TestDatabase.with(on: cluster.url) { database in
                let workers = try (0..<2).map { _ in
                    try ChildProcess(
                        "LedgerWorkerProcess",
                        [
                            "load", database.url, database.name, "start=\(Timestamp.now().microseconds)", "tasks=8",
                            "appends=60", "ledgers=6", "persist=1",
                        ])
                }
                for _ in 0..<3 {
                    try await Task.sleep(for: .milliseconds(500))
                    // A connection of our own is sacrificed; the server is not told which session broke it.
                    guard let victim = try? await database.connect(as: .superuser) else { continue }
                    cluster.crash(backend: victim.processID)
                }
                var acknowledged: [String] = []
                for worker in workers {
                    let (status, lines) = await worker.finish()
                    #expect(status == 0)
                    acknowledged += lines
                }
                #expect(Set(acknowledged).count == acknowledged.count)
                try await database.expectGapless(acknowledged: acknowledged)
                var connection = try await database.connect(as: .superuser)
                let count = try await connection.query("SELECT count(*) FROM tenure.event")
                // Nothing is there that nobody was told of: each worker persisted until it had its answer.
                #expect(try count.first?.decode(Int64.self) == Int64(acknowledged.count))
            }
        }
    }
}
