import Ledger
import Logging
import Postgres

/// Applies the next events of a ledger to the live generations of its projections.
struct LedgerFollower: Sendable {
    /// How many events share a transaction.
    static let pageSize = 500

    /// The result of one step.
    struct Step: Sendable {
        /// The position that all running projections have reached.
        var position: Int64
        /// The number of events of the ledger.
        var size: Int64
        /// The projections that stopped during the step.
        var failures: [ProjectionBatch.Progress] = []
    }

    let pool: PostgresPool
    let reader: LedgerReader

    /// Applies at most one page of a ledger's events. Returns `nil` if another program is working on the ledger.
    ///
    /// - Parameters:
    ///   - views: The running projections; the others have already stopped at this ledger.
    ///   - standing: The positions of the projections if a pass has just read them. Otherwise the step reads them.
    func step(
        _ ledger: LedgerID, _ views: Set<ProjectionName>, from standing: LedgerPass.Standing? = nil,
        limit: Int = pageSize
    ) async throws -> Step? {
        do {
            return try await follow(ledger, views, from: standing?.position, limit: limit)
        } catch {
            guard Self.isPoison(error) else { throw error }
            if views.count > 1 { return try await oneByOne(ledger, views) }
            if limit > 1 { return try await step(ledger, views, limit: 1) }
            return try await stop(ledger, views, error)
        }
    }

    private func follow(
        _ ledger: LedgerID, _ views: Set<ProjectionName>, from known: Int64?, limit: Int
    ) async throws -> Step? {
        let start: Int64
        if let known { start = known } else { start = try await position(ledger, views) }
        let page = try await reader.entries(
            of: ledger, after: start, limit: limit, without: ReadModels.typesWithoutEffect(on: views))
        guard page.cursor > start else { return Step(position: start, size: page.size) }
        let batch = ProjectionBatch(ledger: ledger, events: DecodedEvents(page))
        // A projection without a row is at 0, and so is one that has just begun. The next step creates a row that is
        // deleted after this point.
        let locking = ProgressRow.lockLive(ledger, makesRows: start == 0)
        return try await pool.withTransaction(opening: locking.statements) { connection, answers in
            let locked = try locking.rows(in: answers).filter { views.contains($0.projection) }
            // Another program holds a row, or a cut-over installed one that is behind what was read.
            guard locked.count == views.count, locked.allSatisfy({ $0.position >= start }) else { return nil }
            let targets = locked.compactMap { row in
                ReadModels.named(row.projection).map {
                    ProjectionBatch.Target(model: $0, generation: row.generation, position: row.position)
                }
            }
            let progress = try await batch.run(targets, commits: true, on: &connection)
            return Step(
                position: progress.filter { $0.failure == nil }.map(\.position).min() ?? page.size, size: page.size,
                failures: progress.filter { $0.failure != nil })
        }
    }

    /// Steps each projection alone, so that one that fails does not hold up the others.
    private func oneByOne(_ ledger: LedgerID, _ views: Set<ProjectionName>) async throws -> Step? {
        var whole: Step?
        for view in views.sorted() {
            guard let step = try await step(ledger, [view]) else { return nil }
            whole = Step(
                position: min(whole?.position ?? step.position, step.position), size: step.size,
                failures: (whole?.failures ?? []) + step.failures)
        }
        return whole
    }

    /// Records that the next event cannot be applied.
    private func stop(
        _ ledger: LedgerID, _ views: Set<ProjectionName>, _ error: any Error
    ) async throws -> Step? {
        let start = try await position(ledger, views)
        let page = try await reader.entries(
            of: ledger, after: start, limit: 1, without: ReadModels.typesWithoutEffect(on: views))
        guard let event = page.entries.first?.position else { throw error }
        let locking = ProgressRow.lockLive(ledger, makesRows: start == 0)
        return try await pool.withTransaction(opening: locking.statements) { connection, answers in
            let locked = try locking.rows(in: answers).filter { views.contains($0.projection) }
            guard locked.count == views.count, locked.allSatisfy({ $0.position == start }) else { return nil }
            let failure = DecodedEvents.Failure(position: event, reason: DecodedEvents.Failure.reason(error))
            var step = Step(position: page.size, size: page.size)
            let moves = locked.map {
                ProgressRow.Move(
                    projection: $0.projection, generation: $0.generation, position: event - 1, failure: failure)
            }
            try await connection.execute(ProgressRow.update(ledger: ledger, moves))
            for row in locked {
                step.failures.append(.init(projection: row.projection, position: event - 1, failure: failure))
            }
            return step
        }
    }

