import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LedgerReader {
    /// Returns those rows between two sizes of a ledger that have no code. The entries are not read: the leaf hashes
    /// are those of the rows.
    ///
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled``.
    public func foreign(
        _ ledger: LedgerID, _ range: Range<Int64>
    ) async throws(LedgerError) -> [(place: LedgerError.Place, leaf: [UInt8])] {
        let sql: SQL = """
            SELECT position, leaf, code FROM tenure.event WHERE ledger_id = \(ledger.uuid)
                AND position > \(range.lowerBound) AND position <= \(range.upperBound) ORDER BY position
            """
        let rows = try await rows(sql, [ledger]) { row in try row.decode(Int64.self, [UInt8].self, [UInt8].self) }
        return rows.compactMap { position, leaf, code in
            codes.isRight(code, ledger: ledger, leaf: leaf)
                ? nil : (LedgerError.Place(ledger: ledger, position: position), leaf)
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
