import Identity
public import Postgres

/// What an operator wants to know of the views, asked of the database now and then and remembered between.
///
/// Nobody who looks at a gauge makes the database add up a million ledgers more often than every ``pause``.
public actor ViewHealth {
    /// How long an answer is good.
    public static let pause: Duration = .seconds(10)

    private let pool: PostgresPool
    private let projector: Projector
    private var known: (lag: ProjectionLag, at: ContinuousClock.Instant)?

    /// Asks over a pool of the reader role.
    public init(pool: PostgresPool, projector: Projector) {
        self.pool = pool
        self.projector = projector
    }

    /// How far the views are behind, not older than ``pause``.
    public func lag() async throws -> ProjectionLag {
        if let known, .now - known.at < Self.pause { return known.lag }
        let lag = try await ProjectionLag.read(pool)
        known = (lag, .now)
        return lag
    }

    /// The companies at which each view has stopped, as of now; views that go on are left out.
    public func stops() async throws -> [ProjectionName: Int] {
        ProjectionLag(events: [:], stopped: try await ProjectionLag.stops(pool)).stops
    }

    /// Gauges in the Prometheus text format; without those of the views when the database does not answer.
    public func metrics() async -> String {
        var lines = [
            "# HELP tenure_projector_leading Whether the projector of this process is the one that works.",
            "# TYPE tenure_projector_leading gauge", "tenure_projector_leading \(projector.isLeading ? 1 : 0)",
        ]
        if let lag = try? await lag() {
            let stops = lag.stops
            lines += gauge("tenure_projection_lag_events", "Events that a view has not taken yet.") {
                lag.events[$0] ?? 0
            }
            lines += gauge("tenure_projection_stopped", "Companies at which a view has stopped.") {
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
