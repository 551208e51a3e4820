import FoundationEssentials
import Identity
import Ledger
import Postgres

extension LedgerRebuild {
    /// Holds the live rows of the ledger against those that were built, at one position.
    ///
    /// The projector waits for this ledger meanwhile; reads do not.
    func compare() async throws -> [ViewDifference] {
        try await pool.withTransaction { connection in
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

    /// Puts the rows that were built in the place of the live ones, for this ledger alone, in one transaction.
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
                let tables = model.tables.map { $0.table } + ["projection_progress"]
                for table in tables {
                    let isProgress = table == "projection_progress"
                    let one: SQL = isProgress ? "AND projection = \(view.rawValue)" : ""
                    try await connection.execute(
                        """
                        DELETE FROM tenure.\(identifier: table)
                        WHERE ledger_id = \(ledger.uuid) AND generation = \(live) \(one)
                        """)
                    try await connection.execute(
                        """
                        UPDATE tenure.\(identifier: table) SET generation = \(live)
                        WHERE ledger_id = \(ledger.uuid) AND generation = \(built) \(one)
                        """)
                }
            }
        }
    }

    /// Throws ``ProjectionError/Code/incomplete`` when a view has stopped before the position of the live one.
    ///
    /// - Parameter isFinal: Whether nobody follows any more, so that a view that is merely behind is refused too.
    func requireProgress(isFinal: Bool, on connection: inout PostgresConnection) async throws {
        let positions = try await positions(on: &connection)
        for view in generations.views where !positions.isComplete(view) {
            let stop = positions.stops[view]
            if isFinal || stop != nil { throw incomplete(view, stop) }
        }
    }

    private func incomplete(_ view: ProjectionName, _ stop: DecodedEvents.Failure?) -> ProjectionError {
        ProjectionError(
            .incomplete,
            "\(view) cannot be rebuilt past position \(stop?.position ?? 0) of \(ledger): \(stop?.reason ?? "behind")")
    }

    private func compare(
        _ view: ProjectionName, _ positions: Positions, on connection: inout PostgresConnection
    ) async throws -> [ViewDifference] {
        guard let live = positions.live[view], let built = generations.numbers[view],
            let model = ReadModels.named(view)
        else { return [] }
        let tenant = TenantID(ledger.uuid)
        guard positions.isComplete(view) else {
            let stop = positions.stops[view]
            let kind = ViewDifference.Kind.stopped(
                position: stop?.position ?? 0, reason: stop?.reason ?? "the new generation is behind")
            return [ViewDifference(view: view, table: view.rawValue, tenant: tenant, key: "", kind: kind)]
        }
        guard positions.built[view] ?? 0 == live.position else {
            // Built to where the other views are: the live one has stopped before.
            let kind = ViewDifference.Kind.stopped(position: live.position + 1, reason: "the live view has stopped")
            return [ViewDifference(view: view, table: view.rawValue, tenant: tenant, key: "", kind: kind)]
        }
        let expected = ViewScope(ledger: ledger, generation: built)
        let actual = ViewScope(ledger: ledger, generation: live.generation)
        var differences: [ViewDifference] = []
        for table in model.tables {
            let rows = try await connection.query(table.comparison(expected: expected, actual: actual))
            differences += try ViewComparison.differences(rows, view, table.table, tenant)
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
