import Canonical
import Foundation
@testable import Identity
import Ledger
import Logging
import Postgres
import TestSupport
import Testing

@testable import EventCoding
@testable import IdentityService

/// A row below a checkpoint that no service wrote stops its readers until the operator signs that it counts for nothing.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DisownDamageTests {
    private func seal(_ stage: MPinStage) async throws {
        let codes = stage.context.reader.codes
        _ = try await SignGrownLedgers(
            pool: stage.context.pool, readerPool: stage.readers, codes: codes, appender: stage.appender,
            signer: SealedLog.signer(), logger: TestServer.logger()
        ).run()
    }

    private func findings(_ stage: MPinStage) async throws -> [String] {
        let request = VerifyRequest(key: try SealedLog.signer().key)
        return try await VerifyLog(pool: stage.readers, request: request).run().violations.map(\.detail)
    }

    @Test func `the operator ends damage below a checkpoint`() async throws {
        try await MPinStage.run { stage in
            let id = try await stage.register("1", isFounding: true), reader = stage.context.reader
            let stream = StreamID.employee(id, in: stage.tenant), ledger = stream.ledger
            try await seal(stage)
            #expect(try await reader.streams([stream])[stream]?.count == 3)
            #expect(try await stage.commands.disown(2, of: ledger) == .ownEntry)
            #expect(try await stage.commands.disown(99, of: ledger) == .missing)
            var superuser = try await stage.database.connect(as: .superuser)
            try await superuser.execute(
                """
                UPDATE tenure.event SET code = \([UInt8](repeating: 1, count: 18))
                WHERE ledger_id = \(ledger.uuid) AND position = 2
                """)
            await #expect(throws: LedgerError.self) { try await reader.streams([stream]) }
            try await seal(stage)
            await #expect(throws: LedgerError.self) { try await reader.streams([stream]) }
            #expect(try await stage.commands.disown(2, of: ledger) == .disowned)
            #expect(try await stage.commands.disown(2, of: ledger) == .disownedBefore)
            try await reader.refreshDisowned()
            #expect(try await reader.streams([stream])[stream]?.map(\.streamVersion) == [1, 3])
            try await seal(stage)
            let rows = try await DisownedRows.read(stage.readers)
            #expect(rows.count == 1 && rows.newest.first?.ledger == ledger && rows.newest.first?.position == 2)
            let words = "an entry that a checkpoint covers is disowned without the operator"
            #expect(try await !findings(stage).contains(words))
        }
    }

    /// Somebody who has the service's keys hides an event.
    @Test func `verification finds a sealed event that the service disowned`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            try await seal(stage)
            let ledger = LedgerID(stage.tenant.uuid)
            let event = try #require(try await stage.context.reader.event(ledger, at: 3))
            let leaf = try #require(Bytes32(event.leaf))
            try await stage.append(
                [EntryDisowned(ledger: ledger.uuid, position: 3, leaf: leaf)], to: .disowned)
            try await seal(stage)
            let words = "an entry that a checkpoint covers is disowned without the operator"
            #expect(try await findings(stage).contains(words))
        }
    }

    /// Only the log says which time the operator accepted.
    @Test(arguments: [true, false])
    func `a forged time of a head, accepted or not, gives no event that time, and lasts a round`(
        isAccepted: Bool
    ) async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let ledger = LedgerID(stage.tenant.uuid), codes = stage.context.reader.codes
            try await seal(stage)
            let accepted: SQL = isAccepted ? "now() + interval '1 year'" : "NULL"
            _ = try await stage.context.pool.withTransaction(in: [ledger]) { connection in
                try await connection.execute(
                    """
                    UPDATE tenure.ledger SET time = now() + interval '1 year', accepted = \(accepted)
                    WHERE ledger_id = \(ledger.uuid)
                    """)
            }
            let appender = Appender(pool: stage.context.pool, codes: codes, logger: TestServer.logger())
            async let running: Void = appender.run()
            let other = StreamID(ledger: ledger, kind: "thing", id: UUID())
            let error = await #expect(throws: LedgerError.self) { try await appender.append(.test(other)) }
            #expect(error?.code == .ahead && codes.disowned.reported == [ledger])
            try await seal(stage)
            _ = try await appender.append(.test(other))
            appender.stop()
            try await running
            let head = try #require(try await stage.context.reader.head(ledger))
            #expect(head.time < Timestamp.now().adding(.seconds(60)))
        }
    }

    /// Writes a row as no service does, and makes it the last one of its ledger.
    private func forge(_ ledger: LedgerID, at position: Int64, time: SQL, _ stage: MPinStage) async throws {
        try await stage.context.pool.withTransaction(in: [ledger]) { connection in
            try await connection.execute(
                """
                INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                VALUES (\(ledger.uuid), \(position), gen_random_uuid(), gen_random_uuid(), 'thing', 1, 'CredentialsLocked',
                    \(time), '{}', \([UInt8](repeating: 1, count: EventCodes.byteCount)))
                """)
            try await connection.execute(
                "UPDATE tenure.ledger SET size = \(position), time = \(time) WHERE ledger_id = \(ledger.uuid)")
        }
    }

    /// Whoever writes the database chooses what the head says. With a row of their own too, next or behind a gap.
    @Test(arguments: [0, 1, 1_000_000] as [Int64])
    func `the operator accepts no time that is not that of the latest event`(raised: Int64) async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let ledger = LedgerID(stage.tenant.uuid), reader = stage.context.reader
            try await seal(stage)
            let future: SQL = "now() + interval '1 year'"
            if raised > 0 {
                let size = try #require(try await reader.head(ledger)).size
                try await forge(ledger, at: size + raised, time: future, stage)
            } else {
                _ = try await stage.context.pool.query(
                    "UPDATE tenure.ledger SET time = \(future) WHERE ledger_id = \(ledger.uuid)", in: [ledger])
            }
            #expect(try await stage.commands.acceptTime(of: ledger) == .falseHead)
            #expect(reader.codes.disowned.reported == [ledger])
            #expect(try await reader.end(of: .ledgerTime(ledger)).version == 0)
            try await seal(stage)
            // A row behind a gap needs another round.
            let later = try await stage.commands.acceptTime(of: ledger)
            #expect(later == .notAhead || raised > 1 && later == .falseHead)
        }
    }

    /// A row behind it that was disowned hides no event that is ahead.
    @Test func `the operator accepts the time of the latest event that a service wrote`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let ledger = LedgerID(stage.tenant.uuid), reader = stage.context.reader
            let future = Timestamp.now().adding(.seconds(3_600))
            let results = try await stage.context.pool.withTransaction(in: [ledger]) { connection in
                try await Appender.append(
                    [.test(.test(ledger), time: future)], codes: reader.codes, tolerance: nil, on: &connection)
            }
            for result in results { _ = try result.get() }
            let position = try #require(try await reader.head(ledger)).size + 1
            try await forge(ledger, at: position, time: "now()", stage)
            try await seal(stage)
            #expect(reader.codes.disowned.positions(in: ledger) == [position])
            let accepted = OperatorUseCases.TimeAcceptance.accepted(position: position, time: future.description)
            #expect(try await stage.commands.acceptTime(of: ledger) == accepted)
            #expect(try await stage.commands.acceptTime(of: ledger) == .acceptedBefore)
        }
    }
}
