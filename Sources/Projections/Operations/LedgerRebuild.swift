import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Builds the rows of one ledger beside the live ones, page by page.
struct LedgerRebuild: Sendable {
    /// How many events share a transaction, not counting those that no projection consumes.
    static let pageSize = 4_000

    /// The statement after which a transaction does not wait for the disk. If built rows are lost in a crash of the
    /// server, they are built again. No reader sees them before the cut-over, which waits for all of them.
    private static let withoutDisk: SQL = "SET LOCAL synchronous_commit = off"

    let pool: PostgresPool
    let reader: LedgerReader
    let generations: BuildingGenerations
    let ledger: LedgerID
    let pageSize: Int

    /// The positions of the live and the built generations, for each projection.
    struct Positions: Sendable {
        var live: [ProjectionName: ProgressRow] = [:]
        var built: [ProjectionName: Int64] = [:]
        /// The events at which the new generations stopped, with the reason.
        var stops: [ProjectionName: DecodedEvents.Failure] = [:]

        /// Whether the new generation of a projection covers everything that the live one does.
        func isComplete(_ view: ProjectionName) -> Bool { (built[view] ?? 0) >= (live[view]?.position ?? 0) }
    }

    /// The same of some projections only.
    func only(_ views: Set<ProjectionName>) -> LedgerRebuild {
        LedgerRebuild(
            pool: pool, reader: reader, generations: generations.only(views), ledger: ledger, pageSize: pageSize)
    }

    /// The same of the projections that have not stopped.
    func running(on connection: inout PostgresConnection) async throws -> LedgerRebuild {
        only(Set(generations.views).subtracting(try await positions(on: &connection).stops.keys))
    }

    /// Builds up to the position of the live generations. Each page is a transaction; a kill loses one page.
    ///
    /// The next page is read and decoded while one is stored.
    ///
    /// - Parameter progress: Called with the number of events applied since the last call.
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
            let (end, failing): (Int64, Set<ProjectionName>) = try await pool.withTransaction(
                opening: [Self.withoutDisk]
            ) { [stopped] connection, _ in
                try await store(present, without: stopped, commits: true, on: &connection)
            }
            stopped.formUnion(failing)
            progress(max(min(end, target) - reached, 0))
            reached = max(min(end, target), reached)
            let next = try await following
            // Another program built meanwhile, or a row is behind the beginning of the page.
            page = end == next.start ? next : try await read(after: end, through: target)
        }
        progress(max(target - reached, 0))
    }

    /// Builds up to the position of the live generations, in the caller's transaction, which has locked them.
    func catchUp(on connection: inout PostgresConnection) async throws {
        let target = try await target(on: &connection)
        var start = try await built(on: &connection)
        var stopped: Set<ProjectionName> = []
        while start < target {
            let page = try await read(after: start, through: target)
            guard page.start < page.end, stopped.count < generations.views.count else { return }
            let (end, failing) = try await store(page, without: stopped, commits: false, on: &connection)
            stopped.formUnion(failing)
            start = end
        }
    }

    /// Returns the greatest position of the live generations. One that has stopped is behind the others.
    private func target(on connection: inout PostgresConnection) async throws -> Int64 {
        try await connection.query(ProgressRow.live(ledger)).map(ProgressRow.init)
            .filter { generations.numbers[$0.projection] != nil }.map(\.position).max() ?? 0
    }

    /// Locks the live and the built progress rows, so that both keep their position until the transaction ends.
    func lock(on connection: inout PostgresConnection) async throws {
        _ = try await connection.query(
            """
            SELECT 1 FROM tenure.projection_progress
            WHERE ledger_id = \(ledger.uuid) AND projection = ANY (\(generations.views.map(\.rawValue)))
            ORDER BY projection, generation FOR UPDATE
            """)
    }

    /// Returns the positions of all projections.
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

    /// Returns the position of the built generation that is furthest behind.
    private func built(on connection: inout PostgresConnection) async throws -> Int64 {
        let positions = try await positions(on: &connection)
        // A stopped generation is tried again, because the program may know the event now.
        return generations.views.map { positions.built[$0] ?? 0 }.min() ?? 0
    }

    /// Decoded events of the ledger, with the positions where they begin and end.
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

    /// Applies a page to the projections that are behind.
    ///
    /// - Parameter commits: Whether the transaction ends with the page, in the same round trip.
    /// - Returns: The position to continue from, and the projections that stopped in the page.
    private func store(
        _ page: Page, without stopped: Set<ProjectionName>, commits: Bool, on connection: inout PostgresConnection
    ) async throws -> (end: Int64, stopped: Set<ProjectionName>) {
        var wanted: [(model: any ReadModel.Type, generation: Int32, locking: ProgressRow.Locking)] = []
        for view in generations.views where !stopped.contains(view) {
            guard let model = ReadModels.named(view), let generation = generations.numbers[view] else { continue }
            wanted.append((model, generation, ProgressRow.lock(ledger, view, generation)))
        }
        // One round trip for all projections.
        var answers = try await connection.pipeline(wanted.flatMap(\.locking.statements))[...]
        var targets: [ProjectionBatch.Target] = []
        for (model, generation, locking) in wanted {
            let rows = try locking.rows(in: Array(answers.prefix(locking.statements.count)))
            answers = answers.dropFirst(locking.statements.count)
            guard let row = rows.first, row.position < page.end else { continue }
            targets.append(.init(model: model, generation: generation, position: row.position))
        }
        guard let start = targets.map(\.position).min() else { return (page.end, []) }
        guard start >= page.start else { return (start, []) }
        let progress = try await ProjectionBatch(ledger: ledger, events: page.events)
            .run(targets, commits: commits, on: &connection)
        return (page.end, Set(progress.filter { $0.failure != nil }.map(\.projection)))
    }
}

