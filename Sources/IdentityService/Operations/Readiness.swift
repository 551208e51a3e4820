import FoundationEssentials
package import Postgres

/// Reports whether the service can do its work.
public struct ReadinessReport: Sendable, Hashable {
    /// The reasons why it is not ready; empty if it is.
    public var missing: [String]
    /// Projections that have stopped, with the number of tenants concerned; all other work goes on.
    public var stoppedViews: [String: Int]

    /// Each parameter sets the property of the same name.
    public init(missing: [String] = [], stoppedViews: [String: Int] = [:]) {
        self.missing = missing
        self.stoppedViews = stoppedViews
    }
}

/// Asks the database at most once a second whether the service can do its work.
///
/// It has a connection of its own, so an exhausted pool does not make the service unready. However many callers ask,
/// there is one query at a time, and none while the last result is less than a second old.
package actor Readiness {
    /// The time for which a result is reused.
    static let age: Duration = .seconds(1)
    /// The time for which the query may wait for its connection.
    package static let patience: Duration = .seconds(3)

    private let ask: @Sendable () async throws -> ReadinessReport
    private let now: @Sendable () -> ContinuousClock.Instant
    private var known: (report: ReadinessReport, at: ContinuousClock.Instant)?
    private var asking: Task<ReadinessReport, Never>?

    /// Asks with `ask`; its errors mean that the database does not answer.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        ask: @escaping @Sendable () async throws -> ReadinessReport
    ) {
        self.ask = ask
        self.now = now
    }

    /// Asks over a pool of the reader role that serves nothing else.
    ///
    /// - Parameter stoppedViews: Which views have stopped, with the number of companies at which.
    package init(pool: PostgresPool, stoppedViews: @escaping @Sendable () async throws -> [String: Int]) {
        self.init {
            var report = ReadinessReport()
            let rows = try await pool.withConnection { connection in
                try await connection.query("SELECT pg_is_in_recovery()")
            }
            if try rows.first?.decode(Bool.self) != false {
                report.missing.append("the database does not accept writes")
            }
            report.stoppedViews = try await stoppedViews()
            return report
        }
    }

    /// Returns a report that is at most a second old.
    package func report() async -> ReadinessReport {
        if let known, now() - known.at < Self.age { return known.report }
        if let asking { return await asking.value }
        let ask = ask, began = now()
        let task = Task {
            do { return try await ask() } catch { return ReadinessReport(missing: ["the database does not answer"]) }
        }
        asking = task
        let report = await task.value
        (known, asking) = ((report, began), nil)
        return report
    }
}
