public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LedgerReader {
    /// All events of several streams, each in the order of versions; one snapshot. A missing stream has no events.
    public func streams(_ ids: [StreamID]) async throws(LedgerError) -> [StreamID: [RecordedEvent]] {
        let read = try await read(StreamsQuery(ids))
        return read.streams
    }

    /// Runs a query together with further statements, which may also touch `ledgers`: one round trip.
    public func read(
        _ query: StreamsQuery, beside statements: [SQL] = [], in ledgers: [LedgerID] = []
    ) async throws(LedgerError) -> StreamsRead {
        do {
            let answers: [[PostgresRow]]
            if storesTiles {
                answers = try await pool.pipeline([query.sql] + statements, in: query.ledgers.union(ledgers))
            } else {
                answers = try await pool.withConnection { connection in
                    try await connection.pipeline([query.sql] + statements)
                }
            }
            let found = try query.read(answers.first ?? [])
            return StreamsRead(streams: found.streams, founding: found.founding, rows: Array(answers.dropFirst()))
        } catch {
            throw LedgerError(wrapping: error)
        }
    }

    /// The first event of each of several streams, in no order; a missing stream has none. One snapshot.
    public func beginnings(of ids: [StreamID]) async throws(LedgerError) -> [RecordedEvent] {
        let sql: SQL = """
            SELECT e.ledger_id, e.position, e.event_id, e.entry
            FROM unnest(\(ids.map(\.ledger.uuid)), \(ids.map(\.kind)), \(ids.map(\.id)))
                AS s(ledger_id, kind, stream_id)
            JOIN tenure.event AS e USING (ledger_id, kind, stream_id)
            WHERE e.version = 1
            """
        return try await rows(sql, Set(ids.map(\.ledger)), Self.event)
    }

    /// The events of a stream with a version above `version`, at most `limit`, in the order of versions.
    public func stream(
        _ id: StreamID, after version: Int = 0, limit: Int = 1_000
    ) async throws(LedgerError) -> [RecordedEvent] {
        let sql: SQL = """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE ledger_id = \(id.ledger.uuid) AND stream_id = \(id.id) AND kind = \(id.kind)
                AND version > \(Int32(clamping: version))
            ORDER BY version LIMIT \(Int64(clamping: limit))
            """
        return try await rows(sql, [id.ledger], Self.event)
    }

    /// The event at a position, or nil when the ledger is shorter.
    public func event(_ ledger: LedgerID, at position: Int64) async throws(LedgerError) -> RecordedEvent? {
        let sql: SQL = """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE ledger_id = \(ledger.uuid) AND position = \(position)
            """
        return try await rows(sql, [ledger], Self.event).first
    }

    /// An event by its id, or nil when the ledger has none of that id.
    public func event(_ ledger: LedgerID, id: UUID) async throws(LedgerError) -> RecordedEvent? {
        let sql: SQL = """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE ledger_id = \(ledger.uuid) AND event_id = \(id)
            """
        return try await rows(sql, [ledger], Self.event).first
    }

    /// Reads `ledger_id, position, event_id, entry` and holds the row against its entry.
    static func event(_ row: PostgresRow) throws -> RecordedEvent {
        let (ledger, position, id, entry) = try row.decode(UUID.self, Int64.self, UUID.self, [UInt8].self)
        return try event(ledger: ledger, position: position, id: id, entry: entry)
    }

    static func event(
        ledger: UUID, position: Int64, id: UUID, entry: [UInt8]
    ) throws(LedgerError) -> RecordedEvent {
        let event = try Entry.decode(entry, at: position)
        guard event.ledger.uuid == ledger, event.id == id else {
            throw LedgerError(.invalidEntry, "an entry is not the one its row says")
        }
        return event
    }
}
