import FoundationEssentials
import Postgres

/// The feed of events. A cursor is one position per ledger; there is no order between ledgers.
///
/// An append takes positions from the head row, which it locks until it commits. A reader that sees a position
/// therefore sees all smaller ones: nothing commits later behind a cursor.
extension LedgerReader {
    /// Returns at most `limit` events of a ledger after a position, of all types or of `types`.
    ///
    /// ```swift
    /// var cursor: Int64 = 0, hasMore = true
    /// while hasMore {
    ///     let page = try await reader.ledger(ledger, after: cursor)
    ///     for event in page.events { … }
    ///     (cursor, hasMore) = (page.cursor, page.hasMore)
    /// }
    /// ```
    ///
    /// Size and events come from one snapshot.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func ledger(
        _ id: LedgerID, after position: Int64 = 0, limit: Int = 500, types: [String]? = nil
    ) async throws(LedgerError) -> LedgerPage {
        let limit = max(limit, 1)
        let sql: SQL =
            types.map { filtered(id, position, limit, $0) } ?? """
                SELECT size, \(CodedEntry.columns)
                FROM tenure.feed_page(\(id.uuid), \(position), \(Int64(limit)))
                """
        var size: Int64 = 0
        let entries = try await rows(sql, [id]) { row in try codedEntry(row, id, &size) }.compactMap(\.self)
        let events = try entries.filter { !$0.isDisowned }.map { entry throws(LedgerError) in try entry.event() }
        let cursor = entries.count == limit ? entries.last?.position : nil
        return LedgerPage(events: events, cursor: cursor ?? max(size, position), size: size)
    }

    private func filtered(_ id: LedgerID, _ position: Int64, _ limit: Int, _ types: [String]) -> SQL {
        """
            SELECT h.size, \(CodedEntry.columns)
            FROM (SELECT coalesce(max(size), 0) AS size FROM tenure.ledger WHERE ledger_id = \(id.uuid)) AS h
            LEFT JOIN LATERAL (
                SELECT \(CodedEntry.columns) FROM tenure.event AS v
                WHERE v.ledger_id = \(id.uuid) AND v.position > \(position) AND v.type = ANY (\(types))
                ORDER BY v.position LIMIT \(Int64(limit))) AS e ON true
            ORDER BY e.position
        """
    }

    /// Returns the sizes of the ledgers that have events after their cursors. A ledger without a cursor counts from 0.
    ///
    /// It needs a pool of the reader role, which sees all ledgers. With `among` it reads only those, and a pool of the
    /// application role suffices.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func changedLedgers(
        since cursors: [LedgerID: Int64], among ledgers: Set<LedgerID>? = nil
    ) async throws(LedgerError) -> [LedgerID: Int64] {
        let known = Array(cursors)
        let filter: SQL = ledgers.map { "AND l.ledger_id = ANY (\($0.map(\.uuid)))" } ?? ""
        let sql: SQL = """
            SELECT l.ledger_id, l.size FROM tenure.ledger AS l
            LEFT JOIN unnest(\(known.map(\.key.uuid)), \(known.map(\.value))) AS c(ledger_id, position)
                ON c.ledger_id = l.ledger_id
            WHERE l.size > coalesce(c.position, 0) \(filter)
            """
        let changed = try await rows(sql, ledgers ?? []) { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return (LedgerID(ledger), size)
        }
        return Dictionary(changed, uniquingKeysWith: { first, _ in first })
    }
}

/// A snapshot of the feed that a later look compares with.
///
/// A mark is valid only until the server restarts, so keep it in memory. Store positions instead.
public struct FeedMark: Sendable, Hashable {
    /// The snapshot as PostgreSQL writes it: the transactions that had ended.
    let snapshot: String
    /// The server's start time and the time since which it counts its writes, in microseconds since 1970.
    ///
    /// After the crash of one of its processes a server recovers without a new start time. It then reuses the ids of
    /// lost transactions that no one had waited for. The counters restart at that moment, which reveals it (PostgreSQL
    /// 15 manual, section 28.2.1). If someone else resets the counters, this costs one comparison of all ledgers.
    let server: [Int64]
}

/// The ledgers that changed between two looks at the feed.
public struct FeedChanges: Sendable, Hashable {
    /// The mark to pass to the next look.
    public let mark: FeedMark
    /// The sizes of the ledgers that grew, or `nil` if they are unknown because there was no mark or it came from
    /// another server. Then compare every ledger with its cursor.
    public let ledgers: [LedgerID: Int64]?
}

