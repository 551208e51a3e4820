import FoundationEssentials
import Ledger
import Postgres

/// Moves the projections of many ledgers past events that change none of them, in one round trip.
///
/// Most events, such as log-ins, change no projection, but readers wait for their positions. Any number of passes,
/// projectors and rebuilds may run at once. A pass waits only for a cut-over, and skips a ledger unless it can lock the
/// progress rows of all projections.
struct LedgerPass: Sendable {
    /// How many ledgers share a transaction.
    static let width = 200
    /// How many events a pass examines in one ledger. A ledger with more is read without holding locks.
    static let reach: Int64 = 1_000

    /// The standing of a ledger whose projections are all running.
    struct Standing: Sendable, Equatable {
        /// The position that all projections had reached.
        let position: Int64
        /// The number of events of the ledger.
        let size: Int64
        /// Whether all projections were moved to the end.
        let isPassed: Bool
    }

    private static let ignored = ReadModels.typesWithoutEffect(on: ProjectionName.all)

    /// A pool of the reader role.
    let pool: PostgresPool

    /// Passes over as many of the ledgers as possible.
    ///
    /// - Parameter ledgers: Each once, at most ``width`` of them.
    /// - Returns: The ledgers whose projections are all running. The others have a projection without a row, a stopped
    ///   one, one of a later revision, or one that another program is working on.
    func run(_ ledgers: [LedgerID]) async throws -> [LedgerID: Standing] {
        if ledgers.isEmpty { return [:] }
        // Everything is sent at once, so that no lock is held during a round trip. After an error the transaction has
        // failed, and the pool closes the connection.
        var statements = PipelinedStatements()
        statements.add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        // A crash of the server may undo a pass, and the positions are then read again.
        statements.add("SET LOCAL synchronous_commit = off")
        statements.add(ProgressRow.holdGenerations)
        let pass = statements.add(Self.pass(ledgers))
        statements.add("COMMIT")
        let list = statements.list
        let answers = try await pool.withConnection { connection in try await connection.pipeline(list) }
        var standings: [LedgerID: Standing] = [:]
        for row in try pass.rows(in: answers) {
            let (ledger, position, size, isPassed) = try row.decode(UUID.self, Int64.self, Int64.self, Bool.self)
            standings[LedgerID(ledger)] = Standing(position: position, size: size, isPassed: isPassed)
        }
        return standings
    }

    /// Locks rows, examines events, and moves the rows.
    private static func pass(_ ledgers: [LedgerID]) -> SQL {
        """
        SELECT ledger_id, "position", size, is_passed FROM tenure.pass_ledgers(
            \(ledgers.map(\.uuid)), \(ReadModels.all.map { $0.name.rawValue }), \(ReadModels.all.map { $0.revision }),
            \(reach), \(ignored))
        """
    }
}

/// The stored progress of one generation of a projection in one ledger.
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

    /// The query for the progress of the live generations in a ledger.
    static func live(_ ledger: LedgerID) -> SQL {
        """
        SELECT g.projection, g.live, coalesce(p.position, 0)
        FROM tenure.projection_generation AS g LEFT JOIN tenure.projection_progress AS p
            ON p.ledger_id = \(ledger.uuid) AND p.projection = g.projection AND p.generation = g.live
        """
    }

    /// Statements that lock progress rows, for a pipeline of their own.
    struct Locking: Sendable {
        let statements: [SQL]
        fileprivate let handle: PipelinedStatements.Handle

        func rows(in answers: [[PostgresRow]]) throws -> [ProgressRow] {
            try handle.rows(in: answers).map(ProgressRow.init)
        }
    }

    /// Prevents a cut-over until the transaction ends. Other programs may apply events and build, and reads continue.
    ///
    /// It locks the table, because waiters for a table lock are served in turn. A cut-over that waited for row locks
    /// could wait forever while projectors come and go.
    static let holdGenerations: SQL = "LOCK TABLE tenure.projection_generation IN ROW SHARE MODE"

    /// Waits for all programs that hold the generations, and excludes them until the transaction ends. Reads continue.
    static let lockGenerations: SQL = "LOCK TABLE tenure.projection_generation IN EXCLUSIVE MODE"

    /// Locks the progress rows of the live generations in a ledger, and prevents a cut-over meanwhile.
    ///
    /// It leaves out rows locked by another program, which is working on them. It also leaves out projections whose
    /// rows have a later revision, because this program must not mix its own rows into them.
    ///
    /// - Parameter makesRows: Whether rows may be missing.
    static func lockLive(_ ledger: LedgerID, makesRows: Bool) -> Locking {
        var statements = PipelinedStatements()
        // If a crash of the server undoes the transaction, its events are applied again.
        statements.add("SET LOCAL synchronous_commit = off")
        statements.add(holdGenerations)
        if makesRows {
            statements.add(
                """
                INSERT INTO tenure.projection_progress (ledger_id, projection, generation, position)
                SELECT \(ledger.uuid), projection, live, 0 FROM tenure.projection_generation ORDER BY projection
                ON CONFLICT DO NOTHING
                """)
        }
        let rows = statements.add(
            """
            SELECT p.projection, p.generation, p.position
            FROM tenure.projection_progress AS p JOIN tenure.projection_generation AS g
                ON g.projection = p.projection AND g.live = p.generation
            JOIN unnest(\(ReadModels.all.map { $0.name.rawValue }), \(ReadModels.all.map { $0.revision }))
                AS m(projection, revision) ON m.projection = g.projection AND m.revision >= g.live_revision
            WHERE p.ledger_id = \(ledger.uuid) ORDER BY p.projection FOR UPDATE OF p SKIP LOCKED
            """)
        return Locking(statements: statements.list, handle: rows)
    }

    /// Locks the progress row of one generation, waiting for other programs. Creates it if it is missing.
    static func lock(_ ledger: LedgerID, _ projection: ProjectionName, _ generation: Int32) -> Locking {
        var statements = PipelinedStatements()
        statements.add(
            """
            INSERT INTO tenure.projection_progress (ledger_id, projection, generation, position)
            VALUES (\(ledger.uuid), \(projection.rawValue), \(generation), 0) ON CONFLICT DO NOTHING
            """)
        let row = statements.add(
            """
            SELECT projection, generation, position FROM tenure.projection_progress
            WHERE ledger_id = \(ledger.uuid) AND projection = \(projection.rawValue) AND generation = \(generation)
            FOR UPDATE
            """)
        return Locking(statements: statements.list, handle: row)
    }

    /// The new position of a progress row, and the reason if the projection stops there.
    struct Move {
        let projection: ProjectionName
        let generation: Int32
        let position: Int64
        let failure: DecodedEvents.Failure?
    }

    /// Moves several progress rows of a ledger.
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
