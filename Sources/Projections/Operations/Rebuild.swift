import FoundationEssentials
package import Identity
package import Ledger
package import Logging
package import Postgres

/// Rebuilds projections from the log beside the live ones, compares both, and cuts over.
///
/// ```swift
/// let rebuild = Rebuild(pool: readerPool, codes: codes, logger: logger)
/// let report = try await rebuild.run(RebuildRequest(isDryRun: true))
/// for difference in report.differences { print(difference.table, difference.tenant, difference.key) }
/// ```
///
/// Reads use the live generation throughout. Everything is committed in bounded steps: after a kill the old generation
/// is live, and the next run of the same revision continues. The cut-over waits for no reader, blocks the projector
/// during the last few events, and never takes a reader back in time.
///
/// An event that cannot be applied stops the new rows of its own ledger only. At the cut-over that ledger keeps its live
/// rows, and ``RebuildReport/kept`` names it.
package struct Rebuild: Sendable {
    /// How many events the cut-over may have to apply while it blocks the projector.
    static let switchable: Int64 = 2_000

    let pool: PostgresPool
    let reader: LedgerReader
    let logger: Logger
    let pageSize: Int

    /// A rebuild over a pool of the reader role with two connections for each job, and two more.
    package init(pool: PostgresPool, codes: EventCodes, logger: Logger) {
        self.init(pool: pool, codes: codes, logger: logger, pageSize: LedgerRebuild.pageSize)
    }

    /// - Parameter pageSize: How many events of a ledger share a transaction.
    init(pool: PostgresPool, codes: EventCodes, logger: Logger, pageSize: Int) {
        self.pool = pool
        self.logger = logger
        self.pageSize = pageSize
        reader = LedgerReader(pool: pool, codes: codes, storesTiles: false)
    }

    /// Rebuilds, compares and, unless it is a dry run, cuts over.
    ///
    /// - Parameter progress: Called occasionally, in any task.
    /// - Throws: ``ProjectionError``, `PostgresError` and `LedgerError`. Until the cut-over the live projections are
    ///   unchanged.
    package func run(
        _ request: RebuildRequest, progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
    ) async throws -> RebuildReport {
        try await ObsoleteRows(pool: pool).drop(request.views.sorted())
        let generations = try await pool.withTransaction { connection in
            try await BuildingGenerations.begin(request.views, on: &connection)
        }
        let ledgers = try await TenantLedgers.all(pool, only: request.tenant.map { LedgerID($0.uuid) })
        let counter = RebuildCounter(total: ledgers.reduce(0) { $0 + $1.size }, report: progress)
        var report = try await build(ledgers, request.jobs, generations, counter)
        report.events = counter.done
        if !request.isDryRun {
            if let tenant = request.tenant {
                try await rebuild(LedgerID(tenant.uuid), generations).replace()
            } else {
                report.kept = try await switchOver(generations)
            }
            report.hasSwitched = true
        }
        if request.isDryRun || request.tenant != nil {
            try await pool.withTransaction { connection in try await generations.abandon(on: &connection) }
        }
        try await ObsoleteRows(pool: pool).drop(request.views.sorted())
        return report
    }

    /// Builds and compares ledgers, a few concurrently.
    private func build(
        _ ledgers: [(id: LedgerID, size: Int64)], _ jobs: Int, _ generations: BuildingGenerations,
        _ counter: RebuildCounter
    ) async throws -> RebuildReport {
        try await withThrowingTaskGroup(of: [ViewDifference].self) { group in
            // The largest ledgers come first, so that none of them is left to one job at the end.
            var waiting = ledgers.sorted { $0.size > $1.size }.map(\.id)[...]
            var report = RebuildReport()
            func add(_ ledger: LedgerID) {
                let rebuild = rebuild(ledger, generations)
                group.addTask { try await Self.build(rebuild, counter) }
            }
            for _ in 0..<max(jobs, 1) { if let ledger = waiting.popFirst() { add(ledger) } }
            while let differences = try await group.next() {
                report.add(differences)
                if let ledger = waiting.popFirst() { add(ledger) }
            }
            report.sort()
            return report
        }
    }

    /// Builds and compares one ledger.
    ///
    /// If an event makes the database refuse a row, each projection is built alone, so that only one of them stops.
    private static func build(_ rebuild: LedgerRebuild, _ counter: RebuildCounter) async throws -> [ViewDifference] {
        do {
            try await rebuild.catchUp { counter.add($0) }
            return try await rebuild.compare()
        } catch let error where LedgerFollower.isPoison(error) {
            var differences: [ViewDifference] = []
            for view in rebuild.generations.views {
                let one = rebuild.only([view])
                do {
                    try await one.catchUp { _ in }
                    differences += try await one.compare()
                } catch let error where LedgerFollower.isPoison(error) {
                    try await one.stop(view, error)
                    differences += try await one.stopped(view)
                }
            }
            return differences
        }
    }

    private func rebuild(_ ledger: LedgerID, _ generations: BuildingGenerations) -> LedgerRebuild {
        LedgerRebuild(pool: pool, reader: reader, generations: generations, ledger: ledger, pageSize: pageSize)
    }

    /// Cuts over as soon as few events are left to apply.
    ///
    /// - Returns: The projections that kept their rows in a ledger.
    private func switchOver(_ generations: BuildingGenerations) async throws -> [ProjectionLag.Stop] {
        while true {
            let (events, ledgers) = try await pool.withConnection { connection in
                try await behind(generations, isRunning: true, on: &connection)
            }
            if events <= Self.switchable { break }
            for ledger in ledgers {
                let rebuild = rebuild(ledger, generations)
                let running = try await pool.withConnection { connection in
                    try await rebuild.running(on: &connection)
                }
                try await running.catchUp { _ in }
            }
        }
        let kept = try await pool.withTransaction { connection in
            // From here on no projector applies events, so the live positions do not move.
            try await generations.lock(on: &connection)
            var kept: [ProjectionLag.Stop] = []
            for ledger in try await behind(generations, isRunning: false, on: &connection).ledgers {
                let rebuild = rebuild(ledger, generations)
                // What has stopped is not tried again here, where an error would undo the cut-over of all.
                try await rebuild.running(on: &connection).catchUp(on: &connection)
                kept += try await rebuild.keepIncomplete(on: &connection)
            }
            try await generations.makeLive(on: &connection)
            return kept
        }
        logger.notice("projections cut over", metadata: ["views": "\(generations.views)"])
        return kept
    }

    /// Returns the ledgers where the live generations are ahead of the built ones, and by how many events.
    ///
    /// - Parameter isRunning: Whether to leave out projections that have stopped.
    private func behind(
        _ generations: BuildingGenerations, isRunning: Bool, on connection: inout PostgresConnection
    ) async throws -> (events: Int64, ledgers: [LedgerID]) {
        let running: SQL = isRunning ? "AND b.failure IS NULL" : ""
        let rows = try await connection.query(
            """
            SELECT l.ledger_id, max(l.position - coalesce(b.position, 0))
            FROM unnest(\(generations.views.map(\.rawValue)), \(generations.orderedNumbers)) AS n(projection, number)
            JOIN tenure.projection_generation AS g USING (projection)
            JOIN tenure.projection_progress AS l ON l.projection = g.projection AND l.generation = g.live
            LEFT JOIN tenure.projection_progress AS b ON b.ledger_id = l.ledger_id AND b.projection = g.projection
                AND b.generation = n.number
            WHERE l.position > coalesce(b.position, 0) \(running) GROUP BY l.ledger_id ORDER BY l.ledger_id
            """)
        var events: Int64 = 0
        let ledgers = try rows.map { row in
            let (ledger, count) = try row.decode(UUID.self, Int64.self)
            events += count
            return LedgerID(ledger)
        }
        return (events, ledgers)
    }
}

