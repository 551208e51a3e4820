import Canonical
import Foundation
import Ledger
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import IdentityService

/// What an operator is told of ledgers that are ahead of the clock, or whose checkpoint is overdue.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)")) struct LedgerWatchTests {
    /// The warnings of a logger.
    private final class Warnings: Sendable {
        private let lines = Mutex<[String]>([])

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }

        var logger: Logger { Logger(label: "test") { _ in Handler(warnings: self) } }

        private struct Handler: LogHandler {
            let warnings: Warnings
            var metadata: Logger.Metadata = [:]
            var logLevel: Logger.Level = .warning

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) { warnings.lines.withLock { $0.append("\(event.message)") } }
        }
    }

    private static func watch(_ pool: PostgresPool, _ logger: Logger, boundsTimes: Bool = true) -> LedgerWatch {
        let delays = SealDelayGauge(pool: pool, memory: SealMemory(key: nil), disowned: DisownedEntries())
        return LedgerWatch(pool: pool, delays: delays, boundsTimes: boundsTimes, logger: logger)
    }

    @Test
    func `ledgers that are ahead of the clock are a gauge and a reason, and the log says when it begins and ends`()
        async throws
    {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader) { pool in
                let warnings = Warnings(), watch = Self.watch(pool, warnings.logger)
                let lenient = Self.watch(pool, warnings.logger, boundsTimes: false)
                await watch.look(atSeals: false)
                #expect(warnings.take() == [] && watch.ahead.reasons == [])
                #expect(watch.ahead.metrics.contains("\ntenure_ledgers_ahead 0\n"))
                let ids = [UUID(), UUID()]
                var connection = try await database.connect(as: .superuser)
                for id in ids {
                    try await connection.execute(
                        "INSERT INTO tenure.ledger (ledger_id, size, time) VALUES (\(id), 1, now() + interval '1 hour')"
                    )
                }
                await watch.look(atSeals: false)
                let begun = warnings.take()
                #expect(begun.count == 1 && begun[0].contains("ahead of the database's clock"), "\(begun)")
                #expect(
                    watch.ahead.reasons == [
                        "2 ledgers are ahead of the database's clock and stopped; run tenure doctor"
                    ])
                #expect(watch.ahead.metrics.contains("\ntenure_ledgers_ahead 2\n"))
                try await connection.execute("UPDATE tenure.ledger SET accepted = time WHERE ledger_id = \(ids[0])")
                await watch.look(atSeals: false)
                #expect(warnings.take() == [], "it is said once")
                #expect(watch.ahead.metrics.contains("\ntenure_ledgers_ahead 1\n"))
                await lenient.look(atSeals: false)
                #expect(lenient.ahead.count == 0)

                try await connection.execute("UPDATE tenure.ledger SET accepted = time WHERE ledger_id = \(ids[1])")
                await watch.look(atSeals: false)
                #expect(warnings.take() == ["no ledger is ahead of the database's clock any more"])
                #expect(watch.ahead.reasons == [])
            }
        }
    }

    @Test func `checkpoints that are overdue are said once`() async throws {
        try await SealedLog.with { log in
            let stream = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            _ = try await log.appender.append(
                .test(stream, events: 1, time: .now().adding(.seconds(-120))))
            let warnings = Warnings()
            for _ in 0..<2 { await Self.watch(log.readerPool, warnings.logger).look() }
            #expect(warnings.take().count == 2, "each process says it")
            let watch = Self.watch(log.readerPool, warnings.logger)
            await watch.look()
            await watch.look()
            let begun = warnings.take()
            #expect(begun.count == 1 && begun[0].contains("lacked a current checkpoint"), "\(begun)")
        }
    }
}
