package import Canonical
import FoundationEssentials
import Postgres

extension LedgerReader {
    /// Reports those rows between two sizes of a ledger that have no code to ``EventCodes/disowned``. The entries are not
    /// read: the leaf hashes are those of the rows.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``, and ``LedgerError/Code/invalidEntry``
    ///   if the ledger has a gap.
    public func check(_ ledger: LedgerID, _ range: Range<Int64>) async throws(LedgerError) {
        let page: Int64 = 1_000
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int64.Stride(page)) {
            _ = try await leaves(ledger, start..<min(start + page, range.upperBound), checkedAfter: start)
        }
    }

    /// Returns the version of a stream, which an append expects, and the time of its last event. It does not read the
    /// stream: what a service wrote follows something without a gap, so only rows above its newest event are looked at.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    package func end(of id: StreamID) async throws(LedgerError) -> (version: Int, time: Timestamp?) {
        let page = 50
        var above: Set<Int> = [], next = Int32.max
        while true {
            let sql: SQL = """
                SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
                WHERE ledger_id = \(id.ledger.uuid) AND stream_id = \(id.id) AND kind = \(id.kind)
                    AND version <= \(next)
                ORDER BY version DESC LIMIT \(Int64(page))
                """
            let entries = try await rows(sql, [id.ledger], codedEntry)
            for entry in entries {
                if !entry.isDisowned, let event = try? entry.event() {
                    return (above.end(after: event.streamVersion), event.time)
                }
                above.insert(entry.streamVersion)
                next = entry.version - 1
            }
            if entries.count < page { return (above.end(after: 0), nil) }
        }
    }

    /// Returns the rows of a stream with a version above one, without checking them.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    package func rows(of id: StreamID, after version: Int, limit: Int) async throws(LedgerError) -> [CodedEntry] {
        let sql: SQL = """
            SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
            WHERE ledger_id = \(id.ledger.uuid) AND stream_id = \(id.id) AND kind = \(id.kind)
                AND version > \(Int32(clamping: version))
            ORDER BY version LIMIT \(Int64(limit))
            """
        return try await rows(sql, [id.ledger], codedEntry)
    }
}
