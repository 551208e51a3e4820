import Canonical
import ErrorCodes
import Logging
@testable import Postgres
import Synchronization
import Testing
import TestSupport
@testable import IdentityService

struct ReadinessTests {
    private final class Probe: Sendable {
        let asked = Mutex(0)
        let time: Mutex<ContinuousClock.Instant>
        let fails = Mutex(false)

        init(_ start: ContinuousClock.Instant) { time = Mutex(start) }

        func pass(_ duration: Duration) { time.withLock { $0 += duration } }

        var readiness: Readiness {
            Readiness(now: { self.time.withLock { $0 } }) {
                self.asked.withLock { $0 += 1 }
                if self.fails.withLock({ $0 }) { throw ServiceError(.serviceUnavailable) }
                return ReadinessReport()
            }
        }
    }

    @Test func `a readiness answer is reused for a moment`() async {
        let probe = Probe(.now), readiness = probe.readiness
        for _ in 0..<100 { #expect(await readiness.report() == ReadinessReport()) }
        #expect(probe.asked.withLock { $0 } == 1)
        probe.pass(Readiness.age - .milliseconds(1))
        _ = await readiness.report()
        #expect(probe.asked.withLock { $0 } == 1)
        probe.pass(.milliseconds(1))
        probe.fails.withLock { $0 = true }
        #expect(await readiness.report().missing == ["the database does not answer"])
        #expect(probe.asked.withLock { $0 } == 2)
    }

    @Test func `concurrent readiness calls share one check`() async {
        let probe = Probe(.now), readiness = probe.readiness
        await withTaskGroup(of: ReadinessReport.self) { group in
            for _ in 0..<50 { group.addTask { await readiness.report() } }
            for await report in group { #expect(report.missing.isEmpty) }
        }
        #expect(probe.asked.withLock { $0 } == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a question that hangs is answered for, and no other begins before it ends`() async {
        let asked = Mutex(0), (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let readiness = Readiness(patience: .milliseconds(20)) {
            asked.withLock { $0 += 1 }
            // Like a silent server, it does not end because somebody stops waiting.
            for await _ in gate { break }
            return ReadinessReport()
        }
        for _ in 0..<3 {
            #expect(await readiness.report().missing == ["the database does not answer"])
        }
        opener.yield()
        opener.finish()
        while await !readiness.report().missing.isEmpty { await Task.yield() }
        #expect(asked.withLock { $0 } <= 2)
    }

    @Test func `a change is reported within a second`() {
        #expect(Readiness.age + Readiness.patience < .seconds(1))
        #expect(Readiness.connectionPatience < Readiness.patience)
    }

    @Test func `a server that is behind is named as the reason`() async {
        let readiness = Readiness { throw PostgresError(.serverBehind, "the database server is behind") }
        #expect(await readiness.report().missing == ["the database server is behind"])
    }
}

/// The gauge of the settings that decide whether a crash loses anything.
@Suite struct DurabilityWatchTests {
    @Test func `each setting is a gauge of its own`() {
        let durability = Durability(fsync: true, synchronousCommit: "off", fullPageWrites: false)
        let lines = durability.metrics.split(separator: "\n").map(String.init)
        #expect(
            lines.filter { !$0.hasPrefix("#") } == [
                "tenure_database_durable{setting=\"fsync\"} 1",
                "tenure_database_durable{setting=\"full_page_writes\"} 0",
                "tenure_database_durable{setting=\"synchronous_commit\"} 0",
            ])
        #expect(durability.metrics.hasSuffix("\n"))
    }

    @Test(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
    func `a changed setting is seen at the next read`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(maximumConnections: 1) { pool in
                let now = try await Durability.read(pool)
                var then = now
                then.fsync.toggle()
                let watch = DurabilityWatch(pool: pool, known: then, logger: TestServer.logger())
                #expect(await watch.metrics() == then.metrics)
                await watch.look()
                #expect(await watch.metrics() == now.metrics)
            }
        }
    }
}

/// The clock of a service is compared with that of its database.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ReadinessClockTests {
    /// What is missing once the database has answered, which may take its time beside the whole suite.
    private func answer(_ readiness: Readiness) async -> [String] {
        while true {
            let missing = await readiness.report().missing
            if missing != ["the database does not answer"] { return missing }
            await Task.yield()
        }
    }

    @Test(arguments: [(ahead: 90, missing: 1), (30, 0), (-90, 0)])
    func `a service whose clock is more than a minute ahead of the database's is not ready`(
        ahead: Int, missing: Int
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader) { pool in
                let clock: @Sendable () -> Timestamp = { .now().adding(.seconds(ahead)) }
                let probe = ProbeMemory { [] }
                let strict = Readiness(pool: pool, now: clock, tolerance: .seconds(60), probe: probe) { [:] }
                #expect(await answer(strict).count == missing)
                let lenient = Readiness(pool: pool, now: clock, tolerance: nil, probe: probe) { [:] }
                #expect(await answer(lenient) == [])
            }
        }
    }
}
