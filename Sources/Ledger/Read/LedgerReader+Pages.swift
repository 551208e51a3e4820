import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LedgerReader {
    /// The next pages of those of some ledgers that have events after their cursors: one round trip for all of them.
    ///
    /// At most `limit` events, and at least one of each ledger that has any, so that none waits behind another. Entries
    /// are not decoded: whoever only passes them on, or hashes them, need not pay for that.
    public func entries(
        after cursors: [LedgerID: Int64], limit: Int = 4_000
    ) async throws(LedgerError) -> [LedgerID: FeedPage] {
        let known = Array(cursors)
        let each = max(limit / max(known.count, 1), 1)
        let sql: SQL = """
            SELECT ledger, size, positions, event_ids, entries
            FROM tenure.feed_pages(\(known.map(\.key.uuid)), \(known.map(\.value)), \(Int64(each)))
            """
        let pages = try await rows(sql, cursors.keys) { row -> (LedgerID, FeedPage) in
            let (place, size, positions, ids, entries) = try row.decode(
                Int32.self, Int64.self, [Int64].self, [UUID].self, [[UInt8]].self)
            guard known.indices.contains(Int(place) - 1), let last = positions.last,
                positions.count == ids.count, positions.count == entries.count
            else { throw LedgerError(.unavailable, "the database answered out of contract") }
            let ledger = known[Int(place) - 1].key
            let page = FeedPage(
                ledger: ledger, positions: positions, ids: ids, entries: entries,
                cursor: positions.count == each ? last : max(size, last), size: size)
            return (ledger, page)
        }
        return Dictionary(pages, uniquingKeysWith: { first, _ in first })
    }

    /// The same, decoded.
    public func pages(
        after cursors: [LedgerID: Int64], limit: Int = 4_000
    ) async throws(LedgerError) -> [LedgerID: LedgerPage] {
        var pages: [LedgerID: LedgerPage] = [:]
        for (ledger, page) in try await entries(after: cursors, limit: limit) { pages[ledger] = try page.decoded() }
        return pages
    }
}

/// A part of a ledger as it is stored, in the order of positions.
public struct FeedPage: Sendable {
    /// The ledger it is of.
    public let ledger: LedgerID
    /// The position of each event.
    public let positions: [Int64]
    /// The id of each event, as the table says; ``decoded()`` holds it against the entry.
    public let ids: [UUID]
    /// The bytes of each event.
    public let entries: [[UInt8]]
    /// The position up to which the ledger has been read: where the next page starts after.
    public let cursor: Int64
    /// The number of events of the ledger when the page was read.
    public let size: Int64

    /// Reads the entries.
    ///
    /// - Throws: ``LedgerError/Code/invalidEntry``.
    public func decoded() throws(LedgerError) -> LedgerPage {
        var events: [RecordedEvent] = []
        events.reserveCapacity(positions.count)
        for index in positions.indices {
            events.append(
                try LedgerReader.event(
                    ledger: ledger.uuid, position: positions[index], id: ids[index], entry: entries[index]))
        }
        return LedgerPage(events: events, cursor: cursor, size: size)
    }
}