extension LedgerRebuild {
    /// Compares the live rows of the ledger with the built ones at one position.
    ///
    /// The projector waits for this ledger meanwhile. Reads do not.
    func compare() async throws -> [ViewDifference] {
        try await pool.withTransaction(opening: [Self.withoutDisk]) { connection, _ in
            try await generations.hold(on: &connection)
            try await lock(on: &connection)
            try await catchUp(on: &connection)
            let positions = try await positions(on: &connection)
            var differences: [ViewDifference] = []
            for view in generations.views {
                differences += try await compare(view, positions, on: &connection)
            }
            return differences
        }
    }

    /// Replaces the live rows of this ledger alone by the built ones, in one transaction.
    ///
    /// - Throws: ``ProjectionError/Code/incomplete``.
    func replace() async throws {
        try await pool.withTransaction { connection in
            try await generations.hold(on: &connection)
            try await lock(on: &connection)
            try await catchUp(on: &connection)
            let positions = try await positions(on: &connection)
            for view in generations.views {
                guard positions.isComplete(view) else { throw incomplete(view, positions.stops[view]) }
                guard let live = positions.live[view]?.generation, let built = generations.numbers[view],
                    let model = ReadModels.named(view), positions.built[view] != nil
                else { continue }
                try await replace(view, model, generation: live, by: built, on: &connection)
            }
        }
    }

    /// Deletes the rows of one generation, and gives its number to those of another.
    private func replace(
        _ view: ProjectionName, _ model: any ReadModel.Type, generation: Int32, by other: Int32,
        on connection: inout PostgresConnection
    ) async throws {
        for table in model.tables.map({ $0.tableName }) + ["projection_progress"] {
            let one: SQL = table == "projection_progress" ? "AND projection = \(view.rawValue)" : ""
            try await connection.execute(
                """
                DELETE FROM tenure.\(identifier: table)
                WHERE ledger_id = \(ledger.uuid) AND generation = \(generation) \(one)
                """)
            try await connection.execute(
                """
                UPDATE tenure.\(identifier: table) SET generation = \(generation)
                WHERE ledger_id = \(ledger.uuid) AND generation = \(other) \(one)
                """)
        }
    }

