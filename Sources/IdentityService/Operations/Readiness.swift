package import Canonical
package import Postgres

/// Reports whether the service can do its work.
package struct ReadinessReport: Sendable, Hashable {
    /// The reasons why it is not ready; empty if it is.
    package var missing: [String] = []
    /// Projections that have stopped, with the number of tenants concerned; all other work goes on.
    package var stoppedViews: [String: Int] = [:]

    /// What is wrong with the checkpoints; all other work goes on.
    package var seals: [String] = []
    /// Why ledgers take no events, although the clocks are right now; all others go on.
    package var clocks: [String] = []

    /// Whether the operator has not enabled the pages for browsers; all other work goes on.
    package var lacksPages: Bool = false
}

/// Asks the database whether the service can do its work, and answers within a second whatever hangs.
///
/// It has a connection of its own, so an exhausted pool does not make the service unready. However many callers ask,
/// there is one question at a time, and none while the last result is fresh. A question that takes too long is left to
/// its own time limits; no other one begins before it ends.
package actor Readiness {
    /// The time for which a result is reused.
    static let age: Duration = .milliseconds(250)
    /// The time for which callers wait for a question.
    static let patience: Duration = .milliseconds(700)
    /// The time for which a question may wait for its connection.
    package static let connectionPatience: Duration = .milliseconds(500)

    private let ask: @Sendable () async throws -> ReadinessReport
    private let now: @Sendable () -> ContinuousClock.Instant
    private let patience: Duration
    private var known: (report: ReadinessReport, at: ContinuousClock.Instant)?
    private var waiting: [CheckedContinuation<ReadinessReport, Never>] = []
    private var isAsking = false
    private var limit: Task<Void, Never>?

    /// Asks with `ask`; its errors mean that the database does not answer.
    init(
        patience: Duration = patience, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        ask: @escaping @Sendable () async throws -> ReadinessReport
    ) {
        self.ask = ask
        self.now = now
        self.patience = patience
    }

    /// Asks over a pool of the reader role that serves nothing else.
    ///
    /// - Parameters:
    ///   - clock: The clock of the service.
    ///   - tolerance: How far that may be ahead of the database's; `nil` for no limit. Beyond it nothing is recorded.
    ///   - probe: What would make log-ins fail although the database answers.
    ///   - seals: What is wrong with the checkpoints.
    ///   - clocks: Why ledgers take no events.
    ///   - stoppedViews: Which views have stopped, with the number of companies at which.
    package init(
        pool: PostgresPool, now clock: @escaping @Sendable () -> Timestamp, tolerance: Duration?, probe: ProbeMemory,
        seals: @escaping @Sendable () -> [String] = { [] }, clocks: @escaping @Sendable () -> [String] = { [] },
        stoppedViews: @escaping @Sendable () async throws -> [String: Int]
    ) {
        self.init {
            var report = ReadinessReport()
            let time = clock()
            let rows = try await pool.withConnection { connection in
                try await connection.query("SELECT pg_is_in_recovery(), clock_timestamp()")
            }
            let (isInRecovery, database) =
                try rows.first?.decode(Bool.self, PostgresTimestamp.self) ?? (true, time.postgres)
            if isInRecovery { report.missing.append("the database does not accept writes") }
            // It was read before the database's, so a slow answer makes no clock wrong.
            if let tolerance, time > Timestamp(microseconds: database.microsecondsSinceUnixEpoch).adding(tolerance) {
                report.missing.append("this process's clock is ahead of the database's")
            }
            report.seals = seals()
            report.clocks = clocks()
            report.stoppedViews = try await stoppedViews()
            report.lacksPages = try await PagesPresence.read(pool) == nil
            for reason in await probe.reasons() where !report.missing.contains(reason) {
                report.missing.append(reason)
            }
            return report
        }
    }

    /// Returns a fresh report, within a second.
    package func report() async -> ReadinessReport {
        if let known, now() - known.at < Self.age { return known.report }
        if limit == nil {
            begin()
            limit = Task { [patience] in
                do { try await Task.sleep(for: patience) } catch { return }
                settle(Self.silent, at: now())
            }
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private static let silent = ReadinessReport(missing: ["the database does not answer"])

    private func begin() {
        guard !isAsking else { return }
        isAsking = true
        let began = now()
        Task {
            let report: ReadinessReport
            do { report = try await ask() } catch { report = Self.report(of: error) }
            isAsking = false
            settle(report, at: began)
        }
    }

    private static func report(of error: any Error) -> ReadinessReport {
        guard let error = error as? PostgresError, error.code == .serverBehind else { return silent }
        return ReadinessReport(missing: [error.reason])
    }

    private func settle(_ report: ReadinessReport, at time: ContinuousClock.Instant) {
        known = (report, time)
        limit?.cancel()
        limit = nil
        let callers = waiting
        waiting = []
        for caller in callers { caller.resume(returning: report) }
    }
}
