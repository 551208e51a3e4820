import Ledger
import Postgres

/// Applies events of one ledger to several projections, whose progress rows the transaction has locked.
struct ProjectionBatch {
    /// A projection to apply the events to, from its own position on.
    struct Target {
        let model: any ReadModel.Type
        let generation: Int32
        let position: Int64
    }

    struct Progress: Sendable, Equatable {
        let projection: ProjectionName
        let position: Int64
        let failure: DecodedEvents.Failure?
    }

    let ledger: LedgerID
    let events: DecodedEvents

    /// Stores rows and progress in two round trips, whatever the number of projections.
    ///
    /// - Parameter commits: Whether the second round trip also commits the transaction, as its last statement.
    func run(
        _ targets: [Target], commits: Bool, on connection: inout PostgresConnection
    ) async throws -> [Progress] {
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
            // A projection that is already ahead has nothing to store, and may have stopped for another reason.
            guard target.position < self.events.end || failure != nil else { continue }
            writes += model.changes(scope(target))
            moves.append(
                .init(
                    projection: reached.projection, generation: target.generation, position: reached.position,
                    failure: failure))
        }
        if !moves.isEmpty { writes.append(ProgressRow.update(ledger: ledger, moves)) }
        if commits {
            _ = try await connection.commit(after: writes)
        } else {
            try await connection.pipeline(writes)
        }
        return progress
    }

    /// Returns the read model after the events, up to the first one that it cannot apply.
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

/// The decoded events of one ledger, and those among them that cannot be decoded.
struct DecodedEvents: Sendable {
    /// The reason why a projection cannot apply an event.
    struct Failure: Sendable, Equatable {
        let position: Int64
        let reason: String
    }

    /// The events that could be decoded, in order.
    private(set) var events: [ProjectedEvent] = []
    /// The position up to which all events were considered.
    let end: Int64
    /// The events that could not be decoded, in order, with the types that their rows name.
    private var failures: [(type: String, failure: Failure)] = []

    init(_ page: EntryPage) {
        end = page.cursor
        events.reserveCapacity(page.entries.count)
        for entry in page.entries {
            do { events.append(try ProjectedEvent(try entry.event())) } catch {
                let failure = Failure(position: entry.position, reason: Failure.reason(error))
                failures.append((entry.type, failure))
            }
        }
    }

    /// Returns the first event after a position that a read model consumes and that cannot be decoded.
    func failure(of model: any ReadModel.Type, after position: Int64) -> Failure? {
        failures.first { $0.failure.position > position && ReadModels.takes(model, $0.type) }?.failure
    }

    /// Returns the events after a position that a read model consumes, up to the first that cannot be decoded.
    func events(for model: any ReadModel.Type, after position: Int64) -> [ProjectedEvent] {
        let end = failure(of: model, after: position)?.position ?? .max
        return events.filter { $0.position > position && $0.position < end && model.concerns($0) }
    }
}

extension DecodedEvents.Failure {
    /// The reason as stored in a progress row: codes and names, at most 200 characters.
    ///
    /// Errors of this package may be shown. Others are represented by their type only.
    static func reason(_ error: any Error) -> String {
        let text = (error as? any CustomStringConvertible)?.description ?? String(describing: type(of: error))
        return String(text.unicodeScalars.filter { $0.value >= 0x20 }.prefix(200).map(Character.init))
    }
}
