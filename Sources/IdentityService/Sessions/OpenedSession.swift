import Canonical
import FoundationEssentials
import Identity
import Keys
import Postgres

/// A session that is about to be opened: its event, its row and its tokens.
struct OpenedSession: Sendable {
    let id: UUID
    let event: SessionOpened
    let tokens: SessionTokens
    /// The statement that opens it, and forgets those of the employee's sessions that have ended.
    let insertion: SQL

    /// Prepares a session of an employee on the device with this key.
    init(
        employee: EmployeeID, tenant: TenantID, fingerprint: Fingerprint, at time: Timestamp, _ context: ServiceContext
    ) {
        id = UUID.random()
        let access = SessionToken(tenant: tenant.uuid, session: id)
        let refresh = SessionToken(tenant: tenant.uuid, session: id)
        let end = time.adding(context.settings.sessionLifetime)
        let accessEnd = min(time.adding(context.settings.accessLifetime), end)
        let refreshEnd = min(time.adding(context.settings.refreshLifetime), end)
        event = SessionOpened(
            sessionID: SessionID(id), employeeID: employee, fingerprint: fingerprint, expiresAt: refreshEnd)
        tokens = SessionTokens(accessToken: access.text, expiresAt: accessEnd, refreshToken: refresh.text)
        let accessDigest = context.ring.sessionTokenDigest(kind: "access", access.bytes)
        let refreshDigest = context.ring.sessionTokenDigest(kind: "refresh", refresh.bytes)
        insertion = """
            WITH ended AS (
                DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid)
                    AND refresh_expires_at <= \(time.postgres)
            )
            INSERT INTO tenure.session (ledger_id, session_id, employee_id, fingerprint, access_digest, refresh_digest,
                access_expires_at, refresh_expires_at, created_at, ends_at)
            VALUES (\(tenant.uuid), \(id), \(employee.uuid), \(fingerprint.bytes), \(accessDigest), \(refreshDigest),
                \(accessEnd.postgres), \(refreshEnd.postgres), \(time.postgres), \(end.postgres))
            """
    }

    /// The statement that ends all sessions of an employee, for the transaction that cancels them.
    static func deletion(employee: EmployeeID, tenant: TenantID) -> SQL {
        "DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid)"
    }

    /// The statement that ends the sessions that one key opened.
    static func deletion(employee: EmployeeID, tenant: TenantID, fingerprint: Fingerprint) -> SQL {
        """
        DELETE FROM tenure.session
        WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid) AND fingerprint = \(fingerprint.bytes)
        """
    }
}

extension Timestamp {
    /// The same moment as the database's type.
    var postgres: PostgresTimestamp { PostgresTimestamp(microsecondsSinceUnixEpoch: microseconds) }
}
