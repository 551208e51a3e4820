import Canonical
import FoundationEssentials
import Identity
import Ledger
import Postgres
import Projections

/// Ends a session: its row goes in the transaction that appends `SessionClosed`.
struct CloseSession: Sendable {
    let context: ServiceContext

    func run(_ caller: EmployeeCaller, call: Call) async throws {
        try await close(
            session: caller.sessionId, employee: EmployeeID(caller.employeeId), tenant: TenantID(caller.tenantId),
            reason: .closed, call: call)
    }

    /// - Parameter refusing: What the call is refused with that ends the session, and its ticket: the refusal is stored
    ///   with the end, and a call whose place was taken ends nothing.
    func close(
        session: UUID, employee: EmployeeID, tenant: TenantID, reason: SessionEnd, call: Call,
        refusing: (ticket: IdempotencyTicket, refusal: ServiceError)? = nil
    ) async throws {
        let stream = StreamID.session(session, in: tenant)
        let event = try EventCodec.encode(
            SessionClosed(sessionID: SessionID(session), reason: reason), id: UUID(), stream: stream, keys: [:],
            metadata: EventMetadata(actor: employee.uuid, requestId: call.requestId))
        let deletion: SQL =
            "DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND session_id = \(session)"
        let completion = refusing.map { $0.ticket.completion(.object(["error": $0.refusal.stored])) }
        let append = Append(
            events: [event], expectations: [stream: 1], time: call.time,
            effectLedgers: refusing.map { [$0.ticket.ledger] } ?? [],
            effects: { _ in [deletion] + (completion.map { [$0] } ?? []) })
        do {
            _ = try await context.appender.append(append)
        } catch {
            // Somebody else closed it first, which is what was asked for.
            guard error.code == .versionConflict else { throw ServiceError(error) ?? error }
        }
    }
}
