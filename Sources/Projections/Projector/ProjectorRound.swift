import FoundationEssentials
import Ledger
import Logging
import Postgres

/// One look at what changed after another, with what is remembered between them; all of it can be lost.
struct ProjectorRound {
    /// What came of one step; a success without a step is another program's ledger at this moment.
    private struct Outcome: Sendable {
        let ledger: LedgerID
        let result: Result<LedgerFollower.Step?, any Error>
    }

    /// How long a round goes on to begin steps; what is left is taken by the next.
    private static let longest: Duration = .milliseconds(500)
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

    /// Follows every ledger that has grown by one page.
    ///
    /// - Returns: Whether events were found, and whether there are more at once.
    mutating func run() async throws -> (events: Bool, more: Bool) {
        try await discover()
        let (outcomes, left) = await steps(queue.removeAll())
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
        return (!outcomes.isEmpty, !queue.isEmpty || sweep.isDue(at: .now))
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

    /// One step of each ledger, a few at the same moment, and the ledgers that there was no time for.
    private func steps(_ ledgers: [LedgerID]) async -> (outcomes: [Outcome], left: ArraySlice<LedgerID>) {
        let deadline = ContinuousClock.now + Self.longest
        return await withTaskGroup(of: Outcome.self) { group in
            var waiting = ledgers[...]
            var outcomes: [Outcome] = []
            var running = 0
            while true {
                while running < Projector.width, .now < deadline, let ledger = waiting.popFirst() {
                    let views = Set(ProjectionName.all).subtracting(stopped[ledger] ?? [])
                    guard !views.isEmpty else { continue }
                    running += 1
                    group.addTask { [follower, pageSize] in
                        await Self.outcome(of: ledger, views, limit: pageSize, follower)
                    }
                }
                guard let outcome = await group.next() else { return (outcomes, waiting) }
                running -= 1
                outcomes.append(outcome)
            }
        }
    }

    /// One step. The result is made before the pair of both: of a pair that was begun before the step, the optimizer of
    /// Swift 6.3.1 loses the half of the ledger's id.
    private static func outcome(
        of ledger: LedgerID, _ views: Set<ProjectionName>, limit: Int, _ follower: LedgerFollower
    ) async -> Outcome {
        let result: Result<LedgerFollower.Step?, any Error>
        do {
            result = .success(try await follower.step(ledger, views, limit: limit))
        } catch {
            result = .failure(error)
        }
        return Outcome(ledger: ledger, result: result)
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
