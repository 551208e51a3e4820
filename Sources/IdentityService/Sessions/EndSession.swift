import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

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
        recorder.statements = [
            "DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND session_id = ANY (\(sessions))"
        ]
        return recorder
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
            appends, tolerance: context.settings.clockTolerance, on: &connection)
        {
            // A row without a `SessionOpened` event has nothing to close; the deletion below removes it.
            if case .failure(let error) = result, error.code != .versionConflict { throw error }
        }
        try await connection.execute(
            NewSession.deletion(employee: employee, tenant: tenant, fingerprint: fingerprint))
    }
}
