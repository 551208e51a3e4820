import FoundationEssentials
import Identity
import Ledger
public import Logging
public import Postgres

/// Builds views anew from the log beside the live ones, compares both, and switches.
///
/// Reads are served all along from the generation that is live. Everything is committed in bounded steps: after a kill
/// the old generation is live, and the next run of the same revision takes up what was built. The switch waits for no
/// reader, holds the projector for the last few events, and never takes a reader back in time.
public struct Rebuild: Sendable {
    /// How many events the switch may have to take itself, while it holds the projector.
    static let switchable: Int64 = 2_000

    let pool: PostgresPool
    let reader: LedgerReader
    let logger: Logger
    let pageSize: Int

    /// Rebuilds over a pool of the reader role with two connections for each job, and two more.
    public init(pool: PostgresPool, logger: Logger) {
        self.init(pool: pool, logger: logger, pageSize: LedgerRebuild.pageSize)
    }

    /// - Parameter pageSize: How many events of a ledger share a transaction.
    init(pool: PostgresPool, logger: Logger, pageSize: Int) {
        self.pool = pool
        self.logger = logger
        self.pageSize = pageSize
        reader = LedgerReader(pool: pool, storesTiles: false)
    }

    /// Rebuilds.
    ///
    /// - Parameter progress: Told now and then, in no particular task.
    /// - Throws: ``ProjectionError``, `PostgresError` and `LedgerError`. Until the switch, the live views are as before.
    public func run(
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
                try await switchOver(generations)
            }
            report.hasSwitched = true
        }
        if request.isDryRun || request.tenant != nil {
            try await pool.withTransaction { connection in try await generations.abandon(on: &connection) }
        }
        try await ObsoleteRows(pool: pool).drop(request.views.sorted())
        return report
    }

    /// Builds and compares ledgers, a few at the same moment.
    private func build(
        _ ledgers: [(id: LedgerID, size: Int64)], _ jobs: Int, _ generations: BuildingGenerations,
        _ counter: RebuildCounter
    ) async throws -> RebuildReport {
        try await withThrowingTaskGroup(of: [ViewDifference].self) { group in
            // The largest first, so that none of them is left to one job at the end.
            var waiting = ledgers.sorted { $0.size > $1.size }.map(\.id)[...]
            var report = RebuildReport()
            func add(_ ledger: LedgerID) {
                let rebuild = rebuild(ledger, generations)
                group.addTask {
                    try await rebuild.catchUp { counter.add($0) }
                    return try await rebuild.compare()
                }
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

    private func rebuild(_ ledger: LedgerID, _ generations: BuildingGenerations) -> LedgerRebuild {
        LedgerRebuild(pool: pool, reader: reader, generations: generations, ledger: ledger, pageSize: pageSize)
    }

    /// Switches as soon as what is left to take is little.
    private func switchOver(_ generations: BuildingGenerations) async throws {
        while true {
            let (events, ledgers) = try await pool.withConnection { connection in
                try await behind(generations, on: &connection)
            }
            if events <= Self.switchable { break }
            for ledger in ledgers {
                let rebuild = rebuild(ledger, generations)
                try await rebuild.catchUp { _ in }
                try await pool.withConnection { connection in
                    try await rebuild.requireProgress(isFinal: false, on: &connection)
                }
            }
        }
        try await pool.withTransaction { connection in
            // From here on nobody follows, so the live positions stay where they are.
            try await generations.lock(on: &connection)
            for ledger in try await behind(generations, on: &connection).ledgers {
                let rebuild = rebuild(ledger, generations)
                try await rebuild.catchUp(on: &connection)
                try await rebuild.requireProgress(isFinal: true, on: &connection)
            }
            try await generations.makeLive(on: &connection)
        }
        logger.notice("views switched", metadata: ["views": "\(generations.views)"])
    }

    /// The ledgers where the live views have read more than the new ones, and how many events that are.
    private func behind(
        _ generations: BuildingGenerations, on connection: inout PostgresConnection
    ) async throws -> (events: Int64, ledgers: [LedgerID]) {
        let rows = try await connection.query(
            """
            SELECT l.ledger_id, max(l.position - coalesce(b.position, 0))
            FROM unnest(\(generations.views.map(\.rawValue)), \(generations.orderedNumbers)) AS n(projection, number)
            JOIN tenure.projection_generation AS g USING (projection)
            JOIN tenure.projection_progress AS l ON l.projection = g.projection AND l.generation = g.live
            LEFT JOIN tenure.projection_progress AS b ON b.ledger_id = l.ledger_id AND b.projection = g.projection
                AND b.generation = n.number
            WHERE l.position > coalesce(b.position, 0) GROUP BY l.ledger_id ORDER BY l.ledger_id
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
