import Canonical
import FoundationEssentials
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SealCheckpointsTests {
    @Test func `a seal makes no work for the next one`() async throws {
        try await SealedLog.with { log in
            let reader = LedgerReader(pool: log.readerPool, storesTiles: false)
            let before = try await reader.head(.system)?.size
            for _ in 0..<3 {
                let anchor = try await SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer).run()
                #expect(anchor == nil)
            }
            #expect(try await reader.head(.system)?.size == before)
            let anchor = try #require(try await reader.checkpoint(.system))
            #expect(anchor == log.anchor.checkpoint)
            #expect(anchor.checkpoint.size == before)
        }
    }

    /// Four that seal at once, and writers: every checkpoint is recorded once, and nobody fails.
    @Test func `several processes seal without conflict and without duplicates`() async throws {
        try await SealedLog.with { log in
            async let growing: Void = SealedLog.append(log.appender, from: 300, count: 120)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<12 { try await log.seal() } }
                }
                try await group.waitForAll()
            }
            try await growing
            try await log.seal()
            let reader = LedgerReader(pool: log.readerPool, storesTiles: false)
            let events = try await reader.ledger(.system, limit: 1_000).events
            var recorded: [String] = []
            for event in events {
                guard case .array(let items)? = event.data["checkpoints"] else { continue }
                recorded += items.map { "\($0["ledger"] ?? .null) \($0["size"] ?? .null)" }
            }
            #expect(recorded.count > 2)
            #expect(Set(recorded).count == recorded.count, "a checkpoint is recorded twice")
            let report = try await log.verify(anchor: log.anchor)
            #expect(report.violations == [] && report.sealedEvents == report.events)
        }
    }

    @Test func `more ledgers than one event can name are sealed in one go`() async throws {
        try await SealedLog.with { log in
            for _ in 0..<9 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<50 { group.addTask { _ = try await log.appender.append(.test(.test())) } }
                    try await group.waitForAll()
                }
            }
            try await log.seal()
            let report = try await log.verify(anchor: log.anchor)
            #expect(report.violations == [] && report.ledgers == 453 && report.sealedEvents == report.events)
        }
    }
}
