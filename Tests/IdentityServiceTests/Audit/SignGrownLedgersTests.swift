import Canonical
import FoundationEssentials
import IdentityService
import Ledger
import Postgres
import Testing
import TestSupport

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SignGrownLedgersTests {
    @Test func `a signed checkpoint leaves no work for the next run`() async throws {
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

    @Test func `a log in which nothing grows is marked every 14 minutes, by one of several processes`() async throws {
        try await SealedLog.with { log in
            let reader = LedgerReader(pool: log.readerPool, storesTiles: false)
            let before = try #require(try await reader.head(.system)).size
            let start = Timestamp.now()
            func run(after minutes: Int) async throws -> Int64 {
                let sealing = SignGrownLedgers(
                    pool: log.pool, readerPool: log.readerPool, codes: .test, appender: log.appender,
                    signer: log.signer,
                    now: { start.adding(.seconds(minutes * 60)) }, logger: TestServer.logger())
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { try await sealing.run() } }
                    try await group.waitForAll()
                }
                return try await reader.head(.system)?.size ?? 0
            }
            #expect(try await run(after: 13) == before)
            #expect(try await run(after: 15) == before + 1)
            #expect(try await run(after: 16) == before + 1)
            #expect(try await run(after: 30) == before + 2)
            let mark = try #require(try await reader.ledger(.system, limit: 1_000).events.last)
            #expect(mark.type == "CheckpointSealed" && mark.time == start.adding(.seconds(1_800)))
            guard case .array(let items)? = mark.data["checkpoints"] else {
                Issue.record("no checkpoints")
                return
            }
            #expect(items.count == 1 && items[0]["ledger"] == .uuid(LedgerID.system.uuid))
            let report = try await log.verify(anchor: log.anchor) { start.adding(.seconds(1_800)) }
            #expect(report.violations == [])
        }
    }

    /// Four that seal at once, and writers: every checkpoint is recorded once, and nobody fails.
    @Test func `several processes sign checkpoints without conflicts or duplicates`() async throws {
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

    /// A process that keeps its memory goes on where it was.
    @Test func `a sealer signs each growth of a ledger once, and names what it leaves out`() async throws {
        try await SealedLog.with { log in
            let sealing = SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer)
            let reader = LedgerReader(pool: log.readerPool, storesTiles: false)
            for number in 300..<304 {
                try await SealedLog.append(log.appender, from: number, count: 1)
                #expect(try await sealing.run() != nil)
                #expect(try await reader.checkpoint(SealedLog.ledger)?.checkpoint.size == Int64(number + 1))
                #expect(try await sealing.run() == nil)
            }
            #expect(sealing.memory.faults == [:] && sealing.memory.reasons() == [])
            #expect(SealMemory.Repair.allCases.allSatisfy { sealing.memory.repairs($0) == 0 })
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = set_byte(entry, 20, get_byte(entry, 20) # 1)
                WHERE ledger_id = \(SealedLog.ledger.uuid) AND position = 300
                """)
            try await SealedLog.append(log.appender, from: 304, count: 1)
            #expect(try await sealing.run() == nil)
            #expect(sealing.memory.faults == [SealedLog.ledger: "it differs from its signed checkpoint"])
            #expect(sealing.memory.reasons() == ["a ledger cannot be sealed; run tenure doctor"])
            #expect(sealing.memory.metrics.contains("tenure_unsealable_ledgers 1\n"))
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = set_byte(entry, 20, get_byte(entry, 20) # 1)
                WHERE ledger_id = \(SealedLog.ledger.uuid) AND position = 300
                """)
            #expect(try await sealing.run() != nil)
            #expect(sealing.memory.faults == [:])
        }
    }

    @Test func `two hundred ledgers that grow at once are sealed within ten seconds`() async throws {
        try await SealedLog.with { log in
            let sealing = SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer)
            try await sealing.run()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { _ = try await log.appender.append(.test(.test())) } }
                try await group.waitForAll()
            }
            let start = ContinuousClock.now
            try await sealing.run()
            print("200 ledgers were sealed in \(ContinuousClock.now - start)")
            #expect(ContinuousClock.now - start < SealMemory.longestRest)
            let memory = SealMemory(key: log.signer.key)
            #expect(try await SealDelay.read(log.readerPool, memory).differing == 0)
            for row in try await log.readerPool.query(
                "SELECT count(*) FROM tenure.checkpoint AS c JOIN tenure.ledger AS l USING (ledger_id, size)", in: [])
            { #expect(try row.decode(Int64.self) == 203) }
        }
    }

    @Test(
        arguments: [
            "DELETE FROM tenure.event WHERE position = 303", "DELETE FROM tenure.event WHERE position = 1",
            "UPDATE tenure.event SET entry = set_byte(entry, 20, get_byte(entry, 20) # 1) WHERE position = 150",
        ] as [SQL])
    func `a recount finds what is missing or changed below a checkpoint, until it is there again`(
        change: SQL
    ) async throws {
        try await SealedLog.with { log in
            try await SealedLog.append(log.appender, from: 300, count: 3)
            let sealing = SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer)
            try await sealing.run()
            let recount = RecountLedgers(
                pool: log.readerPool, codes: .test, memory: sealing.memory, period: .seconds(1),
                logger: TestServer.logger())
            try await recount.round()
            #expect(sealing.memory.faults == [:])
            try await log.tamper(
                "CREATE TABLE public.kept AS SELECT * FROM tenure.event",
                "\(change) AND ledger_id = \(SealedLog.ledger.uuid)")
            try await recount.round()
            #expect(Array(sealing.memory.faults.keys) == [SealedLog.ledger])
            #expect(sealing.memory.metrics.contains("tenure_unsealable_ledgers 1\n"))
            try await log.tamper(
                "DELETE FROM tenure.event WHERE ledger_id = \(SealedLog.ledger.uuid)",
                """
                INSERT INTO tenure.event (
                    ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                SELECT ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code
                FROM public.kept
                WHERE ledger_id = \(SealedLog.ledger.uuid)
                """)
            try await recount.round()
            #expect(sealing.memory.faults == [:])
        }
    }

    @Test func `the pause follows the look at the heads, not the round, and ends in time`() {
        #expect(SealingLoop.pause(after: .milliseconds(1)) == .seconds(1))
        #expect(SealingLoop.pause(after: .milliseconds(200)) == .milliseconds(3_800))
        #expect(SealingLoop.pause(after: .seconds(15)) == SealingLoop.longestPause)
        #expect(SealingLoop.longestPause < SealMemory.longestRest)
        let memory = SealMemory(key: nil)
        #expect(memory.reasons(at: .now + .seconds(9)) == [])
        #expect(
            memory.reasons(at: .now + .seconds(300)).first?.hasPrefix("no round of checkpoints has ended for") == true)
    }

    @Test func `more ledgers than one event can name are signed in one run`() async throws {
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

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SealDelayTests {
    private static let twoMinutesAgo = Timestamp(microseconds: Timestamp.now().microseconds - 120_000_000)

    private static func append(_ log: SealedLog, _ stream: StreamID, expecting version: Int, events: Int) async throws {
        _ = try await log.appender.append(
            .test(stream, expecting: version, events: events, time: twoMinutesAgo))
    }

    @Test func `an event without a checkpoint is reported after a minute, until it has one`() async throws {
        try await SealedLog.with { log in
            #expect(try await SealDelay.read(log.readerPool, SealMemory(key: log.signer.key)).count == 0)
            let young = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            _ = try await log.appender.append(.test(young, events: 1))
            #expect(try await SealDelay.read(log.readerPool, SealMemory(key: log.signer.key)).count == 0)
            let old = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            try await Self.append(log, old, expecting: 0, events: 3)
            let delay = try await SealDelay.read(log.readerPool, SealMemory(key: log.signer.key))
            #expect(delay.count == 1 && delay.ledgers.map(\.id) == [old.ledger])
            #expect(delay.ledgers.first?.size == 3 && delay.ledgers.first?.sealed == 0)
            try await log.seal()
            #expect(try await SealDelay.read(log.readerPool, SealMemory(key: log.signer.key)).count == 0)
        }
    }

    @Test func `a system ledger that differs from its checkpoint is not marked either`() async throws {
        try await SealedLog.with { log in
            let reader = LedgerReader(pool: log.readerPool, storesTiles: false)
            let before = try #require(try await reader.head(.system)).size
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = set_byte(entry, 20, get_byte(entry, 20) # 1)
                WHERE ledger_id = \(LedgerID.system.uuid) AND position = 1
                """)
            for minutes in [15, 30, 45] {
                let time = Timestamp.now().adding(.seconds(minutes * 60))
                let sealing = SignGrownLedgers(
                    pool: log.pool, readerPool: log.readerPool, codes: .test, appender: log.appender,
                    signer: log.signer,
                    now: { time }, logger: TestServer.logger())
                #expect(try await sealing.run() == nil)
            }
            #expect(try await reader.head(.system)?.size == before)
        }
    }

    @Test func `a ledger that differs from its checkpoint is not signed again, and reported`() async throws {
        try await SealedLog.with { log in
            let stream = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            try await Self.append(log, stream, expecting: 0, events: 3)
            try await log.seal()
            try await log.tamper(
                """
                UPDATE tenure.event SET entry = set_byte(entry, 20, get_byte(entry, 20) # 1)
                WHERE ledger_id = \(stream.ledger.uuid) AND position = 2
                """)
            try await Self.append(log, stream, expecting: 3, events: 2)
            try await log.seal()
            let delay = try await SealDelay.read(log.readerPool, SealMemory(key: log.signer.key))
            #expect(delay.count == 1 && delay.ledgers.map(\.id) == [stream.ledger])
            #expect(delay.ledgers.first?.size == 5 && delay.ledgers.first?.sealed == 3)
            #expect(delay.ledgers.first?.differs == nil, "the gauge reads no events")

            // A ledger that is only late is told apart.
            let late = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            try await Self.append(log, late, expecting: 0, events: 3)
            try await log.seal()
            try await Self.append(log, late, expecting: 3, events: 2)
            let compared = try await SealDelay.read(
                log.readerPool, SealMemory(key: log.signer.key), compares: true)
            let differing = compared.ledgers.map { "\($0.id) \($0.differs.map(String.init) ?? "")" }
            #expect(Set(differing) == ["\(stream.ledger) true", "\(late.ledger) false"])
        }
    }
}