/// The parameters of a rebuild.
package struct RebuildRequest: Sendable, Hashable {
    /// The projections to rebuild; all by default.
    package var views: Set<ProjectionName>
    /// The one tenant whose rows are rebuilt, or `nil` for all.
    package var tenant: TenantID?
    /// Whether to report differences only and leave the live projections unchanged.
    package var isDryRun: Bool

    /// How many ledgers are built concurrently.
    package var jobs: Int

    /// A rebuild of `views`, of all tenants or of one.
    package init(
        views: Set<ProjectionName> = Set(ProjectionName.all), tenant: TenantID? = nil, isDryRun: Bool = false,
        jobs: Int = 2
    ) {
        self.views = views
        self.tenant = tenant
        self.isDryRun = isDryRun
        self.jobs = jobs
    }
}

/// The progress of a rebuild, in events of the log.
package struct RebuildProgress: Sendable, Hashable {
    /// Events applied, including those of an interrupted run before.
    package var done: Int64
    /// Events that existed at the start.
    package var total: Int64
}

/// The result of a rebuild.
package struct RebuildReport: Sendable {
    /// How many differences are kept, so that memory does not grow with their number.
    package static let keptDifferences = 10_000

    /// The differences between the live rows and the log, at most ``keptDifferences``.
    package private(set) var differences: [ViewDifference] = []
    /// The number of differences. At most 1,000 are counted of each table of each tenant.
    package private(set) var differenceCount = 0
    /// How many tenants were compared.
    package internal(set) var companies = 0
    /// How many events were applied, including those of an interrupted run before.
    package internal(set) var events: Int64 = 0
    /// Whether the rebuilt rows are now live.
    package internal(set) var hasSwitched = false
    /// The projections that could not be rebuilt in a ledger, each with the event at which its new rows stopped. Their
    /// rows are those from before.
    package internal(set) var kept: [ProjectionLag.Stop] = []

    /// Adds one tenant's differences.
    mutating func add(_ found: [ViewDifference]) {
        companies += 1
        differenceCount += found.count
        differences += found.prefix(Self.keptDifferences - differences.count)
    }

    /// Sorts the differences by tenant, table and row.
    mutating func sort() {
        differences.sort { ($0.tenant.description, $0.table, $0.key) < ($1.tenant.description, $1.table, $1.key) }
    }
}

/// Counts the events that several tasks apply.
final class RebuildCounter: Sendable {
    private let state: Lock<RebuildProgress>
    private let report: @Sendable (RebuildProgress) -> Void

    init(total: Int64, report: @escaping @Sendable (RebuildProgress) -> Void) {
        state = Lock(RebuildProgress(done: 0, total: total))
        self.report = report
    }

    /// Adds to the count and reports it.
    func add(_ count: Int64) {
        report(
            state.withLock { progress in
                progress.done += count
                return progress
            })
    }

    /// The count so far.
    var done: Int64 { state.withLock { $0.done } }
}
