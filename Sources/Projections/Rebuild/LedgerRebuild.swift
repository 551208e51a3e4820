import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Builds the rows of one ledger beside the live ones, page by page.
struct LedgerRebuild: Sendable {
    let pool: PostgresPool
    let reader: LedgerReader
    let generations: BuildingGenerations
    let ledger: LedgerID

    /// The positions of what is live and of what is built, for each view.
    struct Positions: Sendable {
        var live: [ProjectionName: ProgressRow] = [:]
        var built: [ProjectionName: Int64] = [:]
        /// Where the new generation stopped, and why.
        var stops: [ProjectionName: DecodedEvents.Failure] = [:]

        /// Whether the new generation of a view has everything that the live one has.
        func isComplete(_ view: ProjectionName) -> Bool { (built[view] ?? 0) >= (live[view]?.position ?? 0) }
    }

    /// Builds up to where the live views are, each page in a transaction of its own; a kill loses one page.
    ///
    /// - Parameter progress: Told the number of events that were taken since it was told last.
    func catchUp(_ progress: (Int64) -> Void) async throws {
        let target = try await pool.withConnection { connection in try await self.target(on: &connection) }
        var stopped: Set<ProjectionName> = []
        var reached: Int64 = 0
        while true {
            let (position, failing) = try await pool.withTransaction { [stopped] connection in
                try await page(upTo: target, without: stopped, on: &connection)
            }
            stopped.formUnion(failing)
            guard let position else { return progress(target - reached) }
            progress(max(position - reached, 0))
            reached = max(position, reached)
        }
    }

    /// Builds up to where the live views are, in the caller's transaction, which holds these.
    func catchUp(on connection: inout PostgresConnection) async throws {
        let target = try await target(on: &connection)
        var stopped: Set<ProjectionName> = []
        while true {
            let (position, failing) = try await page(upTo: target, without: stopped, on: &connection)
            guard position != nil else { return }
            stopped.formUnion(failing)
        }
    }

    /// How far the live views are; one that stopped is behind the others.
    private func target(on connection: inout PostgresConnection) async throws -> Int64 {
        try await connection.query(ProgressRow.live(ledger)).map(ProgressRow.init)
            .filter { generations.numbers[$0.projection] != nil }.map(\.position).max() ?? 0
    }

    /// Locks the live rows and those that are built, so that both stay where they are until the transaction ends.
    func lock(on connection: inout PostgresConnection) async throws {
        _ = try await connection.query(
            """
            SELECT FROM tenure.projection_progress
            WHERE ledger_id = \(ledger.uuid) AND projection = ANY (\(generations.views.map(\.rawValue)))
            ORDER BY projection, generation FOR UPDATE
            """)
    }

    /// Where all views are.
    func positions(on connection: inout PostgresConnection) async throws -> Positions {
        var positions = Positions()
        for row in try await connection.query(ProgressRow.live(ledger)).map(ProgressRow.init)
        where generations.numbers[row.projection] != nil {
            positions.live[row.projection] = row
        }
        let built = try await connection.query(
            """
            SELECT p.projection, p.position, p.failed_at_position, p.failure FROM tenure.projection_progress AS p
            WHERE p.ledger_id = \(ledger.uuid) AND (p.projection, p.generation)
                IN (SELECT * FROM unnest(\(generations.views.map(\.rawValue)), \(generations.orderedNumbers)))
            """)
        for row in built {
            let (name, position, stop, reason) = try row.decode(String.self, Int64.self, Int64?.self, String?.self)
            let view = ProjectionName(rawValue: name)
            positions.built[view] = position
            if let stop { positions.stops[view] = .init(position: stop, reason: reason ?? "") }
        }
        return positions
    }

    /// Takes at most one page into those views that are behind.
    ///
    /// - Returns: Where the page ended, nil when there was nothing to take, and the views that stopped in it.
    private func page(
        upTo target: Int64, without stopped: Set<ProjectionName>, on connection: inout PostgresConnection
    ) async throws -> (position: Int64?, stopped: Set<ProjectionName>) {
        var targets: [ProjectionBatch.Target] = []
        for view in generations.views where !stopped.contains(view) {
            guard let model = ReadModels.named(view), let generation = generations.numbers[view] else { continue }
            let rows = try await connection.pipeline(ProgressRow.lock(ledger, view, generation)).last ?? []
            guard let row = try rows.first.map(ProgressRow.init), row.position < target else { continue }
            targets.append(.init(model: model, generation: generation, position: row.position))
        }
        guard let start = targets.map(\.position).min() else { return (nil, []) }
        let limit = min(Int64(LedgerFollower.pageSize), target - start)
        let page = try await reader.ledger(ledger, after: start, limit: Int(limit))
        guard let end = page.events.last?.position else { return (nil, []) }
        let batch = ProjectionBatch(ledger: ledger, events: DecodedEvents(page.events, end: end))
        let progress = try await batch.run(targets, on: &connection)
        return (end, Set(progress.filter { $0.failure != nil }.map(\.projection)))
    }
}
