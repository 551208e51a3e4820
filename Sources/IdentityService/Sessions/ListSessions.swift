import Canonical
import FoundationEssentials
import Ledger
import Postgres

/// The open sessions of the caller.
struct ListSessions: Sendable {
    let context: ServiceContext

    func run(_ caller: EmployeeCaller, at time: Timestamp) async throws -> [SessionView] {
        let rows = try await context.pool.query(
            """
            SELECT session_id, fingerprint, created_at, least(refresh_expires_at, ends_at) FROM tenure.session
            WHERE ledger_id = \(caller.tenantId) AND employee_id = \(caller.employeeId)
                AND least(refresh_expires_at, ends_at) > \(time.postgres)
            ORDER BY created_at, session_id LIMIT 200
            """, in: [LedgerID(caller.tenantId)])
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
