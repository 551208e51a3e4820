import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The feed: a cursor is one position per ledger, and no order between ledgers is promised.
///
/// A position is given by the head row that an append holds until it commits, so whoever sees a position sees all
/// smaller ones: nothing can commit later behind a cursor.
extension LedgerReader {
    /// The events of a ledger after a position, at most `limit`, all or those of some types.
    ///
    /// Size and events are of one snapshot.
    public func ledger(
        _ id: LedgerID, after position: Int64 = 0, limit: Int = 500, types: [String]? = nil
    ) async throws(LedgerError) -> LedgerPage {
        let limit = max(limit, 1)
        let sql: SQL =
            types.map { filtered(id, position, limit, $0) } ?? """
                SELECT size, position, event_id, entry
                FROM tenure.feed_page(\(id.uuid), \(position), \(Int64(limit)))
                """
        var size: Int64 = 0
        let events = try await rows(sql, [id]) { row -> RecordedEvent? in
            let (head, position, event, entry) = try row.decode(Int64.self, Int64?.self, UUID?.self, [UInt8]?.self)
            size = head
            guard let position, let event, let entry else { return nil }
            return try Self.event(ledger: id.uuid, position: position, id: event, entry: entry)
        }.compactMap(\.self)
        let cursor = events.count == limit ? events.last?.position : nil
        return LedgerPage(events: events, cursor: cursor ?? max(size, position), size: size)
    }

    private func filtered(_ id: LedgerID, _ position: Int64, _ limit: Int, _ types: [String]) -> SQL {
        """
            SELECT h.size, e.position, e.event_id, e.entry
            FROM (SELECT coalesce(max(size), 0) AS size FROM tenure.ledger WHERE ledger_id = \(id.uuid)) AS h
            LEFT JOIN LATERAL (
                SELECT v.position, v.event_id, v.entry FROM tenure.event AS v
                WHERE v.ledger_id = \(id.uuid) AND v.position > \(position) AND v.type = ANY (\(types))
                ORDER BY v.position LIMIT \(Int64(limit))) AS e ON true
            ORDER BY e.position
        """
    }

    /// The sizes of those ledgers that have events after the cursor given for them, 0 when none is given.
    ///
    /// For a pool of the reader role, which sees all ledgers. With `among`, only those are looked at, and the
    /// application role may ask too.
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
