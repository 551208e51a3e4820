import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres
public import TenureAPI

/// Ends the caller's session. Does nothing if it has ended.
public struct CloseSession: UseCase {
    /// The employee.
    public let caller: EmployeeCaller

    /// Each parameter sets the property of the same name.
    public init(caller: EmployeeCaller) { self.caller = caller }

    /// Ends the session.
    public func run(_ run: UseCaseRun<Void>) async throws {
        try await EndSession(context: run.context).run(
            caller.sessionId, in: TenantID(caller.tenantId), reason: .closed, actor: EmployeeID(caller.employeeId),
            call: run.call)
    }
}

/// Ends every session of the caller on all devices, the caller's own last.
///
/// An interrupted call leaves the caller a session to repeat it with.
public struct EndOwnSessions: UseCase {
    /// The largest number of sessions that one append ends.
    static let batch: Int64 = 100
    /// The employee.
    public let caller: EmployeeCaller

    /// Each parameter sets the property of the same name.
    public init(caller: EmployeeCaller) { self.caller = caller }

    /// Ends the sessions.
    public func run(_ run: UseCaseRun<Void>) async throws {
        try await optimistic {
            while case let sessions = try await sessions(run.context), !sessions.isEmpty {
                try await EndSession.recorder(
                    of: sessions, in: TenantID(caller.tenantId), reason: .endedByOwner,
                    actor: EmployeeID(caller.employeeId), call: run.call, run.context
                ).append()
            }
        }
    }

    /// The next sessions to end. Expired and cut-off sessions are included, because their end is not recorded yet.
    private func sessions(_ context: ServiceContext) async throws -> [UUID] {
        try await context.pool.query(
            """
            SELECT session_id FROM tenure.session
            WHERE ledger_id = \(caller.tenantId) AND employee_id = \(caller.employeeId)
            ORDER BY session_id = \(caller.sessionId), created_at, session_id LIMIT \(Self.batch)
            """, in: [LedgerID(caller.tenantId)]
        ).map { try $0.decode(UUID.self) }
    }
}

/// Lists the caller's open sessions.
public struct ListSessions: UseCase {
    /// The employee.
    public let caller: EmployeeCaller

    /// Each parameter sets the property of the same name.
    public init(caller: EmployeeCaller) { self.caller = caller }

    /// Lists the sessions, oldest first.
    public func run(_ run: UseCaseRun<[OpenSessionResponse]>) async throws -> [OpenSessionResponse] {
        let time = run.call.time
        let found = try await run.context.pool.query(
            """
            SELECT \(SessionRow.columns) FROM tenure.session s
            WHERE s.ledger_id = \(caller.tenantId) AND s.employee_id = \(caller.employeeId)
                AND least(s.refresh_expires_at, s.ends_at) > \(time.postgres)
                AND \(SessionCutoff.isInForce(.sessions(ofEmployee: caller.employeeId), of: caller.tenantId))
            ORDER BY s.created_at, s.session_id LIMIT 200
            """, in: SessionCutoff.ledgers(of: caller.tenantId))
        return try found.compactMap { found in
            let row = try SessionRow(found)
            guard row.isAuthentic(run.context.rows, at: time) else { return nil }
            return OpenSessionResponse(row, isCurrent: row.id == caller.sessionId)
        }
    }
}

extension OpenSessionResponse {
    /// The session of a row.
    init(_ row: SessionRow, isCurrent: Bool) {
        self.init(
            sessionId: row.id, fingerprint: Hex.encode(row.fingerprint), createdAt: row.createdAt,
            expiresAt: min(row.refreshEnd, row.end), isCurrent: isCurrent)
    }
}