extension LedgerReader {
    /// Returns the ledgers that grew since a mark, without reading the other ones.
    ///
    /// ```swift
    /// let first = try await reader.changes(since: nil)            // `ledgers` is nil: compare every ledger
    /// let next = try await reader.changes(since: first.mark)      // `ledgers` holds those that grew in between
    /// ```
    ///
    /// It compares the snapshot of this look with that of the mark. An append that commits late is therefore found by
    /// the first look after its commit. It needs a pool of the reader role.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func changes(since mark: FeedMark?) async throws(LedgerError) -> FeedChanges {
        let sql: SQL = """
            SELECT c.mark, pg_postmaster_start_time(), w.stats_reset, c.ledger_id, c.size
            FROM pg_stat_wal AS w CROSS JOIN tenure.changed_ledgers((\(mark?.snapshot)::text)::pg_snapshot) AS c
            """
        var next: FeedMark?
        var ledgers: [LedgerID: Int64] = [:]
        _ = try await rows(sql, []) { row in
            let (snapshot, start, counting, ledger, size) = try row.decode(
                String.self, PostgresTimestamp.self, PostgresTimestamp?.self, UUID?.self, Int64?.self)
            let server = [start, counting].compactMap { $0?.microsecondsSinceUnixEpoch }
            next = FeedMark(snapshot: snapshot, server: server)
            if let ledger, let size { ledgers[LedgerID(ledger)] = size }
        }
        guard let next else { throw LedgerError(.unavailable, "the database did not report its snapshot") }
        return FeedChanges(mark: next, ledgers: mark?.server == next.server ? ledgers : nil)
    }
}

extension LedgerReader {
    /// Returns the next page of each ledger that has events after its cursor, in one round trip.
    ///
    /// There are at most `limit` events in all, but at least one of each ledger that has any, so that no ledger waits
    /// behind another. Entries are not decoded, which spares callers that only forward or hash them.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func entries(
        after cursors: [LedgerID: Int64], limit: Int = 4_000
    ) async throws(LedgerError) -> [LedgerID: FeedPage] {
        let known = Array(cursors)
        let each = max(limit / max(known.count, 1), 1)
        let sql: SQL = """
            SELECT ledger, size, positions, event_ids, stream_ids, kinds, versions, types, times, entries, codes
            FROM tenure.feed_pages(\(known.map(\.key.uuid)), \(known.map(\.value)), \(Int64(each)))
            """
        let pages = try await rows(sql, cursors.keys) { row -> (LedgerID, FeedPage) in
            let place = Int(try row.decode(column: 0, as: Int32.self)) - 1
            let size = try row.decode(column: 1, as: Int64.self)
            guard known.indices.contains(place),
                let entries = try CodedEntry.page(row, of: known[place].key, from: 2, codes), let last = entries.last
            else { throw LedgerError(.unavailable, "the database's answer does not have the expected form") }
            let page = FeedPage(
                entries: entries.filter { !$0.isDisowned },
                cursor: entries.count == each ? last.position : max(size, last.position), size: size)
            return (known[place].key, page)
        }
        return Dictionary(pages, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the next page of each ledger like ``entries(after:limit:)``, decoded.
    ///
    /// - Throws: ``LedgerError/Code/unavailable``, ``LedgerError/Code/cancelled``, or what ``CodedEntry/event()`` throws.
    public func pages(
        after cursors: [LedgerID: Int64], limit: Int = 4_000
    ) async throws(LedgerError) -> [LedgerID: LedgerPage] {
        var pages: [LedgerID: LedgerPage] = [:]
        for (ledger, page) in try await entries(after: cursors, limit: limit) { pages[ledger] = try page.decoded() }
        return pages
    }
}

/// A page of a ledger with undecoded entries, in the order of positions.
public struct FeedPage: Sendable {
    /// The entries.
    public let entries: [CodedEntry]
    /// The position up to which the ledger was read. The next page starts after it.
    public let cursor: Int64
    /// The number of events of the ledger when the page was read.
    public let size: Int64

    /// Decodes the entries.
    ///
    /// - Throws: What ``CodedEntry/event()`` throws.
    public func decoded() throws(LedgerError) -> LedgerPage {
        let events = try entries.map { entry throws(LedgerError) in try entry.event() }
        return LedgerPage(events: events, cursor: cursor, size: size)
    }
}
