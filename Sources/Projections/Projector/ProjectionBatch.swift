import Ledger
import Postgres

/// Takes events of one ledger into several views, whose progress rows the transaction has locked.
struct ProjectionBatch {
    /// A view that takes the events, from its own position on.
    struct Target {
        let model: any ReadModel.Type
        let generation: Int32
        let position: Int64
    }

    /// How far a view has come.
    struct Progress: Sendable, Equatable {
        let projection: ProjectionName
        let position: Int64
        let failure: DecodedEvents.Failure?
    }

    let ledger: LedgerID
    let events: DecodedEvents

    /// Stores rows and progress; two round trips, whatever the number of views.
    func run(_ targets: [Target], on connection: inout PostgresConnection) async throws -> [Progress] {
        var loads: [SQL] = []
        let wanted = targets.map { target in
            let events = events.events(for: target.model, after: target.position)
            let statements = events.isEmpty ? [] : target.model.rows(touchedBy: events, scope(target))
            defer { loads += statements }
            return (target: target, events: events, results: loads.count..<loads.count + statements.count)
        }
        let loaded = try await connection.pipeline(loads)
        var writes: [SQL] = []
        var moves: [ProgressRow.Move] = []
        var progress: [Progress] = []
        for (target, events, results) in wanted {
            let (model, failure) = try fold(target, events, Array(loaded[results]))
            let reached = Progress(
                projection: target.model.name,
                position: failure.map { $0.position - 1 } ?? max(self.events.end, target.position), failure: failure)
            progress.append(reached)
            // One that was ahead already has nothing to store, and may have stopped for a reason of its own.
            guard target.position < self.events.end || failure != nil else { continue }
            writes += model.changes(scope(target))
            moves.append(
                .init(
                    projection: reached.projection, generation: target.generation, position: reached.position,
                    failure: failure))
        }
        if !moves.isEmpty { writes.append(ProgressRow.update(ledger: ledger, moves)) }
        try await connection.pipeline(writes)
        return progress
    }

    /// The rows after the events, up to the one that the view cannot take.
    private func fold(
        _ target: Target, _ events: [ProjectedEvent], _ rows: [[PostgresRow]]
    ) throws -> (any ReadModel, DecodedEvents.Failure?) {
        var model: any ReadModel = target.model.init()
        try model.load(rows)
        for event in events {
            do { try model.apply(event) } catch {
                return (model, .init(position: event.position, reason: DecodedEvents.Failure.reason(error)))
            }
        }
        return (model, self.events.failure(of: target.model, after: target.position))
    }

    private func scope(_ target: Target) -> ViewScope { ViewScope(ledger: ledger, generation: target.generation) }
}
