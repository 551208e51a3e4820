import FoundationEssentials
import Ledger
import Postgres

/// Moves the views of many ledgers over events that change none of them: one round trip, whatever the number of ledgers.
///
/// Most of what companies do, such as every log-in, changes no view, and yet readers wait for positions. Any number of
/// passes, followers and rebuilds may be at work at once: a pass waits for a switch only, and leaves a ledger alone
/// unless it holds the rows of all views.
struct LedgerPass: Sendable {
    /// How many ledgers share a transaction.
    static let width = 200
    /// How many events a pass looks at in one ledger; where there are more, nothing is held while they are read.
    static let reach: Int64 = 1_000

    /// How a ledger stands whose views can all go on.
    struct Standing: Sendable, Equatable {
        /// The position that all views had reached.
        let position: Int64
        /// The number of events of the ledger.
        let size: Int64
        /// Whether all views were moved to the end.
        let isPassed: Bool
    }

    private static let ignored = ReadModels.typesWithoutEffect(on: ProjectionName.all)

    /// Of the reader role.
    let pool: PostgresPool

    /// Passes over what it can.
    ///
    /// - Parameter ledgers: Each once, at most ``width`` of them.
    /// - Returns: The ledgers of which all views can go on. Others have a view without a row, one that has stopped, one
    ///   of a later revision, or one that another program is at work on.
    func run(_ ledgers: [LedgerID]) async throws -> [LedgerID: Standing] {
        if ledgers.isEmpty { return [:] }
        // All in one go, so that nothing is held while an answer travels. After an error the connection is in a
        // transaction that has failed, and the pool closes it.
        let answers = try await pool.withConnection { connection in
            try await connection.pipeline([
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", Self.settings, ProgressRow.holdGenerations,
                Self.pass(ledgers), "COMMIT",
            ])
        }
        var standings: [LedgerID: Standing] = [:]
        for row in answers[3] {
            let (ledger, position, size, isPassed) = try row.decode(UUID.self, Int64.self, Int64.self, Bool.self)
            standings[LedgerID(ledger)] = Standing(position: position, size: size, isPassed: isPassed)
        }
        return standings
    }

    /// What a crash of the server takes back is followed again. The plan is made once for each connection, also while
    /// the tables are empty, and used when they are large.
    private static let settings: SQL = """
        SELECT set_config('synchronous_commit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
            set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)
        """

    /// Locks rows, looks, and moves them.
    ///
    /// Rows are locked as they are now; heads and events are seen as of the statement's snapshot. So a row may be ahead
    /// of the head that is seen, and stays where it is, but no event is unseen that the head counts. Each table is found
    /// by way of the ledgers and by nothing else: subqueries that lock, or skip no rows, are not rearranged.
    private static func pass(_ ledgers: [LedgerID]) -> SQL {
        """
        WITH live AS MATERIALIZED (
            SELECT g.projection, g.live AS generation FROM tenure.projection_generation AS g
            JOIN unnest(\(ReadModels.all.map { $0.name.rawValue }), \(ReadModels.all.map { $0.revision }))
                AS m(projection, revision) ON m.projection = g.projection AND m.revision >= g.live_revision
        ), held AS MATERIALIZED (
            SELECT w.ledger_id, r.position FROM unnest(\(ledgers.map(\.uuid))) AS w(ledger_id)
            CROSS JOIN LATERAL (
                SELECT p.position FROM live AS l JOIN tenure.projection_progress AS p
                    ON p.ledger_id = w.ledger_id AND p.projection = l.projection AND p.generation = l.generation
                WHERE p.failure IS NULL FOR NO KEY UPDATE OF p SKIP LOCKED
            ) AS r
        ), standing AS MATERIALIZED (
            SELECT s.ledger_id, s.position, h.size,
                h.size - s.position <= \(reach) AND NOT EXISTS (
                    SELECT FROM tenure.event AS e
                    WHERE e.ledger_id = s.ledger_id AND e.position > s.position AND e.position <= h.size
                        AND e.type <> ALL (\(ignored))) AS is_passed
            FROM (
                SELECT ledger_id, min(position) AS position FROM held
                GROUP BY ledger_id HAVING count(*) = \(Int64(ReadModels.all.count))
            ) AS s CROSS JOIN LATERAL (
                SELECT v.size FROM tenure.ledger AS v WHERE v.ledger_id = s.ledger_id OFFSET 0
            ) AS h
        ), moved AS (
            UPDATE tenure.projection_progress AS p SET position = s.size FROM standing AS s
            WHERE s.is_passed AND p.ledger_id = s.ledger_id AND p.position < s.size
                AND p.generation = (SELECT l.generation FROM live AS l WHERE l.projection = p.projection)
        )
        SELECT ledger_id, position, size, is_passed FROM standing
        """
    }
}
