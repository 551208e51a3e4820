import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Postgres
import TenureAPI

/// A session about to be opened: its event, its row and its tokens.
struct NewSession: Sendable {
    let id: UUID
    let event: SessionOpened
    let tokens: SessionResponse
    let row: SessionRow
    /// The statement that inserts the session's row, and deletes those of the employee's sessions that have ended.
    let insertion: SQL
    /// The browser that gets a browser session; `nil` for a session of an app.
    let browser: LogInBrowser?

    /// A session that is not open yet.
    struct Opening: Sendable {
        var employee: EmployeeID
        /// The tenant at the version that the append guards. Unlinking the app at a later version ends the session.
        var tenant: TenantSnapshot
        /// The employee's role in the tenant; an admin's session is shorter.
        var role: EmployeeRole
        /// The role that the device key carries, for the token.
        var sessionRole: EmployeeRole
        var fingerprint: KeyFingerprint
        var methods: AuthenticationMethods
    }

    /// Prepares a session of an employee on the device with this key. In a browser it has no tokens.
    init(
        _ opening: Opening, app: AppCaller, at time: Timestamp, in browser: LogInBrowser? = nil,
        _ context: ServiceContext
    ) async throws {
        id = UUID.random()
        self.browser = browser
        let snapshot = opening.tenant, employee = opening.employee, fingerprint = opening.fingerprint
        let tenant = snapshot.id
        let longest = context.settings.sessionLifetime
        let admins = snapshot.state.policy.adminSessionLifetime(inBrowser: browser != nil)
        let end = time.adding(opening.role.isAdministrative ? min(longest, admins) : longest)
        let accessEnd = min(time.adding(context.settings.accessLifetime), end)
        let refreshEnd = min(time.adding(context.settings.refreshLifetime), end)
        event = SessionOpened(
            sessionID: SessionID(id), employeeID: employee, fingerprint: fingerprint, expiresAt: refreshEnd,
            appID: AppID(app.appId), secretID: SecretID(app.secretId))
        let digest: [UInt8]
        if browser == nil {
            let subject = TokenSubject(
                tenant: tenant.uuid, session: id, employee: employee.uuid, app: app.appId, role: opening.sessionRole,
                methods: opening.methods, loggedIn: time)
            let access = try await subject.token(for: app.appId.lowercased, until: accessEnd, at: time, context)
            let refresh = RefreshToken(tenant: tenant, id: SessionID(id), counter: 0, context.ring)
            digest = context.ring.accessTokenDigest(access)
            tokens = SessionResponse(
                accessToken: access, expiresAt: accessEnd, refreshToken: refresh.text)
        } else {
            digest = randomBytes(32)
            tokens = SessionResponse(accessToken: "", expiresAt: accessEnd, refreshToken: "")
        }
        row = SessionRow(
            tenant: tenant.uuid, id: id, employee: employee.uuid, fingerprint: fingerprint.bytes,
            accessDigest: digest, accessEnd: accessEnd, refreshEnd: refreshEnd,
            createdAt: time, end: end, app: app.appId, secret: app.secretId, tenantVersion: Int64(snapshot.version),
            methods: opening.methods.text, usedAt: browser == nil ? nil : time)
        insertion = row.insertion(endingAt: time, context.ring)
    }

    /// Prepares a session of an employee who was registered before.
    ///
    /// - Throws: `passkey.stopped` for a passkey of which there may be a copy, if the tenant wants an admin to decide.
    init(
        of employee: EmployeeSnapshot, in tenant: TenantSnapshot, fingerprint: KeyFingerprint,
        by methods: AuthenticationMethods, app: AppCaller, _ call: Call, _ context: ServiceContext
    ) async throws {
        let passkey = employee.state.key(fingerprint)?.passkey
        guard passkey?.isStopped(by: tenant.state.policy) != true else { throw ServiceError(.passkeyStopped) }
        try await self.init(
            Opening(
                employee: employee.id, tenant: tenant, role: tenant.state.role(of: employee.id),
                sessionRole: employee.sessionRole(of: fingerprint.bytes, by: methods, in: tenant),
                fingerprint: fingerprint, methods: methods),
            app: app, at: call.time, in: call.browser, context)
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

extension SessionRow {
    /// The statement that inserts the row, and deletes those of the employee's sessions that ended before `time`.
    fileprivate func insertion(endingAt time: Timestamp, _ ring: KeyRing) -> SQL {
        """
        WITH ended AS (
            DELETE FROM tenure.session WHERE ledger_id = \(tenant) AND employee_id = \(employee)
                AND refresh_expires_at <= \(time.postgres)
        )
        \(insertion(ring))
        """
    }
}

extension Timestamp {
    /// The same moment as the database's type.
    var postgres: PostgresTimestamp { PostgresTimestamp(microsecondsSinceUnixEpoch: microseconds) }
}

extension EmployeeSnapshot {
    /// Returns the role of a session that this device key opened: `employee` unless the key carries the account's role.
    ///
    /// - Parameter methods: How the person logged in: a synced passkey alone carries no role.
    func sessionRole(
        of fingerprint: [UInt8], by methods: AuthenticationMethods, in tenant: TenantSnapshot
    ) -> EmployeeRole {
        let keys = state.roleKeys(in: tenant.state, secretProved: methods.secretProved)
        let carriesRole = keys.contains {
            ServiceContext.fingerprint(of: $0) == fingerprint
        }
        return carriesRole ? tenant.state.role(of: id) : .employee
    }
}
