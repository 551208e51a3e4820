import Credentials
import EventCoding
import Foundation
import Identity
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

    @Test func `who finds the old key in the database again refuses to write with it`() async throws {
        try await TestDatabase.with { database in
            let operatorKey = try OperatorPublicKey(bytes: try SigningKeyPair().key.bytes)
            try await database.withPool { pool in
                try await LogBeginning.found(
                    operatorKey, by: try await KeyRing.load(from: pool, masters: masters), on: pool)
            }
            var superuser = try await database.connect(as: .superuser)
            try await superuser.executeScript("CREATE TABLE public.kept AS SELECT * FROM tenure.purpose_key")
            _ = try await replace(database)
            func begin() async throws -> LogBeginning? {
                try await database.withPool { pool in
                    let ring = try await KeyRing.load(from: pool, masters: masters)
                    return try await LogBeginning.read(LedgerReader(pool: pool, codes: EventCodes(ring)), by: ring)
                }
            }
            #expect(try await begin() != nil)
            try await superuser.executeScript(
                """
                UPDATE tenure.purpose_key AS p SET master_version = k.master_version, wrapped = k.wrapped
                FROM public.kept AS k WHERE k.purpose = p.purpose AND p.purpose = 'events'
                """)
            let error = await #expect(throws: KeysError.self) { try await begin() }
            #expect(error?.code == .wrongKeys)
        }
    }

    @Test func `rows of keys that nobody made stop no start`() async throws {
        try await TestDatabase.with { database in
            try await process(database) { codes, _, _ in
                try await database.withPool { pool in
                    _ = try await pool.query(
                        """
                        INSERT INTO tenure.purpose_key (purpose, master_version, wrapped) VALUES
                            ('events.9', 1, decode(repeat('00', 60), 'hex')), ('zzz', 99, decode(repeat('00', 60), 'hex')),
                            ('events.x', 99, decode(repeat('00', 60), 'hex'))
                        """, in: [LedgerID]())
                    #expect(try await load(pool).keyID == codes.keyID)
                }
            }
        }
    }

    @Test func `rows behind the founding, in its stream, stop nobody who starts`() async throws {
        try await TestDatabase.with { database in
            let operatorKey = try OperatorPublicKey(bytes: try SigningKeyPair().key.bytes)
            try await database.withPool { pool in
                let ring = try await KeyRing.load(from: pool, masters: masters)
                try await LogBeginning.found(operatorKey, by: ring, on: pool)
                _ = try await pool.query(
                    """
                    INSERT INTO tenure.event
                        (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                    SELECT ledger_id, position + 1, gen_random_uuid(), stream_id, kind, version + 1, type, time, '{}', code
                    FROM tenure.event WHERE ledger_id = \(LedgerID.system.uuid)
                    """, in: [LedgerID.system])
                let reader = LedgerReader(pool: pool, codes: EventCodes(ring))
                #expect(try await LogBeginning.read(reader, by: ring) != nil)
                #expect(try await LogBeginning.read(reader) != nil)
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