    /// Returns the position of the projection that is furthest behind, or 0 if one has no row.
    private func position(_ ledger: LedgerID, _ views: Set<ProjectionName>) async throws -> Int64 {
        try await pool.withConnection { connection in try await connection.query(ProgressRow.live(ledger)) }
            .map(ProgressRow.init).filter { views.contains($0.projection) }.map(\.position).min() ?? 0
    }

    /// Whether an event caused the error, so that a retry cannot help: the database refuses a value (SQLSTATE classes
    /// 22 and 23), or a row does not hold what this program writes.
    static func isPoison(_ error: any Error) -> Bool {
        switch error {
        case let error as ProjectionError: error.code == .unreadable
        case let error as PostgresError: error.sqlState.map { ["22", "23"].contains($0.classCode) } ?? false
        default: false
        }
    }
}

/// Takes one step in each of many ledgers. It passes over most of them together, and steps through a few others
/// concurrently.
struct LedgerSteps: Sendable {
    /// The result of one step. A success without a step means that another program is working on the ledger.
    struct Outcome: Sendable {
        let ledger: LedgerID
        let result: Result<LedgerFollower.Step?, any Error>
        /// Whether the ledger was only passed over, because no projection consumes its new events.
        var isPassed = false
    }

    /// How long new steps are started. The next round takes the rest.
    static let longest: Duration = .milliseconds(500)

    let follower: LedgerFollower
    let pass: LedgerPass
    let logger: Logger
    /// How many events of a ledger share a transaction.
    let pageSize: Int
    /// The projections that have already stopped, by ledger.
    let stopped: [LedgerID: Set<ProjectionName>]

    /// A ledger that needs its own step, with its standing if that is known.
    private struct Work: Sendable {
        let ledger: LedgerID
        let standing: LedgerPass.Standing?
    }

    /// Takes the steps. Also returns the ledgers that there was no time for.
    func run(_ ledgers: [LedgerID]) async -> (outcomes: [Outcome], left: [LedgerID]) {
        let deadline = ContinuousClock.now + Self.longest
        return await withTaskGroup(of: Outcome.self) { group in
            var waiting = ledgers[...]
            var ready: ArraySlice<Work> = []
            var outcomes: [Outcome] = []
            var running = 0
            while true {
                while running < Projector.width, !ready.isEmpty || !waiting.isEmpty, .now < deadline {
                    guard let work = ready.popFirst() else {
                        let part = waiting.prefix(LedgerPass.width)
                        waiting = waiting.dropFirst(part.count)
                        let (passed, left) = await pass(Array(part))
                        outcomes += passed
                        ready = left[...]
                        continue
                    }
                    let views = Set(ProjectionName.all).subtracting(stopped[work.ledger] ?? [])
                    guard !views.isEmpty else { continue }
                    running += 1
                    group.addTask { await outcome(of: work, views) }
                }
                guard let outcome = await group.next() else { return (outcomes, ready.map(\.ledger) + waiting) }
                running -= 1
                outcomes.append(outcome)
            }
        }
    }

    /// Passes over ledgers where no projection has stopped. If that fails, each ledger's own step finds the cause.
    private func pass(_ ledgers: [LedgerID]) async -> (passed: [Outcome], left: [Work]) {
        var standings: [LedgerID: LedgerPass.Standing] = [:]
        do {
            standings = try await pass.run(ledgers.filter { stopped[$0] == nil })
        } catch {
            logger.debug("the projector processes ledgers one by one", metadata: ["error": "\(error)"])
        }
        var passed: [Outcome] = []
        var left: [Work] = []
        for ledger in ledgers {
            if let standing = standings[ledger], standing.isPassed {
                let step = LedgerFollower.Step(position: standing.size, size: standing.size)
                passed.append(Outcome(ledger: ledger, result: .success(step), isPassed: true))
            } else {
                left.append(Work(ledger: ledger, standing: standings[ledger]))
            }
        }
        return (passed, left)
    }

    /// Takes one step.
    ///
    /// The result is computed before the outcome is constructed. If the outcome is begun first, the optimizer of Swift
    /// 6.3.1 loses the ledger's id.
    private func outcome(of work: Work, _ views: Set<ProjectionName>) async -> Outcome {
        let result: Result<LedgerFollower.Step?, any Error>
        do {
            result = .success(try await follower.step(work.ledger, views, from: work.standing, limit: pageSize))
        } catch {
            result = .failure(error)
        }
        return Outcome(ledger: work.ledger, result: result)
    }
}
