import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Ends a session: the transaction that appends `SessionClosed` deletes its row.
struct CloseSession: Sendable {
    let context: ServiceContext

    func run(_ caller: EmployeeCaller, call: Call) async throws {
        try await close(
            session: caller.sessionId, tenant: TenantID(caller.tenantId), reason: .closed,
            actor: EmployeeID(caller.employeeId), call: call)
    }

    /// Ends one session; does nothing if it has ended.
    ///
    /// - Parameters:
    ///   - actor: The employee on whose behalf the call came; `nil` if the service ends the session itself.
    ///   - refusing: The refusal of the call that ends the session, and its ticket. The refusal is stored in the same
    ///     transaction, and a call that lost its right ends nothing.
    func close(
        session: UUID, tenant: TenantID, reason: SessionEnd, actor: EmployeeID?, call: Call,
        refusing: (ticket: IdempotencyTicket, refusal: ServiceError)? = nil
    ) async throws {
        let completion = refusing.map { $0.ticket.completion(.object(["error": $0.refusal.stored])) }
        var append = try Self.append(
            of: [session], in: tenant, reason: reason, actor: actor, call: call, then: completion.map { [$0] } ?? [])
        append.effectLedgers = refusing.map { [$0.ticket.ledger] } ?? []
        do {
            _ = try await context.appender.append(append)
        } catch {
            // Another call closed the session first, with the requested result.
            guard error.code == .versionConflict else { throw ServiceError(error) ?? error }
        }
    }

    /// The append that ends sessions of one tenant, all or none.
    static func append(
        of sessions: [UUID], in tenant: TenantID, reason: SessionEnd, actor: EmployeeID?, call: Call,
        then statements: [SQL] = []
    ) throws -> Append {
        var events: [NewEvent] = []
        var expectations: [StreamID: Int] = [:]
        for session in sessions {
            let stream = StreamID.session(session, in: tenant)
            events.append(
                try EventCodec.encode(
                    SessionClosed(sessionID: SessionID(session), reason: reason), id: UUID(), stream: stream,
                    keys: [:], metadata: EventMetadata(actor: actor?.uuid, requestId: call.requestId)))
            expectations[stream] = 1
        }
        let deletion: SQL =
            "DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND session_id = ANY (\(sessions))"
        return Append(
            events: events, expectations: expectations, time: call.time, effects: { _ in [deletion] + statements })
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
        call: Call,
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
            try append(of: [session], in: tenant, reason: reason, actor: nil, call: call)
        }
        for result in try await Appender.append(appends, on: &connection) {
            // A row without a `SessionOpened` event has nothing to close; the deletion below removes it.
            if case .failure(let error) = result, error.code != .versionConflict { throw error }
        }
        try await connection.execute(
            NewSession.deletion(employee: employee, tenant: tenant, fingerprint: fingerprint))
    }
}

/// Ends every session of the caller on all devices, the caller's own last.
///
/// An interrupted call leaves the caller a session to repeat it with.
struct EndOwnSessions: Sendable {
    /// The largest number of sessions that one append ends.
    static let batch: Int64 = 100
    let context: ServiceContext

    func run(_ caller: EmployeeCaller, call: Call) async throws {
        try await optimistic {
            while case let sessions = try await sessions(of: caller), !sessions.isEmpty {
                _ = try await context.appender.append(
                    try CloseSession.append(
                        of: sessions, in: TenantID(caller.tenantId), reason: .endedByOwner,
                        actor: EmployeeID(caller.employeeId), call: call))
            }
        }
    }

    /// The next sessions to end. Expired and cut-off sessions are included, because their end is not recorded yet.
    private func sessions(of caller: EmployeeCaller) async throws -> [UUID] {
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
struct ListSessions: Sendable {
    let context: ServiceContext

    func run(_ caller: EmployeeCaller, at time: Timestamp) async throws -> [SessionView] {
        let rows = try await context.pool.query(
            """
            SELECT s.session_id, s.fingerprint, s.created_at, least(s.refresh_expires_at, s.ends_at)
            FROM tenure.session s
            WHERE s.ledger_id = \(caller.tenantId) AND s.employee_id = \(caller.employeeId)
                AND least(s.refresh_expires_at, s.ends_at) > \(time.postgres) AND \(SessionCutoff.isInForce)
            ORDER BY s.created_at, s.session_id LIMIT 200
            """, in: SessionCutoff.ledgers(of: caller.tenantId))
        return try rows.map { row in
            let (session, fingerprint, created, expiry) = try row.decode(
                UUID.self, [UInt8].self, PostgresTimestamp.self, PostgresTimestamp.self)
            return SessionView(
                sessionId: session, fingerprint: Hex.encode(fingerprint),
                createdAt: Timestamp(microseconds: created.microsecondsSinceUnixEpoch),
                expiresAt: Timestamp(microseconds: expiry.microsecondsSinceUnixEpoch),
                isCurrent: session == caller.sessionId)
        }
    }
}
