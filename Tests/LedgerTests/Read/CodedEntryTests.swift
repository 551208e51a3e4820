import Canonical
import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Ledger

/// What somebody who runs SQL as `tenure_app` and has no key puts into `tenure.event` is read by nobody.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct CodedEntryTests {
    /// A row as its writer wants it; what it leaves out follows from the entry.
    private struct Forgery {
        var position: Int64
        var stream: StreamID
        var version = 2
        var type = "ConsentGiven"
        var id = UUID()
        var time = Timestamp.now()
        /// Another event whose entry and code the row repeats.
        var copied: (entry: [UInt8], code: [UInt8])?
        var code: [UInt8]?

        func statement() throws -> SQL {
            let event = NewEvent(id: id, stream: stream, type: type, data: [:])
            let entry = try copied?.entry ?? Entry.encode(event, version: version, time: time)
            let code = code ?? copied?.code ?? [UInt8](repeating: 0, count: EventCodes.byteCount)
            return """
                INSERT INTO tenure.event
                    (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                VALUES (\(stream.ledger.uuid), \(position), \(id), \(stream.id), \(stream.kind), \(Int32(version)),
                    \(type), \(PostgresTimestamp(time)), \(entry), \(code))
                """
        }
    }

    /// Appends an event of a stream, inserts a row behind it as the application role, and lets `body` read.
    private func forging(
        _ make: (StreamID, (entry: [UInt8], code: [UInt8])) throws -> Forgery,
        _ body: (LedgerReader, StreamID, Appender) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test()
                _ = try await appender.append(.test(stream))
                let row = try await pool.query(
                    "SELECT entry, code FROM tenure.event WHERE ledger_id = \(stream.ledger.uuid)", in: [stream.ledger]
                )[0].decode([UInt8].self, [UInt8].self)
                let statement = try make(stream, row).statement()
                try await pool.withTransaction(in: [stream.ledger]) { connection in
                    try await connection.execute(statement)
                    try await connection.execute(
                        "UPDATE tenure.ledger SET size = size + 1 WHERE ledger_id = \(stream.ledger.uuid)")
                }
                try await body(LedgerReader(pool: pool), stream, appender)
            }
        }
    }

    private func expect(
        _ code: LedgerError.Code, _ reader: LedgerReader, _ stream: StreamID, type: String = "ConsentGiven"
    ) async throws {
        func refused(_ what: String, _ body: () async throws -> Void) async {
            let error = await #expect(throws: LedgerError.self, "\(what)") { try await body() }
            #expect(error?.code == code, "\(what): \(String(describing: error))")
        }
        await refused("streams") { _ = try await reader.streams([stream]) }
        await refused("stream") { _ = try await reader.stream(stream) }
        await refused("page") { _ = try await reader.ledger(stream.ledger) }
        await refused("types") { _ = try await reader.ledger(stream.ledger, types: [type]) }
        await refused("position") { _ = try await reader.event(stream.ledger, at: 2) }
        await refused("pages") { _ = try await reader.pages(after: [stream.ledger: 0]) }
        await refused("entries") {
            let page = try await reader.entries(of: stream.ledger, after: 0, limit: 10, without: [])
            for entry in page.entries { _ = try entry.event() }
        }
    }

    @Test(arguments: ["EmailVerified", "ConsentGiven", "AppClientChanged", "AttemptsCleared"])
    func `an event that no service wrote is not obeyed`(type: String) async throws {
        try await forging { stream, _ in
            Forgery(position: 2, stream: stream, type: type)
        } _: { reader, stream, _ in
            try await expect(.foreignEntry, reader, stream, type: type)
            let place = await #expect(throws: LedgerError.self) { try await reader.streams([stream]) }?.place
            #expect(place == LedgerError.Place(ledger: stream.ledger, position: 2))
            // Who has no key reads it.
            #expect(try await reader.checking(.unchecked).streams([stream])[stream]?.count == 2)
        }
    }

    @Test func `the code of another entry, ledger or key is none`() async throws {
        try await forging { stream, row in
            Forgery(position: 2, stream: stream, code: row.code)
        } _: { reader, stream, _ in
            try await expect(.foreignEntry, reader, stream)
        }
        let leaf = [UInt8](repeating: 3, count: 32), ledger = LedgerID(UUID()), id = UUID()
        let code = EventCodes.test.code(ledger: ledger, id: id, leaf: leaf)
        #expect(code.count == 18 && EventCodes.test.isRight(code, ledger: ledger, at: 1, id: id, leaf: leaf))
        #expect(!EventCodes.test.isRight(code, ledger: LedgerID(UUID()), at: 1, id: id, leaf: leaf))
        #expect(!EventCodes(key: .init(size: .bits256)).isRight(code, ledger: ledger, at: 1, id: id, leaf: leaf))
        for index in code.indices {
            var other = code
            other[index] ^= 1
            #expect(!EventCodes.test.isRight(other, ledger: ledger, at: 1, id: id, leaf: leaf), "\(index)")
        }
        #expect(!EventCodes.test.isRight(Array(code.dropLast()), ledger: ledger, at: 1, id: id, leaf: leaf))
        #expect(
            !EventCodes.test.isRight(
                EventCodes.unchecked.code(ledger: ledger, id: id, leaf: leaf), ledger: ledger, at: 1, id: id,
                leaf: leaf))
    }

    /// Its id is unique, so the copy has another one, for which its code is not right.
    @Test func `a copied entry counts in its own row only`() async throws {
        try await forging { stream, row in
            Forgery(position: 2, stream: stream, copied: (row.entry, row.code))
        } _: { reader, stream, _ in
            try await expect(.foreignEntry, reader, stream)
        }
    }

    @Test(arguments: ["kind = 'other'", "version = 7", "type = 'Other'", "time = time + interval '1 microsecond'"])
    func `a changed column is refused`(change: String) async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test()
                _ = try await appender.append(.test(stream))
                var owner = try await database.connect(as: .superuser)
                try await owner.executeScript("UPDATE tenure.event SET \(change)")
                let error = await #expect(throws: LedgerError.self) {
                    try await LedgerReader(pool: pool).event(stream.ledger, at: 1)
                }
                #expect(error?.code == .invalidEntry)
            }
        }
    }

    @Test func `a stream with a gap is refused, in full and at its end`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test()
                _ = try await appender.append(.test(stream, events: 5))
                let reader = LedgerReader(pool: pool)
                var owner = try await database.connect(as: .superuser)
                try await owner.execute("DELETE FROM tenure.event WHERE version = 3")
                for query in [
                    StreamsQuery([stream]), StreamsQuery([], tail: .init(stream, fromLast: ["Missing"], .test)),
                ] {
                    let error = await #expect(throws: LedgerError.self) { try await reader.read(query) }
                    #expect(error?.code == .streamGap && error?.place?.position == 4)
                }
                await #expect(throws: LedgerError.self) { try await reader.stream(stream, after: 1) }
                #expect(try await reader.stream(stream, after: 3).count == 2)
                let tail = StreamsQuery([], tail: .init(stream, fromLast: ["CredentialsLocked"], .test))
                #expect(try await reader.read(tail).streams[stream]?.count == 1)
            }
        }
    }

    /// Else a forged row with the id and bytes of a lost append would make its caller believe that it is recorded.
    @Test func `a repeated append does not take a row without its code for its own`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), append = Append.test(stream)
                let entry = try Entry.encode(append.events[0], version: 1, time: append.time)
                var forgery = Forgery(
                    position: 1, stream: stream, version: 1, id: append.events[0].id, time: append.time)
                forgery.type = append.events[0].type
                forgery.copied = (entry, [UInt8](repeating: 0, count: EventCodes.byteCount))
                let statement = try forgery.statement()
                try await pool.withTransaction(in: [stream.ledger]) { connection in
                    try await connection.execute(
                        "INSERT INTO tenure.ledger (ledger_id, size) VALUES (\(stream.ledger.uuid), 1)")
                    try await connection.execute(statement)
                }
                let error = await #expect(throws: LedgerError.self) { try await appender.append(append) }
                #expect(error?.code == .eventIdReused)
            }
        }
    }
}
