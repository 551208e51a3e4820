import FoundationEssentials
package import Identity
import Ledger
package import Postgres

/// The lag of the live projections behind the log, and which of them have stopped.
package struct ProjectionLag: Sendable, Equatable {
    /// A projection that cannot apply an event of one tenant.
    package struct Stop: Sendable, Equatable {
        package var view: ProjectionName
        package var tenant: TenantID
        package var position: Int64
        /// The reason, in codes and names.
        package var reason: String
    }

    /// How many events of all tenants each projection has not applied yet.
    package var events: [ProjectionName: Int64]
    /// The stopped projections, at most 1,000.
    package var stopped: [Stop]

    /// At how many tenants of ``stopped`` each projection has stopped. Running projections are omitted.
    package var stops: [ProjectionName: Int] {
        stopped.reduce(into: [:]) { $0[$1.view, default: 0] += 1 }
    }

    /// Reads the lag over a pool of the reader role.
    ///
    /// - Throws: `PostgresError`.
    package static func read(_ pool: PostgresPool) async throws -> ProjectionLag {
        var statements = PipelinedStatements()
        let events = statements.add(Self.behind), stopped = statements.add(Self.stops), list = statements.list
        let answers = try await pool.withConnection { connection in try await connection.pipeline(list) }
        return ProjectionLag(
            events: try views(events.rows(in: answers)), stopped: try stops(stopped.rows(in: answers)))
    }

    /// Reads the stopped projections, at most 1,000. The cost depends on their number only.
    ///
    /// - Throws: `PostgresError`.
    package static func stops(_ pool: PostgresPool) async throws -> [Stop] {
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

    /// The lag, as a difference of sums in one snapshot. A projection has never applied more of a ledger than exists.
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

/// The health of the projections, read from the database at most once every ``pause``.
///
/// Frequent scrapes of the gauges therefore do not make the database add up a million ledgers each time.
package actor ViewHealth {
    /// How long a result is reused.
    package static let pause: Duration = .seconds(10)

    private let pool: PostgresPool
    private let projector: Projector
    private var known: (lag: ProjectionLag, at: ContinuousClock.Instant)?

    /// The health of projections, read over a pool of the reader role.
    package init(pool: PostgresPool, projector: Projector) {
        self.pool = pool
        self.projector = projector
    }

    /// Returns the lag of the projections, not older than ``pause``.
    ///
    /// - Throws: `PostgresError`.
    package func lag() async throws -> ProjectionLag {
        if let known, .now - known.at < Self.pause { return known.lag }
        let lag = try await ProjectionLag.read(pool)
        known = (lag, .now)
        return lag
    }

    /// Returns at how many tenants each projection has stopped, as of now. Running projections are omitted.
    ///
    /// - Throws: `PostgresError`.
    package func stops() async throws -> [ProjectionName: Int] {
        ProjectionLag(events: [:], stopped: try await ProjectionLag.stops(pool)).stops
    }

    /// Returns gauges in the Prometheus text format. Those of the projections are missing if the database does not
    /// answer.
    package func metrics() async -> String {
        var lines = [
            "# HELP tenure_projector_leading Whether the projector of this process holds the lease.",
            "# TYPE tenure_projector_leading gauge", "tenure_projector_leading \(projector.isLeading ? 1 : 0)",
        ]
        if let lag = try? await lag() {
            let stops = lag.stops
            lines += gauge("tenure_projection_lag_events", "Events that a projection has not processed yet.") {
                lag.events[$0] ?? 0
            }
            lines += gauge("tenure_projection_stopped", "Companies for which a projection has stopped.") {
                Int64(stops[$0] ?? 0)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func gauge(_ name: String, _ help: String, _ value: (ProjectionName) -> Int64) -> [String] {
        ["# HELP \(name) \(help)", "# TYPE \(name) gauge"]
            + ProjectionName.all.map { "\(name){projection=\"\($0)\"} \(value($0))" }
    }
}
