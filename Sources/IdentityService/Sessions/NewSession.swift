import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Postgres

/// A session about to be opened: its event, its row and its tokens.
struct NewSession: Sendable {
    let id: UUID
    let event: SessionOpened
    let tokens: IssuedTokens
    /// The statement that inserts the session's row, and deletes those of the employee's sessions that have ended.
    let insertion: SQL

    /// Prepares a session of an employee on the device with this key; an admin's session is shorter.
    ///
    /// - Parameters:
    ///   - snapshot: The tenant at the version that the append guards. Unlinking the app at a later version ends the
    ///     session.
    ///   - role: The employee's role at that version; needed only if the append founds the tenant.
    init(
        employee: EmployeeID, tenant snapshot: TenantSnapshot, role: EmployeeRole? = nil, fingerprint: KeyFingerprint,
        app: AppCaller, at time: Timestamp, _ context: ServiceContext
    ) {
        id = UUID.random()
        let tenant = snapshot.id
        let access = SessionToken(tenant: tenant.uuid, session: id)
        let refresh = RefreshToken(tenant: tenant.uuid, session: id, counter: 0)
        let longest = context.settings.sessionLifetime
        let isAdmin = (role ?? snapshot.state.role(of: employee)).isAdministrative
        let admins = Duration.seconds(snapshot.state.policy.adminSessionHours * 3_600)
        let end = time.adding(isAdmin ? min(longest, admins) : longest)
        let accessEnd = min(time.adding(context.settings.accessLifetime), end)
        let refreshEnd = min(time.adding(context.settings.refreshLifetime), end)
        event = SessionOpened(
            sessionID: SessionID(id), employeeID: employee, fingerprint: fingerprint, expiresAt: refreshEnd,
            appID: AppID(app.appId), secretID: SecretID(app.secretId))
        tokens = IssuedTokens(accessToken: access.text, expiresAt: accessEnd, refreshToken: refresh.text(context.ring))
        let accessDigest = context.ring.sessionTokenDigest(kind: "access", access.bytes)
        insertion = """
            WITH ended AS (
                DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid)
                    AND refresh_expires_at <= \(time.postgres)
            )
            INSERT INTO tenure.session (ledger_id, session_id, employee_id, fingerprint, access_digest,
                access_expires_at, refresh_expires_at, created_at, ends_at, app_id, secret_id, tenant_version)
            VALUES (\(tenant.uuid), \(id), \(employee.uuid), \(fingerprint.bytes), \(accessDigest),
                \(accessEnd.postgres), \(refreshEnd.postgres), \(time.postgres), \(end.postgres), \(app.appId),
                \(app.secretId), \(Int64(snapshot.version)))
            """
    }

    /// The statement that ends all sessions of an employee, for the transaction that cancels the account.
    static func deletion(employee: EmployeeID, tenant: TenantID) -> SQL {
        "DELETE FROM tenure.session WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid)"
    }

    /// The statement that ends the sessions that one device key opened.
    static func deletion(employee: EmployeeID, tenant: TenantID, fingerprint: KeyFingerprint) -> SQL {
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
