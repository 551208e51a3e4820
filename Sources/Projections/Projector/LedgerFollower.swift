import FoundationEssentials
import Ledger
import Postgres

/// Takes the next events of a ledger into the live generations of its views.
struct LedgerFollower: Sendable {
    /// How many events share a transaction.
    static let pageSize = 500

    /// What one step came to.
    struct Step: Sendable {
        /// The position that all views that go on have reached.
        var position: Int64
        /// The number of events of the ledger.
        var size: Int64
        /// What stopped during the step.
        var failures: [ProjectionBatch.Progress] = []
    }

    let pool: PostgresPool
    let reader: LedgerReader

    /// Follows a ledger by at most one page. Nil when another program is at work on it.
    ///
    /// - Parameters:
    ///   - views: Those that go on; others have stopped at this ledger before.
    ///   - standing: Where all views are, if a pass has just found out; asked for otherwise.
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
        // A view whose row is missing is at 0, and so is one that has just begun. One that gets lost from here on is made
        // by the next step.
        let opening = ProgressRow.lockLive(ledger, makesRows: start == 0)
        return try await pool.withTransaction(opening: opening) { connection, answers in
            let locked = try Self.rows(answers, of: views)
            // Somebody else holds a row, or a switch brought one that is further back than what was read.
            guard locked.count == views.count, locked.allSatisfy({ $0.position >= start }) else { return nil }
            let targets = locked.compactMap { row in
                ReadModels.named(row.projection).map {
                    ProjectionBatch.Target(model: $0, generation: row.generation, position: row.position)
                }
            }
            let progress = try await batch.run(targets, on: &connection)
            return Step(
                position: progress.filter { $0.failure == nil }.map(\.position).min() ?? page.size, size: page.size,
                failures: progress.filter { $0.failure != nil })
        }
    }

    /// One view cannot go on, and the others must not wait for it.
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

    /// Records that the next event cannot be taken.
    private func stop(
        _ ledger: LedgerID, _ views: Set<ProjectionName>, _ error: any Error
    ) async throws -> Step? {
        let start = try await position(ledger, views)
        let page = try await reader.entries(
            of: ledger, after: start, limit: 1, without: ReadModels.typesWithoutEffect(on: views))
        guard let event = page.entries.first?.position else { throw error }
        let opening = ProgressRow.lockLive(ledger, makesRows: start == 0)
        return try await pool.withTransaction(opening: opening) { connection, answers in
            let locked = try Self.rows(answers, of: views)
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

    /// The position of the view that is furthest behind; 0 also where one has no row.
    private func position(_ ledger: LedgerID, _ views: Set<ProjectionName>) async throws -> Int64 {
        try await pool.withConnection { connection in try await connection.query(ProgressRow.live(ledger)) }
            .map(ProgressRow.init).filter { views.contains($0.projection) }.map(\.position).min() ?? 0
    }

    /// The rows that the last of the opening statements has locked.
    private static func rows(_ answers: [[PostgresRow]], of views: Set<ProjectionName>) throws -> [ProgressRow] {
        try (answers.last ?? []).map(ProgressRow.init).filter { views.contains($0.projection) }
    }

    /// Whether an event is the reason, so that no repetition heals it: values that the database refuses (SQLSTATE
    /// classes 22 and 23), or rows that do not hold what this program writes.
    private static func isPoison(_ error: any Error) -> Bool {
        switch error {
        case let error as ProjectionError: error.code == .unreadable
        case let error as PostgresError: error.sqlState.map { ["22", "23"].contains($0.classCode) } ?? false
        default: false
        }
    }
}
