public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The statement that reads the first event of the stream whose id owns a claim, or, where nobody owns it, of another
/// stream: the same work for both. It can be sent together with other statements.
public struct OwnerBeginningQuery: Sendable {
    /// The statement; ``read(_:)`` takes its rows.
    public let sql: SQL

    /// Asks for the beginning of a stream in the claim's ledger.
    ///
    /// - Parameters:
    ///   - claim: Who owns it is the stream's id.
    ///   - kind: The kind of either stream.
    ///   - other: The id of the stream that is read where nobody owns the claim; nil for none.
    public init(_ claim: ClaimKey, kind: String, otherwise other: UUID?) {
        let ledger = claim.ledger.uuid
        sql = """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE ledger_id = \(ledger) AND kind = \(kind) AND version = 1 AND stream_id = coalesce((
                SELECT owner FROM tenure.claim
                WHERE ledger_id = \(ledger) AND kind = \(claim.kind) AND key = \(claim.digest)), \(other))
            """
    }

    /// The event; nil for a stream that has none.
    public func read(_ rows: [PostgresRow]) throws -> RecordedEvent? { try rows.first.map(LedgerReader.event) }
}
