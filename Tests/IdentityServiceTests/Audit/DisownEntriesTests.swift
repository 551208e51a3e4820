import Canonical
import EventCoding
import FoundationEssentials
import Identity
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

/// A row that somebody without the key inserts stops nobody for longer than a round of checkpoints.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DisownEntriesTests {
    private static let ledger = SealedLog.ledger, stream = SealedLog.streams[0]

    /// A process of the service: its parts share what is disowned.
    private struct Process {
        let codes = EventCodes.test
        let reader: LedgerReader
        let sealing: SignGrownLedgers

        init(_ log: SealedLog) {
            reader = LedgerReader(pool: log.pool, codes: codes)
            sealing = SignGrownLedgers(
                pool: log.pool, readerPool: log.readerPool, codes: codes, appender: log.appender, signer: log.signer,
                logger: TestServer.logger())
        }

        /// The events and the version of the stream.
        func read(_ stream: StreamID) async throws -> StreamEvents {
            try #require(try await reader.streams([stream])[stream])
        }
    }

    /// Inserts a row as the application role.
    private static func forge(
        _ stream: StreamID, at position: Int64, version: Int, _ log: SealedLog, raisesHead: Bool = true,
        time: String = "now()", entry: String = "{}"
    ) async throws {
        try await log.pool.withTransaction(in: [stream.ledger]) { connection in
            try await connection.execute(
                """
                INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                VALUES (\(stream.ledger.uuid), \(position), gen_random_uuid(), \(stream.id), \(stream.kind),
                    \(Int32(version)), 'CredentialsLocked', \(time)::text::timestamptz, convert_to(\(entry), 'UTF8'),
                    \([UInt8](repeating: 1, count: EventCodes.byteCount)))
                """)
            guard raisesHead else { return }
            try await connection.execute(
                """
                UPDATE tenure.ledger SET size = \(position), "time" = \(time)::text::timestamptz
                WHERE ledger_id = \(stream.ledger.uuid)
                """)
        }
    }

    /// Seals, and expects that one row is disowned, that the stream is what it was, and that it goes on.
    private static func expectHealed(
        _ process: Process, _ log: SealedLog, version: Int, _ disowned: Int = 1
    ) async throws {
        try await process.sealing.run()
        #expect(process.codes.disowned.count == disowned)
        let read = try await process.read(stream)
        #expect(read.count == 100 && read.version == version)
        _ = try await log.appender.append(.test(stream, expecting: version))
        #expect(try await process.read(stream).map(\.streamVersion) == Array(1...100) + [version + 1])
        try await process.sealing.run()
        #expect(try await log.verify(anchor: log.anchor).violations == [])
        // A process that starts knows them too.
        let later = Process(log)
        try await later.reader.refreshDisowned()
        #expect(try await later.read(stream) == process.read(stream))
    }

    @Test(arguments: ["now", "9999-01-01"])
    func `a row behind a stream is disowned, and counts as a version`(time: String) async throws {
        try await SealedLog.with { log in
            let process = Process(log)
            try await Self.forge(Self.stream, at: 301, version: 101, log, time: time)
            let error = await #expect(throws: LedgerError.self) { try await process.read(Self.stream) }
            #expect(error?.code == .foreignEntry)
            #expect(try await process.read(SealedLog.streams[1]).count == 100)
            try await Self.expectHealed(process, log, version: 101)
        }
    }

    @Test func `a row whose head was not raised lets appends collide for one round only`() async throws {
        try await SealedLog.with { log in
            let process = Process(log)
            try await Self.forge(SealedLog.streams[1], at: 301, version: 101, log, raisesHead: false)
            let appender = Appender(pool: log.pool, codes: process.codes, logger: TestServer.logger())
            async let running: Void = appender.run()
            let error = await #expect(throws: LedgerError.self) {
                try await appender.append(.test(Self.stream, expecting: 100))
            }
            #expect(error?.code == .busy)
            appender.stop()
            try await running
            try await Self.expectHealed(process, log, version: 100)
            #expect(try await process.read(SealedLog.streams[1]).version == 101)
        }
    }

    @Test(arguments: ["infinity", "-infinity", "10000-01-01"])
    func `a time that no program can read is refused by the database`(time: String) async throws {
        try await SealedLog.with { log in
            await #expect(throws: PostgresError.self) {
                try await Self.forge(Self.stream, at: 301, version: 101, log, raisesHead: false, time: time)
            }
            let changes: [SQL] = [
                "UPDATE tenure.ledger SET time = \(time)::text::timestamptz",
                "UPDATE tenure.ledger SET size = 9223372036854775807",
            ]
            for change in changes {
                await #expect(throws: PostgresError.self) { try await log.pool.query(change, in: [Self.ledger]) }
            }
        }
    }

    /// A version that follows the stream is taken; one behind a gap is not, however great it is.
    @Test(arguments: [(101, 101), (102, 100), (Int(Int32.max), 100)])
    func `a row far behind the head takes only the next version`(forged: Int, version: Int) async throws {
        try await SealedLog.with { log in
            let process = Process(log)
            try await Self.forge(Self.stream, at: 1_000_000, version: forged, log, raisesHead: false)
            await #expect(throws: LedgerError.self) { try await process.read(Self.stream) }
            try await Self.expectHealed(process, log, version: version)
        }
    }

    @Test func `the end of a stream does not begin with a forged row`() async throws {
        try await SealedLog.with { log in
            let process = Process(log)
            func tail() async throws -> StreamEvents? {
                let query = StreamsQuery([], tail: .init(Self.stream, fromLast: ["CredentialsLocked"], process.codes))
                return try await process.reader.read(query).streams[Self.stream]
            }
            try await Self.forge(Self.stream, at: 301, version: Int(Int32.max), log)
            await #expect(throws: LedgerError.self) { try await tail() }
            // A query from before the row was disowned.
            let early = StreamsQuery([], tail: .init(Self.stream, fromLast: ["CredentialsLocked"], process.codes))
            try await process.sealing.run()
            let error = await #expect(throws: LedgerError.self) { try await process.reader.read(early) }
            #expect(error?.code == .busy)
            #expect(try await tail()?.map(\.streamVersion) == [100])
            #expect(try await tail()?.version == 100)
        }
    }

    /// An event behind a gap would be covered by no checkpoint.
    @Test(arguments: [5, -5])
    func `an append to a ledger with a false head waits until it is right`(change: Int) async throws {
        try await SealedLog.with { log in
            let process = Process(log), other = StreamID(ledger: Self.ledger, kind: "thing", id: UUID())
            try await log.tamper(
                "UPDATE tenure.ledger SET size = size + \(Int64(change)) WHERE ledger_id = \(Self.ledger.uuid)")
            // Alone, and in a batch with another ledger, which does not wait.
            let appender = Appender(pool: log.pool, codes: process.codes, logger: TestServer.logger())
            async let running: Void = appender.run()
            async let refused = appender.append(.test(Self.stream, expecting: 100))
            _ = try await appender.append(.test(.test()))
            do {
                _ = try await refused
                Issue.record("an event stands behind a gap")
            } catch let error as LedgerError {
                #expect(error.code == .busy)
            }
            let head = LockedHead(size: 300 + Int64(change), time: .now())
            let statement = try AppendStatement(.test(other), after: head, codes: process.codes)
            await #expect(throws: PostgresError.self) {
                try await log.pool.withTransaction(in: [Self.ledger]) { connection in
                    _ = try await connection.query(Appender.lockingHead(Self.ledger))
                    _ = try await connection.query(statement.sql)
                }
            }
            appender.stop()
            try await running
            try await process.sealing.run()
            _ = try await log.appender.append(.test(Self.stream, expecting: 100))
            #expect(try await process.reader.head(Self.ledger)?.size == 301)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test(arguments: [(3, 1), (Int(Int32.max), Int(Int32.max))])
    func `rows in the streams that the sealer reads do not stop it`(record: Int, disowned: Int) async throws {
        try await SealedLog.with { log in
            let process = Process(log)
            let head = try #require(try await process.reader.head(.system)).size
            try await Self.forge(.checkpoints, at: head + 1, version: record, log)
            try await Self.forge(.disowned, at: head + 2, version: disowned, log)
            _ = try await log.appender.append(.test(SealedLog.streams[1], expecting: 100))
            #expect(try await process.sealing.run() != nil)
            #expect(process.codes.disowned.count == 2 && process.sealing.memory.faults.isEmpty)
            let sealed = try await process.reader.checkpoint(Self.ledger)?.checkpoint.size
            #expect(sealed == 301)
            // So it does in a process that knows nothing, and in the next round.
            _ = try await log.appender.append(.test(SealedLog.streams[1], expecting: 101))
            #expect(try await Process(log).sealing.run() != nil)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test func `a row in a ledger that nobody founded is disowned once a recount came by`() async throws {
        try await SealedLog.with { log in
            let process = Process(log), stream = StreamID.test()
            try await Self.forge(stream, at: 1, version: 1, log, raisesHead: false)
            try await RecountLedgers(
                pool: log.readerPool, codes: process.codes, memory: process.sealing.memory, period: .seconds(1),
                logger: TestServer.logger()
            ).round()
            for _ in 0..<2 { try await process.sealing.run() }
            #expect(process.codes.disowned.count == 1)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test func `who has no key disowns nothing`() async throws {
        try await SealedLog.with { log in
            let process = Process(log), good = try await process.read(Self.stream)[50]
            let leaf = try #require(Bytes32(good.leaf))
            let event = try EventCodec.encode(
                EntryDisowned(ledger: Self.ledger.uuid, position: good.position, leaf: leaf), id: UUID(),
                stream: .disowned, keys: [:], metadata: EventMetadata())
            let append = Append(events: [event], expectations: [.disowned: 0])
            _ = try await log.pool.withTransaction(in: [.system]) { connection in
                try await Appender.append([append], codes: .unchecked, on: &connection)
            }
            try await process.sealing.run()
            #expect(process.codes.disowned.count == 1)
            #expect(try await process.read(Self.stream).count == 100)
            #expect(try await log.verify(anchor: log.anchor).violations == [])
        }
    }

    @Test func `a row below a checkpoint is damage, and stops its readers only`() async throws {
        try await SealedLog.with { log in
            let process = Process(log)
            try await log.tamper(
                "UPDATE tenure.event SET code = \([UInt8](repeating: 1, count: 18)) WHERE ledger_id = \(Self.ledger.uuid) AND position = 10"
            )
            await #expect(throws: LedgerError.self) { try await process.read(Self.stream) }
            #expect(try await process.read(SealedLog.streams[1]).count == 100)
            try await process.sealing.run()
            #expect(process.codes.disowned.count == 0)
            await #expect(throws: LedgerError.self) { try await process.read(Self.stream) }
        }
    }
}
