import FoundationEssentials
import Ledger
import Postgres

/// The generations that are being built beside the live ones.
struct BuildingGenerations: Sendable {
    /// The number of the generation being built, for each projection.
    let numbers: [ProjectionName: Int32]

    var views: [ProjectionName] { numbers.keys.sorted() }

    func only(_ views: Set<ProjectionName>) -> BuildingGenerations {
        BuildingGenerations(numbers: numbers.filter { views.contains($0.key) })
    }

    /// Continues what an interrupted run of the same revision has built, or begins a new generation.
    static func begin(
        _ views: Set<ProjectionName>, on connection: inout PostgresConnection
    ) async throws -> BuildingGenerations {
        var numbers: [ProjectionName: Int32] = [:]
        for view in views.sorted() {
            guard let model = ReadModels.named(view) else { throw unknown(view) }
            let rows = try await connection.query(
                """
                UPDATE tenure.projection_generation SET
                    building = CASE WHEN building_revision = \(model.revision) THEN building
                        ELSE greatest(live, building) + 1 END,
                    building_revision = \(model.revision)
                WHERE projection = \(view.rawValue) RETURNING building, live_revision
                """)
            guard let row = rows.first else { throw unknown(view) }
            let (building, live) = try row.decode(Int32.self, Int32.self)
            guard live <= model.revision else {
                throw ProjectionError(.outlived, "a later version of the program has built the projection \(view)")
            }
            numbers[view] = building
        }
        return BuildingGenerations(numbers: numbers)
    }

    /// Locks the generations exclusively until the transaction ends: no other program applies events, builds or cuts
    /// over.
    func lock(on connection: inout PostgresConnection) async throws {
        try await connection.execute(ProgressRow.lockGenerations)
        try await check(on: &connection)
    }

    /// Prevents a cut-over until the transaction ends. Other programs may apply events and build.
    func hold(on connection: inout PostgresConnection) async throws {
        try await connection.execute(ProgressRow.holdGenerations)
        try await check(on: &connection)
    }

    /// Makes the built generations live, in one update.
    func makeLive(on connection: inout PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE tenure.projection_generation
            SET live = building, live_revision = building_revision, building = NULL, building_revision = NULL
            WHERE projection = ANY (\(views.map(\.rawValue)))
            """)
    }

    /// Abandons the built generations. Their rows are then obsolete and dropped like any others.
    func abandon(on connection: inout PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE tenure.projection_generation SET building = NULL, building_revision = NULL
            WHERE (projection, building) IN (SELECT * FROM unnest(\(views.map(\.rawValue)), \(orderedNumbers)))
            """)
    }

    /// The numbers in the order of ``views``.
    var orderedNumbers: [Int32] { views.compactMap { numbers[$0] } }

    private func check(on connection: inout PostgresConnection) async throws {
        var found: [ProjectionName: Int32] = [:]
        for row in try await connection.query("SELECT projection, building FROM tenure.projection_generation") {
            let (view, building) = try row.decode(String.self, Int32?.self)
            found[ProjectionName(rawValue: view)] = building
        }
        for (view, number) in numbers where found[view] != number {
            throw ProjectionError(.superseded, "another program has cut over or abandoned the projection \(view)")
        }
    }

    private static func unknown(_ view: ProjectionName) -> ProjectionError {
        ProjectionError(.unknownView, "the database has no projection \(view)")
    }
}

/// The rows of generations that are neither live nor being built.
struct ObsoleteRows: Sendable {
    /// How many rows one transaction drops.
    static let chunk: Int64 = 10_000

    let pool: PostgresPool

    /// Drops the obsolete rows of projections in bounded transactions. After a kill the next run continues.
    func drop(_ views: [ProjectionName]) async throws {
        for view in views {
            while case let rows = try await find(view), !rows.isEmpty {
                for (generation, ledger) in rows { try await drop(view, generation, ledger) }
            }
        }
    }

    /// Returns some obsolete generations of a projection, with their ledgers.
    ///
    /// It reads ranges of the index, because a search for other generations than the live one and the one being built
    /// would read all live rows each time. The order keeps the planner from reading the table.
    private func find(_ view: ProjectionName) async throws -> [(generation: Int32, ledger: UUID)] {
        // One snapshot: rows of a generation that was begun in between would look obsolete.
        try await pool.withTransaction(.snapshot) { connection in
            let rows = try await connection.query(
                "SELECT live, building FROM tenure.projection_generation WHERE projection = \(view.rawValue)")
            guard let (live, building) = try rows.first?.decode(Int32.self, Int32?.self) else { return [] }
            var ranges: [SQL] = ["generation < \(live)", "generation > \(building ?? live)"]
            if let building { ranges.append("generation > \(live) AND generation < \(building)") }
            let statements: [SQL] = ranges.map { range in
                """
                SELECT generation, ledger_id FROM tenure.projection_progress
                WHERE projection = \(view.rawValue) AND \(range) ORDER BY generation, ledger_id LIMIT 500
                """
            }
            return try await connection.pipeline(statements).flatMap(\.self).map { row in
                let (generation, ledger) = try row.decode(Int32.self, UUID.self)
                return (generation, ledger)
            }
        }
    }

    private func drop(_ view: ProjectionName, _ generation: Int32, _ ledger: UUID) async throws {
        for table in ReadModels.named(view)?.tables ?? [] {
            let own: SQL = "ledger_id = \(ledger) AND generation = \(generation)"
            let keys = table.keyColumns.joined(separator: ", ")
            let some: SQL =
                keys.isEmpty
                ? ""
                : """
                AND (\(unsafeSQL: keys)) IN (
                    SELECT \(unsafeSQL: keys) FROM tenure.\(unsafeSQL: table.tableName) WHERE \(own) LIMIT \(Self.chunk))
                """
            let sql: SQL = "DELETE FROM tenure.\(unsafeSQL: table.tableName) WHERE \(own) \(some)"
            while try await run(sql) >= Self.chunk {}
        }
        // This row goes last: while it exists, the next run finds what is left.
        _ = try await run(
            """
            DELETE FROM tenure.projection_progress
            WHERE ledger_id = \(ledger) AND projection = \(view.rawValue) AND generation = \(generation)
            """)
    }

    /// Runs a statement in a transaction of its own. Returns the number of rows.
    ///
    /// It does not wait for the disk. If a crash of the server undoes the last transactions, the next run repeats them.
    private func run(_ sql: SQL) async throws -> Int {
        try await pool.withTransaction(opening: ["SET LOCAL synchronous_commit = off"]) { connection, _ in
            try await connection.execute(sql)
        }
    }
}
