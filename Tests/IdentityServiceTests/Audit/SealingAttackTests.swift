import Canonical
import FoundationEssentials
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

/// Somebody who runs SQL as the application, without keys, leads no seal and stops nobody's.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SealingAttackTests {
    private static let struck = SealedLog.ledger

    private static func grow(_ log: SealedLog) async throws {
        try await SealedLog.append(log.appender, from: 300, count: 3)
        let other = StreamID(ledger: SealedLog.other, kind: "thing", id: UUID())
        _ = try await log.appender.append(.test(other, events: 2))
    }

    /// The number of events that the newest note of a ledger vouches for.
    private static func sealed(_ ledger: LedgerID, _ log: SealedLog) async throws -> Int64? {
        let reader = LedgerReader(pool: log.readerPool, storesTiles: false)
        let signed = try await reader.checkpoint(ledger)
        try signed?.verify(log.signer.key)
        return signed?.checkpoint.size
    }

    @Test(arguments: [5, -5, 9_000_000_000_000_000, -303] as [Int64])
    func `a head that lies by any number leaves no ledger unsealed, and is set right`(by lie: Int64) async throws {
        try await SealedLog.with { log in
            try await Self.grow(log)
            _ = try await log.pool.query(
                "UPDATE tenure.ledger SET size = size + \(lie) WHERE ledger_id = \(Self.struck.uuid)",
                in: [Self.struck])
            try await log.seal()
            #expect(try await Self.sealed(SealedLog.other, log) == 302)
            #expect(try await Self.sealed(Self.struck, log) == 303)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
            try await SealedLog.append(log.appender, from: 303, count: 1)
            try await log.seal()
            #expect(try await Self.sealed(Self.struck, log) == 304)
        }
    }

    @Test(
        arguments: [
            "size = 9000000000000000", "size = 9000000000000000, root = sha256('')", "root = sha256('')",
            "size = 303, root = sha256('')", "size = 1", "note = 'nothing'", "size = 303, note = 'nothing'",
        ] as [SQL])
    func `a forged row of a checkpoint ends no company's seals, and is set right`(change: SQL) async throws {
        try await SealedLog.with { log in
            try await Self.grow(log)
            _ = try await log.pool.query(
                "UPDATE tenure.checkpoint SET \(change) WHERE ledger_id = \(Self.struck.uuid)",
                in: [Self.struck])
            try await log.seal()
            #expect(try await Self.sealed(Self.struck, log) == 303)
            #expect(try await Self.sealed(SealedLog.other, log) == 302)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test func `an older checkpoint of a ledger that was put back is replaced by the newest`() async throws {
        try await SealedLog.with { log in
            let kept = try await log.readerPool.query(
                "SELECT size, root, note FROM tenure.checkpoint WHERE ledger_id = \(Self.struck.uuid)",
                in: [Self.struck])
            let (size, root, note) = try #require(kept.first).decode(Int64.self, [UInt8].self, String.self)
            try await Self.grow(log)
            try await log.seal()
            _ = try await log.pool.query(
                """
                UPDATE tenure.checkpoint SET size = \(size), root = \(root), note = \(note)
                WHERE ledger_id = \(Self.struck.uuid)
                """, in: [Self.struck])
            try await log.seal()
            #expect(try await Self.sealed(Self.struck, log) == 303)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test(arguments: [false, true])
    func `a checkpoint that somebody invents for a young ledger does not hide it`(isAlike: Bool) async throws {
        try await SealedLog.with { log in
            let stream = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            _ = try await log.appender.append(.test(stream, events: 3))
            _ = try await log.pool.query(
                """
                INSERT INTO tenure.checkpoint (ledger_id, size, root, note)
                VALUES (\(stream.ledger.uuid), \(isAlike ? 3 : 9_000) :: bigint, sha256(''), 'nothing')
                """, in: [stream.ledger])
            for _ in 0..<2 { try await log.seal() }
            #expect(try await Self.sealed(stream.ledger, log) == 3)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test func `an inserted tile becomes part of no signed root`() async throws {
        try await SealedLog.with { log in
            let stream = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            _ = try await log.appender.append(.test(stream, events: 300))
            _ = try await log.pool.query(
                """
                INSERT INTO tenure.tile (ledger_id, level, index, hashes, root, mac)
                VALUES (\(stream.ledger.uuid), 0, 0, convert_to(repeat('x', 8192), 'UTF8'), sha256('forged'), '')
                """, in: [stream.ledger])
            try await log.seal()
            #expect(try await Self.sealed(stream.ledger, log) == 300)
            // The tile was replaced as well: verification reports one that differs.
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test func `a ledger that lacks events stops neither the round nor the anchor`() async throws {
        try await SealedLog.with { log in
            let young = Self.stream(1), old = Self.stream(2)
            for stream in [young, old] { _ = try await log.appender.append(.test(stream, events: 3)) }
            try await log.tamper("DELETE FROM tenure.event WHERE ledger_id = \(young.ledger.uuid) AND position = 2")
            try await Self.grow(log)
            #expect(try await Self.seal(log) != nil)
            #expect(try await Self.sealed(SealedLog.other, log) == 302)
            #expect(try await Self.sealed(Self.struck, log) == 303)
            // What no checkpoint covered ends before the gap.
            #expect(try await Self.sealed(young.ledger, log) == 1)
            #expect(try await Self.sealed(old.ledger, log) == 3)

            try await log.tamper("DELETE FROM tenure.event WHERE ledger_id = \(old.ledger.uuid) AND position = 2")
            _ = try await log.appender.append(.test(old, expecting: 3))
            try await SealedLog.append(log.appender, from: 303, count: 1)
            #expect(try await Self.seal(log) != nil)
            #expect(try await Self.sealed(Self.struck, log) == 304)
            #expect(try await Self.sealed(old.ledger, log) == 3)
        }
    }

    private static func stream(_ number: UInt8) -> StreamID {
        let ledger = UUID(uuid: (0, number, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
        return StreamID(ledger: LedgerID(ledger), kind: "thing", id: UUID())
    }

    private static func seal(_ log: SealedLog) async throws -> Anchor? {
        try await SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer).run()
    }

    /// Every ledger's checkpoint is recorded in the system ledger, so it is the first aim.
    @Test(
        arguments: [
            "UPDATE tenure.ledger SET size = size + 5", "UPDATE tenure.ledger SET size = 0",
            "UPDATE tenure.checkpoint SET size = 9000000000000000, root = sha256('')",
            "UPDATE tenure.checkpoint SET note = 'nothing'", "UPDATE tenure.checkpoint SET size = 1, note = 'nothing'",
        ] as [SQL])
    func `a row of the system ledger that somebody changes stops no seal and no anchor`(change: SQL) async throws {
        try await SealedLog.with { log in
            let sealing = SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer)
            try await sealing.run()
            for (round, sealing) in [sealing, SealedLog.sealing(log.pool, log.readerPool, log.appender, log.signer)]
                .enumerated()
            {
                try await SealedLog.append(log.appender, from: 300 + round, count: 1)
                _ = try await log.pool.query(
                    "\(change) WHERE ledger_id = \(LedgerID.system.uuid)", in: [.system])
                #expect(try await sealing.run() != nil)
                #expect(try await Self.sealed(Self.struck, log) == Int64(301 + round))
                #expect(try await Self.sealed(.system, log) == Int64(3 + round))
                #expect(sealing.memory.faults == [:])
                #expect(try await log.verify(anchor: log.anchor).violations == [])
            }
        }
    }
}
