public import Canonical
public import FoundationEssentials
public import Postgres

/// Reads ledgers. It never waits for a writer and never makes one wait.
///
/// ```swift
/// let reader = LedgerReader(pool: pool, codes: codes)
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
    /// What the codes of events are checked with.
    public private(set) var codes: EventCodes
    /// The codes of stored tiles; see ``using(_:)``.
    var tileCodes: TileCodes?
    /// Whether a claim that was found counts.
    private var accepts: @Sendable (Claim) -> Bool = { _ in true }

    /// A reader over a pool of the application role, or over one of the reader role with `storesTiles` false.
    ///
    /// - Parameter codes: What every event must have a code of; ``EventCodes/unchecked`` for who has no keys.
    public init(pool: PostgresPool, codes: EventCodes, storesTiles: Bool = true) {
        self.pool = pool
        self.codes = codes
        self.storesTiles = storesTiles
    }

    /// Returns a reader that checks codes with `codes`.
    public func checking(_ codes: EventCodes) -> LedgerReader {
        var reader = self
        reader.codes = codes
        return reader
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
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func streams(_ ids: [StreamID]) async throws(LedgerError) -> [StreamID: StreamEvents] {
        var streams: [StreamID: StreamEvents] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.width) {
            let read = try await read(StreamsQuery(Array(ids[start..<min(start + Self.width, ids.count)])))
            streams.merge(read.streams) { first, _ in first }
        }
        return streams
    }

    /// Runs a query.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func read(_ query: StreamsQuery) async throws(LedgerError) -> StreamsRead {
        do {
            let rows: [PostgresRow]
            if storesTiles {
                rows = try await pool.query(query.sql, in: query.ledgers)
            } else {
                rows = try await pool.withConnection { connection in try await connection.query(query.sql) }
            }
            return try query.read(rows, codes)
        } catch {
            throw LedgerError(wrapping: error)
        }
    }

    /// Returns the first event of each of several streams, in no order, from one snapshot. A missing stream has none.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func beginnings(of ids: [StreamID]) async throws(LedgerError) -> [RecordedEvent] {
        let sql: SQL = """
            SELECT ledger_id, \(CodedEntry.columns)
            FROM unnest(\(ids.map(\.ledger.uuid)), \(ids.map(\.kind)), \(ids.map(\.id)))
                AS s(ledger_id, kind, stream_id)
            JOIN tenure.event AS e USING (ledger_id, kind, stream_id)
            WHERE version = 1
            """
        return try await rows(sql, Set(ids.map(\.ledger)), event).compactMap(\.self)
    }

    /// Returns at most `limit` events of a stream with a version above `version`, in the order of versions.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func stream(
        _ id: StreamID, after version: Int = 0, limit: Int = 1_000
    ) async throws(LedgerError) -> [RecordedEvent] {
        let sql: SQL = """
            SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
            WHERE ledger_id = \(id.ledger.uuid) AND stream_id = \(id.id) AND kind = \(id.kind)
                AND version > \(Int32(clamping: version))
            ORDER BY version LIMIT \(Int64(clamping: limit))
            """
        var disowned: Set<Int> = []
        let events = try await rows(sql, [id.ledger]) { row -> RecordedEvent? in
            let entry = try codedEntry(row)
            if entry.isDisowned { disowned.insert(Int(entry.version)) }
            return entry.isDisowned ? nil : try entry.event()
        }
        return try StreamEvents(events.compactMap(\.self), disowned: disowned, after: version).events
    }

    /// Returns the event at a position, or `nil` if the ledger is shorter.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func event(_ ledger: LedgerID, at position: Int64) async throws(LedgerError) -> RecordedEvent? {
        let sql: SQL = """
            SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
            WHERE ledger_id = \(ledger.uuid) AND position = \(position)
            """
        return try await rows(sql, [ledger], event).first ?? nil
    }

    /// Returns the event with an id, or `nil` if the ledger has none.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func event(_ ledger: LedgerID, id: UUID) async throws(LedgerError) -> RecordedEvent? {
        let sql: SQL = """
            SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
            WHERE ledger_id = \(ledger.uuid) AND event_id = \(id)
            """
        return try await rows(sql, [ledger], event).first ?? nil
    }

    /// Reads `ledger_id` and the columns of a ``CodedEntry``.
    func codedEntry(_ row: PostgresRow) throws(PostgresError) -> CodedEntry {
        try CodedEntry(row, of: LedgerID(try row.decode(column: 0)), from: 1, codes)
    }

    /// Reads the event of such a row; `nil` if it is disowned.
    private func event(_ row: PostgresRow) throws -> RecordedEvent? {
        let entry = try codedEntry(row)
        return entry.isDisowned ? nil : try entry.event()
    }

    /// Reads the size of a ledger and the columns of a ``CodedEntry``, which are NULL where there is no event.
    func codedEntry(_ row: PostgresRow, _ ledger: LedgerID, _ size: inout Int64) throws(PostgresError) -> CodedEntry? {
        size = try row.decode(column: 0)
        guard try row.decode(column: 1, as: Int64?.self) != nil else { return nil }
        return try CodedEntry(row, of: ledger, from: 1, codes)
    }
}

/// A page of a ledger with unparsed entries, in the order of positions.
public struct EntryPage: Sendable {
    /// The entries, except those of the types left out.
    public let entries: [CodedEntry]
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
    /// - Parameter leavingDisowned: Whether disowned entries are among them.
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func entries(
        of id: LedgerID, after position: Int64, through last: Int64 = .max, limit: Int, without types: [String],
        leavingDisowned: Bool = false
    ) async throws(LedgerError) -> EntryPage {
        let limit = max(limit, 1)
        let sql: SQL = """
            SELECT h.size, \(CodedEntry.columns)
            FROM (SELECT coalesce(max(size), 0) AS size FROM tenure.ledger WHERE ledger_id = \(id.uuid)) AS h
            LEFT JOIN LATERAL (
                SELECT \(CodedEntry.columns) FROM tenure.event AS v
                WHERE v.ledger_id = \(id.uuid) AND v.position > \(position) AND v.position <= \(last)
                    AND v.type <> ALL (\(types))
                ORDER BY v.position LIMIT \(Int64(limit))) AS e ON true
            ORDER BY e.position
            """
        var size: Int64 = 0
        let entries = try await rows(sql, [id]) { row in try codedEntry(row, id, &size) }.compactMap(\.self)
        let cursor = entries.count == limit ? entries.last?.position : nil
        return EntryPage(
            entries: leavingDisowned ? entries : entries.filter { !$0.isDisowned },
            cursor: cursor ?? max(min(size, last), position), size: size)
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
