import FoundationEssentials
import Ledger
import Postgres

/// Holds every ledger against its views, a bounded number at a time, and begins anew at the end.
///
/// This is how a projector that has just started finds what happened before; later it is a second net below the feed.
struct LedgerSweep: Sendable {
    /// How many ledgers one page looks at.
    static let pageSize: Int64 = 5_000
    /// How long after its end a sweep begins again.
    static let pause: Duration = .seconds(600)

    private var after: UUID?
    private var nextAt: ContinuousClock.Instant?

    /// Whether a page is due.
    func isDue(at now: ContinuousClock.Instant) -> Bool { nextAt.map { $0 <= now } ?? true }

    /// The ledgers of the next page whose live views are behind.
    mutating func page(_ pool: PostgresPool) async throws -> [LedgerID] {
        let start: SQL = after.map { "WHERE h.ledger_id > \($0)" } ?? ""
        let sql: SQL = """
            SELECT l.ledger_id, l.size > p.position FROM (
                SELECT h.ledger_id, h.size FROM tenure.ledger AS h \(start) ORDER BY h.ledger_id LIMIT \(Self.pageSize)
            ) AS l CROSS JOIN LATERAL (
                SELECT min(coalesce(r.position, 0)) AS position
                FROM tenure.projection_generation AS g LEFT JOIN tenure.projection_progress AS r
                    ON r.ledger_id = l.ledger_id AND r.projection = g.projection AND r.generation = g.live
            ) AS p ORDER BY l.ledger_id
            """
        let rows = try await pool.withConnection { connection in try await connection.query(sql) }
            .map { row in try row.decode(UUID.self, Bool.self) }
        let isLast = Int64(rows.count) < Self.pageSize
        after = isLast ? nil : rows.last?.0
        nextAt = isLast ? .now + Self.pause : nil
        return rows.filter(\.1).map { LedgerID($0.0) }.filter(TenantLedgers.contains)
    }
}
