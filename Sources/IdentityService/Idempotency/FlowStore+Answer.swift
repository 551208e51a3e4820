import Canonical
import Ledger
import Postgres

extension FlowStore {
    /// Replaces a row and stores what the step answers, both or neither: so a step whose reply was lost is answered again
    /// although the flow has left it.
    ///
    /// - Parameter waits: Whether the step is to be on the disk before it is answered. A step for which nothing is charged, and
    ///   which may be done again, need not: a crash of the database puts the flow back before it.
    /// - Throws: `flow.wrong_step` when another request took the step.
    @discardableResult
    func replace(
        _ row: Row, answering ticket: IdempotencyTicket?, _ answer: some RepeatableAnswer, waits: Bool = true
    ) async throws -> Row {
        try await replace(row, storing: .object(["answer": answer.stored]), ticket, waits)
    }

    /// The same for a step that is refused and leaves the flow open.
    @discardableResult
    func replace(_ row: Row, refusing ticket: IdempotencyTicket?, _ refusal: ServiceError) async throws -> Row {
        try await replace(row, storing: .object(["error": refusal.stored]), ticket, true)
    }

    private func replace(
        _ row: Row, storing answer: JSONValue, _ ticket: IdempotencyTicket?, _ waits: Bool
    ) async throws -> Row {
        guard let ticket else { return try await replace(row, waits: waits) }
        let replacement = try self.replacement(row)
        // One statement, and so one round trip.
        let replaced = try await context.pool.pipeline(
            [ticket.completion(answer, after: replacement.statement)],
            in: [Self.ledger(of: row.state.id), ticket.ledger], waits: waits)
        guard replaced.first?.count == 1 else { throw ServiceError(.flowWrongStep) }
        ticket.markStored()
        return replacement.row
    }
}
