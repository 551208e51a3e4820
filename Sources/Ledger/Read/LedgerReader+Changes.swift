import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A moment of the feed: what one look at the database saw. It is worth nothing to another server, or to a server that
/// was started anew, so it is kept in memory only; positions are what is stored.
public struct FeedMark: Sendable, Hashable {
    /// The snapshot as PostgreSQL writes it: which transactions it saw ended.
    let snapshot: String
    /// When the server was started, and when it began to count what it writes, in microseconds since 1970.
    ///
    /// A server that recovers from the crash of one of its processes is not started anew, but hands out the numbers again of
    /// transactions that it lost, because nobody had waited for them; it begins to count then (PostgreSQL 15 manual,
    /// section 28.2.1). Somebody else's reset of the counters costs one comparison of all ledgers.
    let server: [Int64]
}

/// What changed between two looks.
public struct FeedChanges: Sendable, Hashable {
    /// Where the next look starts.
    public let mark: FeedMark
    /// The sizes of the ledgers that grew; nil when nobody can say, because there was no mark or it was of another
    /// server: then every ledger is to be compared with its cursor.
    public let ledgers: [LedgerID: Int64]?
}

extension LedgerReader {
    /// The ledgers that grew since a mark, without looking at any other.
    ///
    /// What the snapshot of this look sees and that of the mark did not: an append that commits late is found by the
    /// look after its commit, whatever else was committed before. For a pool of the reader role.
    public func changes(since mark: FeedMark?) async throws(LedgerError) -> FeedChanges {
        let found: SQL = mark.map { "tenure.changed_ledgers((\($0.snapshot)::text)::pg_snapshot)" } ?? Self.nothing
        let sql: SQL = """
            SELECT pg_current_snapshot()::text, pg_postmaster_start_time(), w.stats_reset, c.ledger_id, c.size
            FROM pg_stat_wal AS w LEFT JOIN \(found) AS c ON true
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
        guard let next else { throw LedgerError(.unavailable, "the database did not tell its snapshot") }
        return FeedChanges(mark: next, ledgers: mark?.server == next.server ? ledgers : nil)
    }

    private static let nothing: SQL = "(SELECT NULL::uuid AS ledger_id, NULL::bigint AS size WHERE false)"
}
