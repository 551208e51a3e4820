import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Ends the caller's session. Does nothing if it has ended.
package struct CloseSession: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// Ends the session.
    package func run(_ run: UseCaseRun<Void>) async throws {
        try await EndSession(context: run.context).run(
            caller.sessionId, in: TenantID(caller.tenantId), reason: .closed, actor: EmployeeID(caller.employeeId),
            call: run.call)
    }
}

/// Ends every session of the caller on all devices, the caller's own last, and every grant of a client.
///
/// An interrupted call leaves the caller a session to repeat it with.
package struct EndOwnSessions: UseCase {
    /// The largest number of sessions that one append ends.
    static let batch: Int64 = 100
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    package func run(_ run: UseCaseRun<Void>) async throws {
        let ends = EndGrant(context: run.context)
        try await ends.endAll(of: EmployeeID(caller.employeeId), in: TenantID(caller.tenantId), run.call)
        try await optimistic {
            while case let sessions = try await sessions(run.context), !sessions.isEmpty {
                try await EndSession.recorder(
                    of: sessions, in: TenantID(caller.tenantId), reason: .endedByOwner,
                    actor: EmployeeID(caller.employeeId), call: run.call, run.context
                ).append()
            }
        }
        // A client may have got one while a session was still open.
        try await ends.endAll(of: EmployeeID(caller.employeeId), in: TenantID(caller.tenantId), run.call)
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
package struct ListSessions: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// Lists the sessions, oldest first.
    package func run(_ run: UseCaseRun<[OpenSessionResponse]>) async throws -> [OpenSessionResponse] {
        let time = run.call.time
        let found = try await run.context.pool.query(
            """
            SELECT \(SessionRow.table.list("s")) FROM tenure.session s
            WHERE s.ledger_id = \(caller.tenantId) AND s.employee_id = \(caller.employeeId)
                AND least(s.refresh_expires_at, s.ends_at) > \(time.postgres)
                AND \(SessionCutoff.isInForce(.sessions(ofEmployee: caller.employeeId), of: caller.tenantId))
            ORDER BY s.created_at, s.session_id LIMIT 200
            """, in: SessionCutoff.ledgers(of: caller.tenantId))
        let rows = try found.compactMap { try run.context.rows.read($0, as: SessionRow.self) }
        let logs = try await SessionInLog.read(
            rows.map { ($0.id, AppID($0.app ?? $0.id)) }, of: EmployeeID(caller.employeeId),
            in: TenantID(caller.tenantId), run.context
        ).logs
        return zip(rows, logs).compactMap { row, log in
            log.end(of: row) == nil ? OpenSessionResponse(row, isCurrent: row.id == caller.sessionId) : nil
        }
    }
}

extension OpenSessionResponse {
    init(_ row: SessionRow, isCurrent: Bool) {
        self.init(
            sessionId: row.id, fingerprint: Hex.encode(row.fingerprint), createdAt: row.createdAt,
            expiresAt: min(row.refreshEnd, row.end), isCurrent: isCurrent)
    }
}

/// Ends sessions: the transaction that appends `SessionClosed` deletes the row.
struct EndSession: Sendable {
    let context: ServiceContext

    /// Ends one session; does nothing if it has ended.
    ///
    /// - Parameters:
    ///   - actor: The employee on whose behalf the call came; `nil` if the service ends the session itself.
    ///   - reply: The statement that stores the reply of the call that ends the session, and its ledger. It is part of
    ///     the transaction, so a call that lost its right ends nothing.
    func run(
        _ session: UUID, in tenant: TenantID, reason: SessionEnd, actor: EmployeeID?, call: Call,
        storing reply: (statement: SQL, ledger: LedgerID)? = nil
    ) async throws {
        var recorder = try Self.recorder(of: [session], in: tenant, reason: reason, actor: actor, call: call, context)
        if let reply {
            recorder.statements.append(reply.statement)
            recorder.ledgers.insert(reply.ledger)
        }
        do { try await recorder.append() } catch {
            // Another call closed the session first, with the requested result.
            guard error.code == .versionConflict else { throw ServiceError(error) ?? error }
        }
    }

    /// The append that ends sessions of one tenant, all or none.
    static func recorder(
        of sessions: [UUID], in tenant: TenantID, reason: SessionEnd, actor: EmployeeID?, call: Call,
        _ context: ServiceContext
    ) throws -> EventRecorder {
        var recorder = EventRecorder(
            context, at: call.time, metadata: EventMetadata(actor: actor?.uuid, requestId: call.requestId))
        for session in sessions {
            try recorder.add(
                SessionClosed(sessionID: SessionID(session), reason: reason), to: .session(session, in: tenant),
                version: 1)
        }
        recorder.statements = [deletion(sessions, in: tenant)]
        return recorder
    }

    /// The statement that deletes the rows of sessions.
    static func deletion(_ sessions: [UUID], in tenant: TenantID) -> SQL {
        "DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND session_id = ANY (\(sessions))"
    }

    /// Ends the sessions that one device key opened, within a transaction of the caller, with a `SessionClosed` for
    /// each.
    ///
    /// The transaction names the tenant's ledger in its scope. It holds no head but a directory's, because directories
    /// come first in the lock order. Whatever opens a session waits for the tenant's head, so no session is missed.
    ///
    /// - Throws: `LedgerError` and `PostgresError`; the transaction must then be rolled back.
    static func closeSessions(
        of employee: EmployeeID, in tenant: TenantID, openedBy fingerprint: KeyFingerprint, reason: SessionEnd,
        call: Call, _ context: ServiceContext,
        on connection: inout PostgresConnection
    ) async throws {
        _ = try await connection.query(Appender.lockingHead(LedgerID(tenant.uuid)))
        let sessions = try await connection.query(
            """
            SELECT session_id FROM tenure.session
            WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid) AND fingerprint = \(fingerprint.bytes)
            """
        ).map { try $0.decode(UUID.self) }
        guard !sessions.isEmpty else { return }
        let appends = try sessions.map { session in
            try recorder(of: [session], in: tenant, reason: reason, actor: nil, call: call, context)
                .append(at: call.time)
        }
        for result in try await Appender.append(
            appends, codes: context.reader.codes, tolerance: context.settings.clockTolerance, on: &connection)
        {
            // A row without a `SessionOpened` event has nothing to close; the deletion below removes it.
            if case .failure(let error) = result, error.code != .versionConflict { throw error }
        }
        try await connection.execute(
            NewSession.deletion(employee: employee, tenant: tenant, fingerprint: fingerprint))
    }
}
