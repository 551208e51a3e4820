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

    /// The events of all companies that each view has not taken yet.
    public var events: [ProjectionName: Int64]
    /// What has stopped, at most 1,000.
    public var stopped: [Stop]

    /// Makes a lag of its parts.
    public init(events: [ProjectionName: Int64], stopped: [Stop]) {
        self.events = events
        self.stopped = stopped
    }

    /// The companies at which each view has stopped, of those in ``stopped``; views that have not are left out.
    public var stops: [ProjectionName: Int] {
        stopped.reduce(into: [:]) { $0[$1.view, default: 0] += 1 }
    }

    /// Asks the database, over a pool of the reader role.
    public static func read(_ pool: PostgresPool) async throws -> ProjectionLag {
        let (events, stopped) = try await pool.withConnection { connection in
            let results = try await connection.pipeline([Self.behind, Self.stops])
            return (results.first ?? [], results.last ?? [])
        }
        return ProjectionLag(events: try views(events), stopped: try stops(stopped))
    }

    /// What has stopped, at most 1,000; costs no more than there are stops.
    public static func stops(_ pool: PostgresPool) async throws -> [Stop] {
        try stops(try await pool.withConnection { connection in try await connection.query(stops) })
    }

    private static func views(_ rows: [PostgresRow]) throws -> [ProjectionName: Int64] {
        var events: [ProjectionName: Int64] = [:]
        for row in rows {
            let (view, count) = try row.decode(String.self, Int64.self)
            events[ProjectionName(rawValue: view)] = count
        }
        return events
    }

    private static func stops(_ rows: [PostgresRow]) throws -> [Stop] {
        try rows.map { row in
            let (view, ledger, position, reason) = try row.decode(String.self, UUID.self, Int64.self, String.self)
            return Stop(
                view: ProjectionName(rawValue: view), tenant: TenantID(ledger), position: position, reason: reason)
        }
    }

    /// One snapshot of sums: a view has never read more of a ledger than there is.
    private static let behind: SQL = """
        SELECT g.projection, (t.events - coalesce(sum(p.position), 0))::bigint
        FROM tenure.projection_generation AS g
        CROSS JOIN (
            SELECT coalesce(sum(size), 0) AS events FROM tenure.ledger
            WHERE ledger_id <> ALL (\((LedgerID.directories + [.system]).map(\.uuid)))) AS t
        LEFT JOIN tenure.projection_progress AS p ON p.projection = g.projection AND p.generation = g.live
        GROUP BY g.projection, t.events
        """

    private static let stops: SQL = """
        SELECT p.projection, p.ledger_id, p.failed_at_position, p.failure
        FROM tenure.projection_progress AS p JOIN tenure.projection_generation AS g
            ON g.projection = p.projection AND g.live = p.generation
        WHERE p.failure IS NOT NULL ORDER BY p.ledger_id, p.projection LIMIT 1000
        """
}
