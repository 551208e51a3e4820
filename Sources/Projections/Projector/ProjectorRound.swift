import FoundationEssentials
import Ledger
import Logging
import Postgres

/// One look at what changed after another, with what is remembered between them; all of it can be lost.
struct ProjectorRound {
    /// How long a ledger rests that could not be followed for a reason that is not an event.
    private static let rest: Duration = .seconds(1)

    private let follower: LedgerFollower
    private let pool: PostgresPool
    private let logger: Logger
    private let pageSize: Int
    private var mark: FeedMark?
    private var sweep = LedgerSweep()
    private var queue = LedgerQueue()
    private var stopped: [LedgerID: Set<ProjectionName>] = [:]

    init(pool: PostgresPool, logger: Logger, pageSize: Int) {
        self.pool = pool
        self.pageSize = pageSize
        self.logger = logger
        follower = LedgerFollower(pool: pool, reader: LedgerReader(pool: pool, storesTiles: false))
    }

    /// Follows every ledger that has grown, by one page at most where an event changes a view.
    ///
    /// - Returns: What was found, and whether there is more at once.
    mutating func run() async throws -> (found: PollPace.Found, more: Bool) {
        try await discover()
        let (outcomes, left) = await steps.run(queue.removeAll())
        for ledger in left { queue.add(ledger) }
        var failure: (any Error)?
        for outcome in outcomes {
            let ledger = outcome.ledger
            switch outcome.result {
            case .success(let step?):
                if step.position < step.size { queue.add(ledger) }
                for failure in step.failures { report(failure, ledger) }
            case .success(nil): queue.add(ledger, at: .now + PollPace.shortest)
            case .failure(let error):
                queue.add(ledger, at: .now + Self.rest)
                failure = error
            }
        }
        // One ledger alone does not hold up the others, whatever is the matter with it.
        if let failure {
            guard outcomes.contains(where: { (try? $0.result.get()) != nil }) else { throw failure }
            logger.warning("a ledger could not be followed", metadata: ["error": "\(failure)"])
        }
        let found: PollPace.Found =
            outcomes.isEmpty ? .nothing : outcomes.contains { !$0.isPassed } ? .changes : .positions
        return (found, !queue.isEmpty || sweep.isDue(at: .now))
    }

    /// Puts into the queue what changed since the last look, and what a page of the sweep finds.
    private mutating func discover() async throws {
        let changes = try await follower.reader.changes(since: mark)
        if let ledgers = changes.ledgers {
            for ledger in ledgers.keys where TenantLedgers.contains(ledger) { queue.add(ledger) }
        } else {
            sweep = LedgerSweep()
        }
        // Not before its ledgers are in the queue.
        mark = changes.mark
        queue.wake(at: .now)
        if sweep.isDue(at: .now) {
            for ledger in try await sweep.page(pool) { queue.add(ledger) }
        }
    }

    private var steps: LedgerSteps {
        LedgerSteps(
            follower: follower, pass: LedgerPass(pool: pool), logger: logger, pageSize: pageSize, stopped: stopped)
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

    /// Tries the events again at which views have stopped.
    mutating func retryStopped() {
        for ledger in stopped.keys { queue.add(ledger) }
        stopped = [:]
    }
}
