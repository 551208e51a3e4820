public import Canonical
public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reads ledgers. It never waits for a writer and never makes one wait.
///
/// ```swift
/// let reader = LedgerReader(pool: pool)
/// let events = try await reader.streams([stream])[stream] ?? []
/// let head = try await reader.head(stream.ledger)
/// ```
///
/// It works with a pool of the application role, whose statements see only the ledgers they name, or of the reader
/// role. Every read is one round trip unless documented otherwise.
public struct LedgerReader: Sendable {
    let pool: PostgresPool
    /// Whether full tiles are stored when they are first needed, and statements need a scope: both are so for the
    /// application role. The reader role may not write tiles, and sees all ledgers.
    let storesTiles: Bool
    /// The codes of stored tiles; see ``using(_:)``.
    var tileCodes: TileCodes?
    /// Whether a claim that was found counts.
    private var accepts: @Sendable (Claim) -> Bool = { _ in true }

    /// A reader over a pool of the application role, or over one of the reader role with `storesTiles` false.
    public init(pool: PostgresPool, storesTiles: Bool = true) {
        self.pool = pool
        self.storesTiles = storesTiles
    }

    /// Returns a reader that finds only those claims that `accepts` accepts.
    public func accepting(_ accepts: @escaping @Sendable (Claim) -> Bool) -> LedgerReader {
        var reader = self
        reader.accepts = accepts
        return reader
    }

    /// Returns the number of events of a ledger and the time of its last one, or `nil` if it has no events.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func head(_ ledger: LedgerID) async throws(LedgerError) -> (size: Int64, time: Timestamp)? {
        let sql: SQL = """
            SELECT size, "time" FROM tenure.ledger WHERE ledger_id = \(ledger.uuid) AND size > 0
            """
        let heads = try await rows(sql, [ledger]) { row -> (size: Int64, time: Timestamp) in
            let (size, time) = try row.decode(Int64.self, PostgresTimestamp.self)
            return (size, Timestamp(time))
        }
        return heads.first
    }

    /// Returns a claim, or `nil` if it has no owner. An expired claim is found until another append takes it.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func claim(_ key: ClaimKey) async throws(LedgerError) -> Claim? { try await claims([key])[key] }

    /// Returns those of the claims that have an owner.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func claims(_ keys: [ClaimKey]) async throws(LedgerError) -> [ClaimKey: Claim] {
        var claims: [ClaimKey: Claim] = [:]
        for start in stride(from: 0, to: keys.count, by: Self.width) {
            let query = ClaimsQuery(Array(keys[start..<min(start + Self.width, keys.count)]))
            for claim in try await rows(query.sql, query.ledgers, ClaimsQuery.claim) where accepts(claim) {
                claims[claim.key] = claim
            }
        }
        return claims
    }

    /// Runs a statement in the scope of `ledgers` and reads its rows.
    func rows<Value>(
        _ sql: SQL, _ ledgers: some Sequence<LedgerID> & Sendable,
        _ read: (PostgresRow) throws -> Value
    ) async throws(LedgerError) -> [Value] {
        do {
            guard storesTiles else {
                return try await pool.withConnection { connection in try await connection.query(sql) }.map(read)
            }
            return try await pool.query(sql, in: ledgers).map(read)
        } catch {
            throw LedgerError(wrapping: error)
        }
    }
}

extension LedgerReader {
    /// How many streams or claims one statement reads.
    static let width = 32

    /// Returns all events of several streams, each in the order of versions. A missing stream has no events.
    ///
    /// Up to 32 streams are read in one snapshot. More take a round trip for each 32.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled`` or ``LedgerError/Code/invalidEntry``.
    public func streams(_ ids: [StreamID]) async throws(LedgerError) -> [StreamID: [RecordedEvent]] {
        var streams: [StreamID: [RecordedEvent]] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.width) {
            let read = try await read(StreamsQuery(Array(ids[start..<min(start + Self.width, ids.count)])))
            streams.merge(read.streams) { first, _ in first }
        }
        return streams
    }

    /// Runs a query.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled`` or ``LedgerError/Code/invalidEntry``.
    public func read(_ query: StreamsQuery) async throws(LedgerError) -> StreamsRead {
        do {
            let rows: [PostgresRow]
            if storesTiles {
                rows = try await pool.query(query.sql, in: query.ledgers)
            } else {
                rows = try await pool.withConnection { connection in try await connection.query(query.sql) }
            }
            return try query.read(rows)
        } catch {
            throw LedgerError(wrapping: error)
        }
    }

    /// Returns the first event of each of several streams, in no order, from one snapshot. A missing stream has none.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled`` or ``LedgerError/Code/invalidEntry``.
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

    /// Returns at most `limit` events of a stream with a version above `version`, in the order of versions.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled`` or ``LedgerError/Code/invalidEntry``.
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

    /// Returns the event at a position, or `nil` if the ledger is shorter.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled`` or ``LedgerError/Code/invalidEntry``.
    public func event(_ ledger: LedgerID, at position: Int64) async throws(LedgerError) -> RecordedEvent? {
        let sql: SQL = """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE ledger_id = \(ledger.uuid) AND position = \(position)
            """
        return try await rows(sql, [ledger], Self.event).first
    }

    /// Returns the event with an id, or `nil` if the ledger has none.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled`` or ``LedgerError/Code/invalidEntry``.
    public func event(_ ledger: LedgerID, id: UUID) async throws(LedgerError) -> RecordedEvent? {
        let sql: SQL = """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE ledger_id = \(ledger.uuid) AND event_id = \(id)
            """
        return try await rows(sql, [ledger], Self.event).first
    }

    /// Reads `ledger_id, position, event_id, entry` and compares the row with its entry.
    static func event(_ row: PostgresRow) throws -> RecordedEvent {
        let (ledger, position, id, entry) = try row.decode(UUID.self, Int64.self, UUID.self, [UInt8].self)
        return try event(ledger: ledger, position: position, id: id, entry: entry)
    }

    static func event(
        ledger: UUID, position: Int64, id: UUID, entry: [UInt8]
    ) throws(LedgerError) -> RecordedEvent {
        let event = try Entry.decode(entry, at: position)
        guard event.ledger.uuid == ledger, event.id == id else {
            throw LedgerError(.invalidEntry, "an entry does not match its row")
        }
        return event
    }
}

