import FoundationEssentials
import Ledger
import Logging
import Postgres

/// One look at all ledgers after another, with what is remembered between them; all of it can be lost.
struct ProjectorRound {
    /// What came of one step; a success without a step is another program's ledger at this moment.
    typealias Outcome = (ledger: LedgerID, result: Result<LedgerFollower.Step?, any Error>)

    private let follower: LedgerFollower
    private let pool: PostgresPool
    private let logger: Logger
    private let pageSize: Int
    /// How far each ledger is known to be followed; nil before it was asked.
    private var cursors: [LedgerID: Int64]?
    private var stopped: [LedgerID: Set<ProjectionName>] = [:]
    private var retryAt: ContinuousClock.Instant

    init(pool: PostgresPool, logger: Logger, pageSize: Int) {
        self.pool = pool
        self.pageSize = pageSize
        self.logger = logger
        follower = LedgerFollower(pool: pool, reader: LedgerReader(pool: pool, storesTiles: false))
        retryAt = .now + Projector.retryPause
    }

    /// Follows every ledger that has grown by one page.
    ///
    /// - Returns: Whether events were found, and whether there are more at once.
    mutating func run() async throws -> (events: Bool, more: Bool) {
        if ContinuousClock.now >= retryAt { retryStopped() }
        let known = try await knownCursors()
        let changed = try await follower.reader.changedLedgers(since: known)
        var found = false, more = false
        for (ledger, size) in changed where !TenantLedgers.contains(ledger) { cursors?[ledger] = size }
        let ledgers = changed.keys.filter(TenantLedgers.contains).sorted()
        for (ledger, result) in await steps(ledgers) {
            switch result {
            case .success(let step?):
                found = true
                more = more || step.position < step.size
                cursors?[ledger] = step.position
                for failure in step.failures { report(failure, ledger) }
            case .success(nil): found = true
            case .failure(let error): throw error
            }
        }
        return (found, more)
    }

    /// One step of each ledger, a few at the same moment.
    private func steps(_ ledgers: [LedgerID]) async -> [Outcome] {
        await withTaskGroup(of: Outcome.self) { group in
            var waiting = ledgers[...]
            var outcomes: [Outcome] = []
            var running = 0
            while true {
                while running < Projector.width, let ledger = waiting.popFirst() {
                    let views = Set(ProjectionName.all).subtracting(stopped[ledger] ?? [])
                    running += 1
                    group.addTask { [follower, pageSize] in
                        do {
                            return (ledger, .success(try await follower.step(ledger, views, limit: pageSize)))
                        } catch {
                            return (ledger, .failure(error))
                        }
                    }
                }
                guard let outcome = await group.next() else { return outcomes }
                running -= 1
                outcomes.append(outcome)
            }
        }
    }

    private mutating func report(_ progress: ProjectionBatch.Progress, _ ledger: LedgerID) {
        stopped[ledger, default: []].insert(progress.projection)
        logger.error(
            "a view has stopped",
            metadata: [
                "view": "\(progress.projection)", "ledger": "\(ledger)",
                "position": "\(progress.failure?.position ?? progress.position)",
                "reason": "\(progress.failure?.reason ?? "")",
            ])
    }

    private mutating func retryStopped() {
        for ledger in stopped.keys { cursors?[ledger] = nil }
        stopped = [:]
        retryAt = .now + Projector.retryPause
    }

    private mutating func knownCursors() async throws -> [LedgerID: Int64] {
        if let cursors { return cursors }
        let sql: SQL = """
            SELECT p.ledger_id, min(p.position)
            FROM tenure.projection_progress AS p JOIN tenure.projection_generation AS g
                ON g.projection = p.projection AND g.live = p.generation
            GROUP BY p.ledger_id HAVING count(*) = (SELECT count(*) FROM tenure.projection_generation)
            """
        let rows = try await pool.withConnection { connection in try await connection.query(sql) }
        let cursors = Dictionary(
            try rows.map { row in
                let (ledger, position) = try row.decode(UUID.self, Int64.self)
                return (LedgerID(ledger), position)
            }, uniquingKeysWith: { first, _ in first })
        self.cursors = cursors
        return cursors
    }
}
