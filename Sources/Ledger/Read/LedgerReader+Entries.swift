import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The bytes of an event as they are stored, not yet read.
public struct StoredEntry: Sendable {
    /// The ledger.
    public let ledger: LedgerID
    /// The place in the ledger.
    public let position: Int64
    /// The id of the row.
    public let id: UUID
    /// The type that the row names.
    public let type: String
    /// The entry.
    public let bytes: [UInt8]

    /// Reads the entry and holds it against its row.
    ///
    /// - Throws: ``LedgerError/Code/invalidEntry``.
    public func event() throws(LedgerError) -> RecordedEvent {
        try LedgerReader.event(ledger: ledger.uuid, position: position, id: id, entry: bytes)
    }
}

/// A part of a ledger whose entries are not yet read, in the order of positions.
public struct EntryPage: Sendable {
    /// The entries, without those of the types left out.
    public let entries: [StoredEntry]
    /// The position up to which the ledger was looked at; never past an entry that was not.
    public let cursor: Int64
    /// The number of events of the ledger when the page was read.
    public let size: Int64
}

extension LedgerReader {
    /// The entries of a ledger after a position and up to another, at most `limit`, all but those of some types.
    ///
    /// For readers that know what they do not need: a type that nobody has heard of is never left out. Size and entries
    /// are of one snapshot.
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