/// The stored bytes of an event, not yet parsed.
public struct StoredEntry: Sendable {
    /// The ledger.
    public let ledger: LedgerID
    /// The position in the ledger.
    public let position: Int64
    /// The event's id according to its row.
    public let id: UUID
    /// The event's type according to its row.
    public let type: String
    /// The entry.
    public let bytes: [UInt8]

    /// Parses the entry and compares it with its row.
    ///
    /// - Throws: ``LedgerError/Code/invalidEntry``.
    public func event() throws(LedgerError) -> RecordedEvent {
        try LedgerReader.event(ledger: ledger.uuid, position: position, id: id, entry: bytes)
    }

    /// The number of bytes before the place of a member `position`, if the entry matches its row and is plain ASCII
    /// without escapes; `nil` where ``event()`` has to parse it.
    ///
    /// With `"position":N,` put there, the bytes are the canonical JSON of the event with its position.
    package var placeOfPosition: Int? {
        guard let outline = EntryOutline(bytes), outline.ledger == ledger, outline.id == id else { return nil }
        return outline.endOfLedger
    }
}

/// A page of a ledger with unparsed entries, in the order of positions.
public struct EntryPage: Sendable {
    /// The entries, except those of the types left out.
    public let entries: [StoredEntry]
    /// The position up to which the ledger was read. It never passes an entry that was not considered.
    public let cursor: Int64
    /// The number of events of the ledger when the page was read.
    public let size: Int64
}

extension LedgerReader {
    /// Returns at most `limit` entries of a ledger after a position and up to another, except those of some types.
    ///
    /// It is for readers that know which types they do not need, so a new type is never left out. Size and entries come
    /// from one snapshot.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func entries(
        of id: LedgerID, after position: Int64, through last: Int64 = .max, limit: Int, without types: [String]
    ) async throws(LedgerError) -> EntryPage {
        let limit = max(limit, 1)
        let sql: SQL = """
            SELECT h.size, e.position, e.event_id, e.type, e.entry
            FROM (SELECT coalesce(max(size), 0) AS size FROM tenure.ledger WHERE ledger_id = \(id.uuid)) AS h
            LEFT JOIN LATERAL (
                SELECT v.position, v.event_id, v.type, v.entry FROM tenure.event AS v
                WHERE v.ledger_id = \(id.uuid) AND v.position > \(position) AND v.position <= \(last)
                    AND v.type <> ALL (\(types))
                ORDER BY v.position LIMIT \(Int64(limit))) AS e ON true
            ORDER BY e.position
            """
        var size: Int64 = 0
        let entries = try await rows(sql, [id]) { row -> StoredEntry? in
            let (head, position, event, type, entry) = try row.decode(
                Int64.self, Int64?.self, UUID?.self, String?.self, [UInt8]?.self)
            size = head
            guard let position, let event, let type, let entry else { return nil }
            return StoredEntry(ledger: id, position: position, id: event, type: type, bytes: entry)
        }.compactMap(\.self)
        let cursor = entries.count == limit ? entries.last?.position : nil
        return EntryPage(entries: entries, cursor: cursor ?? max(min(size, last), position), size: size)
    }
}

/// A page of a ledger, in the order of positions.
public struct LedgerPage: Sendable {
    /// The events of the requested types.
    public let events: [RecordedEvent]
    /// The position up to which the ledger was read. The next page starts after it. It never passes an event that was
    /// not considered, whatever the filter left out.
    public let cursor: Int64
    /// The number of events of the ledger when the page was read.
    public let size: Int64

    /// Whether the ledger had more events than this page covers.
    public var hasMore: Bool { cursor < size }
}
