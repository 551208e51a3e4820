import FoundationEssentials
import Postgres
import Projections

/// Whether the service can do its work.
public struct ReadinessReport: Sendable, Hashable {
    /// What keeps it from being ready; empty when it is.
    public var missing: [String]
    /// Views that have stopped, with the number of companies at which; everything else of the service goes on.
    public var stoppedViews: [String: Int]

    /// Makes a report of its parts.
    public init(missing: [String] = [], stoppedViews: [String: Int] = [:]) {
        self.missing = missing
        self.stoppedViews = stoppedViews
    }
}

/// What keeps the service from being ready, and what does not although it should be mended.
struct Readiness: Sendable {
    let context: ServiceContext
    let health: ViewHealth

    func run() async -> ReadinessReport {
        var report = ReadinessReport()
        do {
            let rows = try await context.pool.withConnection { connection in
                try await connection.query("SELECT pg_is_in_recovery()")
            }
            if try rows.first?.decode(Bool.self) != false {
                report.missing.append("the database does not accept writes")
            }
            for (view, companies) in try await health.stops() { report.stoppedViews[view.rawValue] = companies }
        } catch {
            report.missing.append("the database does not answer")
        }
        return report
    }
}
