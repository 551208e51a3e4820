import Canonical
import ErrorCodes
import Keys
import Ledger
import Postgres

/// Runs a use case at most once per `Idempotency-Key` and caller.
///
/// The use case gets a ticket. If it writes, it puts the ticket's completion into the same transaction. A lost reply can
/// then always be replayed, and a call whose right was taken over writes nothing. Other replies are stored afterwards.
struct IdempotentCall<Request: RepeatableUseCase>: Sendable {
    typealias Ticket = IdempotencyTicket<Request.Answer>
    let context: ServiceContext
    let request: Request
    let call: Call

    /// Runs the use case, or returns the first reply.
    ///
    /// - Throws: The errors of the use case; `idempotency.in_progress` while another call has the right;
    ///   `idempotency.conflict` for another request with the same key.
    func run(_ ticket: Ticket) async throws -> CallResult<Request.Answer> {
        guard try await request.mayStore(in: context) else { return try await runUnstored(ticket) }
        var ticket = ticket
        if let reply = try await begin(&ticket) { return .repeated(reply) }
        do {
            let answer = try await request.run(UseCaseRun(context: context, call: call, ticket: ticket))
            if !ticket.isStored { try await store(.success(answer), ticket) }
            return .answered(answer)
        } catch let error as ServiceError where error.isFinal {
            try await store(.failure(error), ticket)
            throw error
        } catch {
            let released = try? await context.pool.query(ticket.release, in: [ticket.ledger])
            // Another call has taken over, or the reply was stored after all.
            if let released, released.isEmpty { throw inProgress }
            throw error
        }
    }

    /// Returns the refusal of an earlier call, or runs the use case without a trace in the table. An earlier answer is
    /// not repeated: what it gave has ended.
    private func runUnstored(_ ticket: Ticket) async throws -> CallResult<Request.Answer> {
        if let row = try await row(ticket), row.isDone, row.fingerprint == ticket.fingerprint,
            let reply = try row.answer.map(ticket.opened), reply.isRefusal
        {
            return .repeated(reply)
        }
        return .answered(try await request.run(UseCaseRun(context: context, call: call)))
    }

    private var inProgress: ServiceError { ServiceError(.idempotencyInProgress, retryAfterSeconds: 1) }

    /// Stores the outcome of a use case that did not store it itself.
    private func store(_ outcome: Result<Request.Answer, ServiceError>, _ ticket: Ticket) async throws {
        let kept = try await context.pool.query(ticket.storing(outcome), in: [ticket.ledger])
        guard kept.isEmpty else { return }
        // A caller gets no reply that a repeated call would not get. Perhaps a transaction of this call stored it.
        guard let row = try await row(ticket), row.isDone, let reply = row.answer,
            try ticket.opened(reply) == ticket.reply(outcome)
        else { throw inProgress }
    }

    /// Takes the right for this key, or returns the stored reply.
    private func begin(_ ticket: inout Ticket) async throws -> StoredReply? {
        let now = call.time.postgres
        let reads = request.firstReads(in: context)
        // This need not wait for the disk. A database crash that loses the row also loses what this call wrote before.
        // A call that goes on after such a crash cannot store its reply, and gives none. Without its ticket it writes
        // at most one further charge. The first reads write nothing.
        let (taken, rows) = try await context.pool.pipeline(
            first: ticket.taking(at: now), in: ticket.ledger, then: reads)
        if !taken.isEmpty {
            ticket.firstRows = rows
            return nil
        }
        guard let row = try await row(ticket) else { throw inProgress }
        guard row.fingerprint == ticket.fingerprint else { throw ServiceError(.idempotencyConflict) }
        if row.isDone, let reply = row.answer { return try ticket.opened(reply) }
        guard let reply = row.answer,
            let left = try await context.pool.query(
                ticket.settling(reply, until: row.expiresAt, at: now), in: [ticket.ledger]
            ).first
        else { throw inProgress }
        return try ticket.opened(left.decode([UInt8].self))
    }

    /// Reads the row of this key.
    ///
    /// - Throws: `idempotency.conflict` if the service did not write it as it is: the caller needs a new key.
    private func row(_ ticket: Ticket) async throws -> ReplyRow? {
        let rows = try await context.pool.query(
            """
            SELECT \(ReplyRow.table.list("t")) FROM tenure.idempotency AS t
            WHERE t.ledger_id = \(ticket.ledger.uuid) AND t.key = \(ticket.digest)
            """, in: [ticket.ledger])
        return try rows.first.map { found in
            guard let row: ReplyRow = try context.rows.read(found) else { throw ServiceError(.idempotencyConflict) }
            return row
        }
    }
}

/// A caller who may own an `Idempotency-Key`.
package protocol KeyOwner: Sendable {
    var keyOwner: String { get }
}

extension AppCaller: KeyOwner {
    package var keyOwner: String { "app/\(appId.lowercased)" }
}

extension EmployeeCaller: KeyOwner {
    package var keyOwner: String { "employee/\(tenantId.lowercased)/\(employeeId.lowercased)" }
}

extension Caller: KeyOwner {
    /// The app or the employee.
    package var keyOwner: String {
        switch self {
        case .app(let app): app.keyOwner
        case .employee(let employee): employee.keyOwner
        }
    }
}
