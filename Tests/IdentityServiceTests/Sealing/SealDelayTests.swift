import Canonical
import FoundationEssentials
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SealDelayTests {
    private static let twoMinutesAgo = Timestamp(microseconds: Timestamp.now().microseconds - 120_000_000)

    private static func append(_ log: SealedLog, _ stream: StreamID, expecting version: Int, events: Int) async throws {
        _ = try await log.appender.append(
            .test(stream, expecting: version, events: events, time: twoMinutesAgo))
    }

    @Test func `an event that nobody seals is told after a minute, until it is sealed`() async throws {
        try await SealedLog.with { log in
            #expect(try await SealDelay.read(log.readerPool).count == 0)
            let young = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            _ = try await log.appender.append(.test(young, events: 1))
            #expect(try await SealDelay.read(log.readerPool).count == 0)
            let old = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            try await Self.append(log, old, expecting: 0, events: 3)
            let delay = try await SealDelay.read(log.readerPool)
            #expect(delay.count == 1 && delay.ledgers.map(\.id) == [old.ledger])
            #expect(delay.ledgers.first?.size == 3 && delay.ledgers.first?.sealed == 0)
            try await log.seal()
            #expect(try await SealDelay.read(log.readerPool).count == 0)
        }
    }

    @Test func `a ledger that is not what was sealed is refused and told`() async throws {
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
            let delay = try await SealDelay.read(log.readerPool)
            #expect(delay.count == 1 && delay.ledgers.map(\.id) == [stream.ledger])
            #expect(delay.ledgers.first?.size == 5 && delay.ledgers.first?.sealed == 3)
        }
    }
}
