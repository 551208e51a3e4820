import Canonical
import EventCoding
package import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Ends one other session of the caller, or all others. The caller's own goes on.
package struct EndOtherSessions: UseCase {
    /// The session to end; `nil` for all but the caller's.
    package let session: UUID?
    package let caller: EmployeeCaller

    package init(session: UUID? = nil, caller: EmployeeCaller) {
        self.session = session
        self.caller = caller
    }

    /// Ends the sessions; with all of them also the grants of clients that were opened in others. Does nothing about a session that has ended or is somebody else's.
    package func run(_ run: UseCaseRun<Void>) async throws {
        try await optimistic {
            while case let sessions = try await sessions(run.context), !sessions.isEmpty {
                try await EndSession.recorder(
                    of: sessions, in: TenantID(caller.tenantId), reason: .endedByOwner,
                    actor: EmployeeID(caller.employeeId), call: run.call, run.context
                ).append()
            }
        }
        guard session == nil else { return }
        try await EndGrant(context: run.context).endAll(
            of: EmployeeID(caller.employeeId), in: TenantID(caller.tenantId), butOf: caller.sessionId, run.call)
    }

    /// The next sessions to end. Expired and cut-off sessions are included, because their end is not recorded yet.
    private func sessions(_ context: ServiceContext) async throws -> [UUID] {
        let chosen: SQL = session.map { "session_id = \($0)" } ?? "true"
        return try await context.pool.query(
            """
            SELECT session_id FROM tenure.session
            WHERE ledger_id = \(caller.tenantId) AND employee_id = \(caller.employeeId)
                AND session_id <> \(caller.sessionId) AND \(chosen)
            ORDER BY created_at, session_id LIMIT \(EndOwnSessions.batch)
            """, in: [LedgerID(caller.tenantId)]
        ).map { try $0.decode(UUID.self) }
    }
}
