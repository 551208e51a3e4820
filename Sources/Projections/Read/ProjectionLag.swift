import FoundationEssentials
public import Identity
import Ledger
public import Postgres

/// How far the live views are behind the log, and what has stopped.
public struct ProjectionLag: Sendable, Equatable {
    /// A view that cannot take an event of one company.
    public struct Stop: Sendable, Equatable {
        /// The view.
        public var view: ProjectionName
        /// The company.
        public var tenant: TenantID
        /// The position of the event.
        public var position: Int64
        /// Why, in codes and names.
        public var reason: String
    }

    /// The events that the slowest view of each company has not taken yet, summed over companies.
    public var events: Int64
    /// The companies with such events.
    public var ledgers: Int64
    /// What has stopped, at most 1,000.
    public var stopped: [Stop]

    /// Makes a lag of its parts.
    public init(events: Int64, ledgers: Int64, stopped: [Stop]) {
        self.events = events
        self.ledgers = ledgers
        self.stopped = stopped
    }

    /// Asks the database, over a pool of the reader role.
    public static func read(_ pool: PostgresPool) async throws -> ProjectionLag {
        let ledgers = try await TenantLedgers.all(pool)
        let (positions, stopped) = try await pool.withConnection { connection in
            let results = try await connection.pipeline([Self.positions, Self.stops])
            return (results.first ?? [], results.last ?? [])
        }
        let reached = Dictionary(
            try positions.map { row in try row.decode(UUID.self, Int64.self) }, uniquingKeysWith: { first, _ in first })
        var lag = ProjectionLag(events: 0, ledgers: 0, stopped: [])
        for (ledger, size) in ledgers {
            let behind = size - (reached[ledger.uuid] ?? 0)
            guard behind > 0 else { continue }
            lag.events += behind
            lag.ledgers += 1
        }
        lag.stopped = try stopped.map { row in
            let (view, ledger, position, reason) = try row.decode(String.self, UUID.self, Int64.self, String.self)
            return Stop(
                view: ProjectionName(rawValue: view), tenant: TenantID(ledger), position: position, reason: reason)
        }
        return lag
    }

    /// A view without a row has read nothing.
    private static let positions: SQL = """
        SELECT p.ledger_id, min(p.position)
        FROM tenure.projection_progress AS p JOIN tenure.projection_generation AS g
            ON g.projection = p.projection AND g.live = p.generation
        GROUP BY p.ledger_id HAVING count(*) = (SELECT count(*) FROM tenure.projection_generation)
        """

    private static let stops: SQL = """
        SELECT p.projection, p.ledger_id, p.failed_at_position, p.failure
        FROM tenure.projection_progress AS p JOIN tenure.projection_generation AS g
            ON g.projection = p.projection AND g.live = p.generation
        WHERE p.failure IS NOT NULL ORDER BY p.ledger_id, p.projection LIMIT 1000
        """
}