    /// Gives the new generation the live rows of each projection whose new rows are incomplete, in the caller's
    /// transaction, which has locked the generations.
    ///
    /// Such a projection stopped at an event that the live one has applied. Its readers go on as before.
    ///
    /// - Returns: The projections that kept their rows, with the events at which the new ones stopped.
    /// - Throws: ``ProjectionError/Code/incomplete`` if the new rows are behind for another reason.
    func keepIncomplete(on connection: inout PostgresConnection) async throws -> [ProjectionLag.Stop] {
        let positions = try await positions(on: &connection)
        var kept: [ProjectionLag.Stop] = []
        for view in generations.views where !positions.isComplete(view) {
            guard let stop = positions.stops[view], let live = positions.live[view]?.generation,
                let built = generations.numbers[view], let model = ReadModels.named(view)
            else { throw incomplete(view, positions.stops[view]) }
            try await replace(view, model, generation: built, by: live, on: &connection)
            kept.append(
                .init(view: view, tenant: TenantID(ledger.uuid), position: stop.position, reason: stop.reason))
        }
        return kept
    }

    /// Records that a projection cannot be built past its position, for a reason that the database gave.
    func stop(_ view: ProjectionName, _ error: any Error) async throws {
        guard let generation = generations.numbers[view] else { return }
        try await pool.withTransaction { connection in
            let locking = ProgressRow.lock(ledger, view, generation)
            let rows = try locking.rows(in: try await connection.pipeline(locking.statements))
            guard let position = rows.first?.position else { return }
            let failure = DecodedEvents.Failure(
                position: position + 1, reason: DecodedEvents.Failure.reason(error))
            let move = ProgressRow.Move(
                projection: view, generation: generation, position: position, failure: failure)
            try await connection.execute(ProgressRow.update(ledger: ledger, [move]))
        }
    }

    private func incomplete(_ view: ProjectionName, _ stop: DecodedEvents.Failure?) -> ProjectionError {
        ProjectionError(
            .incomplete,
            "\(view) cannot be rebuilt past position \(stop?.position ?? 0) of \(ledger): \(stop?.reason ?? "behind")")
    }

    /// Returns the difference of a projection that cannot be built to the end; none if it is complete.
    func stopped(_ view: ProjectionName) async throws -> [ViewDifference] {
        let positions = try await pool.withConnection { connection -> Positions in
            try await self.positions(on: &connection)
        }
        return positions.isComplete(view) ? [] : [stopped(view, positions)]
    }

    private func stopped(_ view: ProjectionName, _ positions: Positions) -> ViewDifference {
        let stop = positions.stops[view]
        let kind = ViewDifference.Kind.stopped(
            position: stop?.position ?? 0, reason: stop?.reason ?? "the new generation is behind")
        return ViewDifference(
            view: view, table: view.rawValue, tenant: TenantID(ledger.uuid), key: "", kind: kind)
    }

    private func compare(
        _ view: ProjectionName, _ positions: Positions, on connection: inout PostgresConnection
    ) async throws -> [ViewDifference] {
        guard let live = positions.live[view], let built = generations.numbers[view],
            let model = ReadModels.named(view)
        else { return [] }
        let tenant = TenantID(ledger.uuid)
        guard positions.isComplete(view) else { return [stopped(view, positions)] }
        guard positions.built[view] ?? 0 == live.position else {
            // The new generation reached the position of the other projections. The live one has stopped before it.
            let kind = ViewDifference.Kind.stopped(
                position: live.position + 1, reason: "the live projection has stopped")
            return [ViewDifference(view: view, table: view.rawValue, tenant: tenant, key: "", kind: kind)]
        }
        let expected = ViewScope(ledger: ledger, generation: built)
        let actual = ViewScope(ledger: ledger, generation: live.generation)
        var differences: [ViewDifference] = []
        for table in model.tables {
            let rows = try await connection.query(table.comparison(expected: expected, actual: actual))
            differences += try ViewComparison.differences(rows, view, table.tableName, tenant)
        }
        return differences
    }
}

extension ViewRow {
    /// The statement that compares the rows of two generations.
    fileprivate static func comparison(expected: ViewScope, actual: ViewScope) -> SQL {
        ViewComparison.statement(Self.self, expected: select(expected), actual: select(actual))
    }
}
