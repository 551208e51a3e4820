import EventCoding
import Foundation
import IdentityService
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

/// A key of the codes of events that somebody stole is worth nothing behind the place where it was replaced.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ReplaceEventsKeyTests {
    private let stream = StreamID.test(), masters = MasterKeys.random()

    /// Runs `body` with a process's codes, and no connection afterwards.
    private func process<Result: Sendable>(
        _ database: TestDatabase, codes: EventCodes? = nil,
        _ body: (EventCodes, LedgerReader, Appender) async throws -> Result
    ) async throws -> Result {
        let codes = if let codes { codes } else { try await database.withPool(load) }
        return try await database.withAppender(codes: { _ in codes }) { appender, pool in
            let reader = LedgerReader(pool: pool, codes: codes)
            try await reader.refreshDisowned()
            return try await body(codes, reader, appender)
        }
    }

    private func load(_ pool: PostgresPool) async throws -> EventCodes {
        EventCodes(try await KeyRing.load(from: pool, masters: masters))
    }

    /// Replaces the key as soon as the connections of the last process are gone.
    private func replace(_ database: TestDatabase) async throws -> Int {
        for _ in 0..<500 {
            do {
                return try await database.withPool(as: .reader) { readers in
                    try await database.withPool(maximumConnections: 1) { pool in
                        try await ReplaceEventsKey(pool: pool, readers: readers, masters: MasterKeyStore(masters)).run()
                    }
                }
            } catch is ReplaceEventsKey.StillServed { try await Task.sleep(for: .milliseconds(10)) }
        }
        throw ReplaceEventsKey.StillServed()
    }

    @Test func `events of before count, and codes of the old key do not count behind them`() async throws {
        try await TestDatabase.with { database in
            let old = try await process(database) { codes, _, appender in
                _ = try await appender.append(.test(stream, events: 3))
                _ = try await appender.append(.test(StreamID.test(.system)))
                return codes
            }
            #expect(try await replace(database) == 2)
            try await process(database) { codes, reader, appender in
                #expect(codes.keyID != old.keyID)
                #expect(try await reader.streams([stream])[stream]?.count == 3)
                _ = try await appender.append(.test(stream, expecting: 3))
                #expect(try await reader.streams([stream])[stream]?.count == 4)
            }
            // Who has the old key writes behind it, and to a ledger that had no events.
            let other = StreamID.test()
            try await process(database, codes: old) { _, _, appender in
                _ = try await appender.append(.test(stream, expecting: 4))
                _ = try await appender.append(.test(other))
            }
            try await process(database) { _, reader, _ in
                for stream in [stream, other] {
                    let error = await #expect(throws: LedgerError.self) { try await reader.streams([stream]) }
                    #expect(error?.code == .foreignEntry)
                }
            }
        }
    }

    @Test func `it is replaced again, and both keys follow the master key`() async throws {
        try await TestDatabase.with { database in
            for version in 0..<3 {
                try await process(database) { _, _, appender in
                    _ = try await appender.append(.test(stream, expecting: version))
                }
                _ = try await replace(database)
            }
            let rotated = try masters.addingVersion()
            _ = try await database.withPool { pool in try await MasterKeyRotation(masters: rotated).run(on: pool) }
            try await database.withPool { pool in
                let codes = EventCodes(try await KeyRing.load(from: pool, masters: rotated))
                let reader = LedgerReader(pool: pool, codes: codes)
                try await reader.refreshDisowned()
                #expect(try await reader.streams([stream])[stream]?.count == 3)
                #expect(try await MasterKeyRotation.versionsInUse(on: pool) == [rotated.current])
            }
        }
    }

    @Test func `while another process is connected nothing is changed`() async throws {
        try await TestDatabase.with { database in
            try await process(database) { codes, _, appender in
                _ = try await appender.append(.test(stream))
                await #expect(throws: ReplaceEventsKey.StillServed.self) {
                    try await database.withPool(as: .reader) { readers in
                        try await database.withPool(maximumConnections: 1) { pool in
                            try await ReplaceEventsKey(pool: pool, readers: readers, masters: MasterKeyStore(masters))
                                .run()
                        }
                    }
                }
                #expect(try await database.withPool(load).keyID == codes.keyID)
            }
        }
    }
}
