import FoundationEssentials
import Ledger
import Postgres

/// How far one generation of a view has read one ledger, as it is stored.
struct ProgressRow: Sendable {
    let projection: ProjectionName
    let generation: Int32
    let position: Int64

    init(_ row: PostgresRow) throws {
        let (projection, generation, position) = try row.decode(String.self, Int32.self, Int64.self)
        self.projection = ProjectionName(rawValue: projection)
        self.generation = generation
        self.position = position
    }

    /// The live generations' rows of a ledger, where there are any.
    static func live(_ ledger: LedgerID) -> SQL {
        """
        SELECT g.projection, g.live, coalesce(p.position, 0)
        FROM tenure.projection_generation AS g LEFT JOIN tenure.projection_progress AS p
            ON p.ledger_id = \(ledger.uuid) AND p.projection = g.projection AND p.generation = g.live
        """
    }

    /// Keeps a switch away until the transaction ends; others may follow and build, and reads go on.
    ///
    /// A lock of the table, because those who wait for it are served in turn: a switch that waited for locks of rows
    /// could wait for ever while projectors come and go.
    static let holdGenerations: SQL = "LOCK TABLE tenure.projection_generation IN ROW SHARE MODE"

    /// Waits for all who hold the generations, and keeps them away until the transaction ends; reads go on.
    static let lockGenerations: SQL = "LOCK TABLE tenure.projection_generation IN EXCLUSIVE MODE"

    /// Locks the live generations' rows of a ledger, and holds the generations so that no switch comes between.
    ///
    /// A row that another program holds is left out: that program is at work on it. So is a view whose rows are of a
    /// later revision than this program, which must not mix its own into them.
    ///
    /// - Parameter makesRows: Whether rows may be missing.
    static func lockLive(_ ledger: LedgerID, makesRows: Bool) -> [SQL] {
        // What a crash of the server takes back is followed again.
        let beginning: [SQL] = ["SET LOCAL synchronous_commit = off", holdGenerations]
        let missing: SQL = """
            INSERT INTO tenure.projection_progress (ledger_id, projection, generation, position)
            SELECT \(ledger.uuid), projection, live, 0 FROM tenure.projection_generation ORDER BY projection
            ON CONFLICT DO NOTHING
            """
        let rows: SQL = """
            SELECT p.projection, p.generation, p.position
            FROM tenure.projection_progress AS p JOIN tenure.projection_generation AS g
                ON g.projection = p.projection AND g.live = p.generation
            JOIN unnest(\(ReadModels.all.map { $0.name.rawValue }), \(ReadModels.all.map { $0.revision }))
                AS m(projection, revision) ON m.projection = g.projection AND m.revision >= g.live_revision
            WHERE p.ledger_id = \(ledger.uuid) ORDER BY p.projection FOR UPDATE OF p SKIP LOCKED
            """
        return beginning + (makesRows ? [missing] : []) + [rows]
    }

    /// Locks the row of one generation and waits for whoever holds it; makes it when it is missing.
    static func lock(_ ledger: LedgerID, _ projection: ProjectionName, _ generation: Int32) -> [SQL] {
        [
            """
            INSERT INTO tenure.projection_progress (ledger_id, projection, generation, position)
            VALUES (\(ledger.uuid), \(projection.rawValue), \(generation), 0) ON CONFLICT DO NOTHING
            """,
            """
            SELECT projection, generation, position FROM tenure.projection_progress
            WHERE ledger_id = \(ledger.uuid) AND projection = \(projection.rawValue) AND generation = \(generation)
            FOR UPDATE
            """,
        ]
    }

    /// A row that is moved, and why it goes no further.
    struct Move {
        let projection: ProjectionName
        let generation: Int32
        let position: Int64
        let failure: DecodedEvents.Failure?
    }

    /// Moves several rows of a ledger.
    static func update(ledger: LedgerID, _ moves: [Move]) -> SQL {
        """
        UPDATE tenure.projection_progress AS p
        SET position = m.position, failed_at_position = m.failed_at_position, failure = m.failure
        FROM unnest(
            \(moves.map(\.projection.rawValue)), \(moves.map(\.generation)), \(moves.map(\.position)),
            \(moves.map(\.failure?.position)), \(moves.map(\.failure?.reason))
        ) AS m(projection, generation, position, failed_at_position, failure)
        WHERE p.ledger_id = \(ledger.uuid) AND p.projection = m.projection AND p.generation = m.generation
        """
    }
}
