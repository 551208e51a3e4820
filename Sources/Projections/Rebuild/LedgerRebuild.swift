import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Builds the rows of one ledger beside the live ones, page by page.
struct LedgerRebuild: Sendable {
    /// How many events share a transaction, without those that no view takes.
    static let pageSize = 4_000

    let pool: PostgresPool
    let reader: LedgerReader
    let generations: BuildingGenerations
    let ledger: LedgerID
    let pageSize: Int

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
    /// The next page is read and decoded while one is stored.
    ///
    /// - Parameter progress: Told the number of events that were taken since it was told last.
    func catchUp(_ progress: (Int64) -> Void) async throws {
        let (start, target): (Int64, Int64) = try await pool.withConnection { connection in
            let built = try await built(on: &connection)
            let target = try await self.target(on: &connection)
            return (built, target)
        }
        var stopped: Set<ProjectionName> = []
        var reached: Int64 = 0
        var page = try await read(after: start, through: target)
        while page.start < page.end, stopped.count < generations.views.count {
            let present = page
            async let following = read(after: present.end, through: target)
            let (end, failing): (Int64, Set<ProjectionName>) = try await pool.withTransaction {
                [stopped] connection in
                // A page that is lost with the server is built again, and no reader sees it yet.
                try await connection.execute("SET LOCAL synchronous_commit = off")
                return try await store(present, without: stopped, on: &connection)
            }
            stopped.formUnion(failing)
            progress(max(min(end, target) - reached, 0))
            reached = max(min(end, target), reached)
            let next = try await following
            // Somebody else built meanwhile, or a row is further back than the page began.
            page = end == next.start ? next : try await read(after: end, through: target)
        }
        progress(max(target - reached, 0))
    }

    /// Builds up to where the live views are, in the caller's transaction, which holds these.
    func catchUp(on connection: inout PostgresConnection) async throws {
        let target = try await target(on: &connection)
        var start = try await built(on: &connection)
        var stopped: Set<ProjectionName> = []
        while start < target {
            let page = try await read(after: start, through: target)
            guard page.start < page.end, stopped.count < generations.views.count else { return }
            let (end, failing) = try await store(page, without: stopped, on: &connection)
            stopped.formUnion(failing)
            start = end
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

    /// How far the view that is furthest behind is built.
    private func built(on connection: inout PostgresConnection) async throws -> Int64 {
        let positions = try await positions(on: &connection)
        // One that has stopped is tried again: the program may know the event now.
        return generations.views.map { positions.built[$0] ?? 0 }.min() ?? 0
    }

    /// Events of the ledger, decoded, with where they begin and end.
    private struct Page: Sendable {
        let start: Int64
        let end: Int64
        let events: DecodedEvents
    }

    private func read(after start: Int64, through target: Int64) async throws -> Page {
        let page = try await reader.entries(
            of: ledger, after: start, through: target, limit: pageSize,
            without: ReadModels.typesWithoutEffect(on: generations.views))
        return Page(start: start, end: page.cursor, events: DecodedEvents(page))
    }

    /// Takes a page into those views that are behind.
    ///
    /// - Returns: Where to go on, and the views that stopped in the page.
    private func store(
        _ page: Page, without stopped: Set<ProjectionName>, on connection: inout PostgresConnection
    ) async throws -> (end: Int64, stopped: Set<ProjectionName>) {
        var targets: [ProjectionBatch.Target] = []
        for view in generations.views where !stopped.contains(view) {
            guard let model = ReadModels.named(view), let generation = generations.numbers[view] else { continue }
            let rows = try await connection.pipeline(ProgressRow.lock(ledger, view, generation)).last ?? []
            guard let row = try rows.first.map(ProgressRow.init), row.position < page.end else { continue }
            targets.append(.init(model: model, generation: generation, position: row.position))
        }
        guard let start = targets.map(\.position).min() else { return (page.end, []) }
        guard start >= page.start else { return (start, []) }
        let progress = try await ProjectionBatch(ledger: ledger, events: page.events).run(targets, on: &connection)
        return (page.end, Set(progress.filter { $0.failure != nil }.map(\.projection)))
    }
}
