import FoundationEssentials
import Ledger
import Postgres

/// The generations that are being built beside the live ones.
struct BuildingGenerations: Sendable {
    /// The number of the generation that is built, for each view.
    let numbers: [ProjectionName: Int32]

    var views: [ProjectionName] { numbers.keys.sorted() }

    /// Takes up what an interrupted run of the same revision has built, or begins anew.
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
                throw ProjectionError(.outlived, "a later version of the program has built \(view)")
            }
            numbers[view] = building
        }
        return BuildingGenerations(numbers: numbers)
    }

    /// Locks the views against every other program that follows, builds or switches, until the transaction ends.
    func lock(on connection: inout PostgresConnection) async throws {
        try await connection.execute(ProgressRow.lockGenerations)
        try await check(on: &connection)
    }

    /// Holds the views so that nobody switches until the transaction ends; others may follow and build.
    func hold(on connection: inout PostgresConnection) async throws {
        try await connection.execute(ProgressRow.holdGenerations)
        try await check(on: &connection)
    }

    /// Makes what was built live, in one update.
    func makeLive(on connection: inout PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE tenure.projection_generation
            SET live = building, live_revision = building_revision, building = NULL, building_revision = NULL
            WHERE projection = ANY (\(views.map(\.rawValue)))
            """)
    }

    /// Gives up what was built; its rows are dropped as those of any generation that nobody names.
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
            throw ProjectionError(.superseded, "another program has switched or given up \(view) meanwhile")
        }
    }

    private static func unknown(_ view: ProjectionName) -> ProjectionError {
        ProjectionError(.unknownView, "the database has no view \(view)")
    }
}
