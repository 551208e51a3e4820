import AccessTokens
import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of a session, with all its columns. All of them are covered by its code.
struct SessionRow: Sendable, Equatable {
    var tenant: UUID
    var id: UUID
    var employee: UUID
    var fingerprint: [UInt8]
    var accessDigest: [UInt8]
    var accessEnd: Timestamp
    var refreshEnd: Timestamp
    var createdAt: Timestamp
    var end: Timestamp
    var app: UUID?
    var secret: UUID?
    var tenantVersion: Int64?
    /// The number of refreshes.
    var counter: Int64
    /// How the person logged in, as the column has it.
    var methods: String
    /// The code as it was read.
    var code: [UInt8]?

    /// The columns of `tenure.session AS s`, in the order of ``init(_:from:)``.
    static let columns: SQL = """
        s.ledger_id, s.session_id, s.employee_id, s.fingerprint, s.access_digest, s.access_expires_at,
        s.refresh_expires_at, s.created_at, s.ends_at, s.app_id, s.secret_id, s.tenant_version, s.refresh_counter,
        s.methods, s.mac
        """
    /// The number of ``columns``.
    static let columnCount = 15

    /// Reads the row from its columns, which come first.
    init(_ row: PostgresRow) throws(PostgresError) {
        func time(_ column: Int) throws(PostgresError) -> Timestamp {
            let time = try row.decode(column: column, as: PostgresTimestamp.self)
            return Timestamp(microseconds: time.microsecondsSinceUnixEpoch)
        }
        tenant = try row.decode(column: 0)
        id = try row.decode(column: 1)
        employee = try row.decode(column: 2)
        fingerprint = try row.decode(column: 3)
        accessDigest = try row.decode(column: 4)
        accessEnd = try time(5)
        refreshEnd = try time(6)
        createdAt = try time(7)
        end = try time(8)
        app = try row.decode(column: 9)
        secret = try row.decode(column: 10)
        tenantVersion = try row.decode(column: 11)
        counter = try row.decode(column: 12)
        methods = try row.decode(column: 13)
        code = try row.decode(column: 14)
    }

    init(
        tenant: UUID, id: UUID, employee: UUID, fingerprint: [UInt8], accessDigest: [UInt8], accessEnd: Timestamp,
        refreshEnd: Timestamp, createdAt: Timestamp, end: Timestamp, app: UUID, secret: UUID, tenantVersion: Int64,
        methods: String
    ) {
        self.tenant = tenant
        self.id = id
        self.employee = employee
        self.fingerprint = fingerprint
        self.accessDigest = accessDigest
        self.accessEnd = accessEnd
        self.refreshEnd = refreshEnd
        self.createdAt = createdAt
        self.end = end
        self.app = app
        self.secret = secret
        self.tenantVersion = tenantVersion
        counter = 0
        self.methods = methods
    }

    /// What the code covers.
    private var values: [RowValue] {
        [
            .uuid(tenant), .uuid(id), .uuid(employee), .bytes(fingerprint), .bytes(accessDigest),
            .time(accessEnd.microseconds), .time(refreshEnd.microseconds), .time(createdAt.microseconds),
            .time(end.microseconds), .uuid(app), .uuid(secret), .integer(tenantVersion), .integer(counter),
            .text(methods),
        ]
    }

    /// The code that the row must have.
    func rightCode(_ ring: KeyRing) -> [UInt8] { ring.rowCode(ProtectedRows.sessions, values) }

    /// Whether the service wrote the row as it is.
    func isAuthentic(_ rows: RowAuthentication) -> Bool {
        rows.accepts(code, ProtectedRows.sessions, values)
    }

    /// The condition on `tenure.session AS s` that the row was not changed since it was read. The code covers all of it.
    var isUnchanged: SQL {
        """
        s.ledger_id = \(tenant) AND s.session_id = \(id) AND s.mac IS NOT DISTINCT FROM \(code)
            AND s.refresh_counter = \(counter) AND s.ends_at = \(end.postgres)
        """
    }

    /// Whether an access token says what the row says, but for the role, which comes from the log.
    func agrees(with claims: AccessTokenClaims) -> Bool {
        claims.tenantID == tenant && claims.sessionID == id && claims.subject == employee && claims.clientID == app
            && claims.methods == AuthenticationMethods(text: methods).values
            && claims.authenticatedAt == createdAt.wholeSeconds
    }

    /// Whether an access token for this service, the newest of the session, says what the row says.
    func agrees(withOwn claims: AccessTokenClaims) -> Bool {
        agrees(with: claims) && claims.audience == app?.lowercased && claims.expiresAt == accessEnd.wholeSeconds
    }
}

/// A session's row together with the cutoffs of its app and its secret, as one statement reads them.
struct StoredSession: Sendable {
    let row: SessionRow
    /// Whether the link of its app ended after the session was opened.
    let isUnlinked: Bool
    /// Whether the secret that opened it was revoked.
    let isSecretRevoked: Bool

    /// Whether no cutoff has ended the session.
    var isInForce: Bool { row.app != nil && row.secret != nil && !isUnlinked && !isSecretRevoked }

    /// The query for a session by its id. It reads ``SessionCutoff/ledgers(of:)``.
    ///
    /// - Parameter condition: A further condition on `tenure.session AS s`.
    static func reading(_ id: UUID, of tenant: UUID, where condition: SQL = "true") -> SQL {
        """
        SELECT \(SessionRow.columns), c.tenant_version, c.created_at, c.mac, r.subject IS NOT NULL, clock_timestamp()
        FROM tenure.session s
        LEFT JOIN tenure.session_cutoff c ON c.ledger_id = s.ledger_id AND c.subject = s.app_id
        LEFT JOIN (\(SessionCutoff.revokedSecrets(.session(id), of: tenant))) AS r ON r.subject = s.secret_id
        WHERE s.ledger_id = \(tenant) AND s.session_id = \(id) AND \(condition)
        """
    }

    /// The time by the database's clock.
    let readAt: PostgresTimestamp

    /// Reads a session that the service wrote; `nil` for any other.
    ///
    /// A cutoff that the service did not write as it is ends the session too: somebody changed the version in it.
    init?(_ found: PostgresRow, _ rows: RowAuthentication) throws(PostgresError) {
        let first = SessionRow.columnCount
        row = try SessionRow(found)
        let version = try found.decode(column: first, as: Int64?.self)
        let created = try found.decode(column: first + 1, as: PostgresTimestamp?.self)
        let code = try found.decode(column: first + 2, as: [UInt8]?.self)
        isSecretRevoked = try found.decode(column: first + 3, as: Bool.self)
        readAt = try found.decode(column: first + 4, as: PostgresTimestamp.self)
        guard row.isAuthentic(rows) else { return nil }
        guard let app = row.app, let opened = row.tenantVersion else {
            isUnlinked = true
            return
        }
        guard let version, let created else {
            isUnlinked = false
            return
        }
        let cutoff = SessionCutoff.Row(
            ledger: row.tenant, subject: app, version: version,
            createdAt: Timestamp(microseconds: created.microsecondsSinceUnixEpoch))
        isUnlinked = version > opened || !cutoff.isAuthentic(code, rows)
    }
}

extension SessionInLog {
    /// Why the session of a row has ended; `nil` while it lives. A row without a stream is one that the log lost.
    func end(of row: SessionRow) -> SessionEnd? {
        guard let session, session.employee == employee.id, session.fingerprint.bytes == row.fingerprint else {
            return .closed
        }
        return ground.end(of: session)
    }

    /// The latest end that the tenant's policy gives a session of this person.
    func longestEnd(of row: SessionRow) -> Timestamp {
        guard tenant.state.role(of: employee.id).isAdministrative else { return row.end }
        return min(row.end, row.createdAt.adding(tenant.state.policy.adminSessionLifetime))
    }
}

extension ServiceContext {
    /// Reads a session that the service wrote; `nil` if there is none.
    func session(_ id: UUID, of tenant: UUID, where condition: SQL = "true") async throws -> StoredSession? {
        let found = try await pool.query(
            StoredSession.reading(id, of: tenant, where: condition), in: SessionCutoff.ledgers(of: tenant))
        return try found.first.flatMap { try StoredSession($0, rows) }
    }
}

extension TenantSnapshot {
    /// The admins whose open sessions are shortened by events: an appointment, a succession or a shorter
    /// `adminSessionHours` also applies to earlier sessions. Each with the policy that shortens them.
    func shortenedSessions(by events: [TenantEvent]) -> [(admins: [EmployeeID], policy: TenantPolicy)] {
        events.compactMap { event in
            switch event {
            case .adminAppointed(let event): ([event.employeeID], state.policy)
            case .securityAdminSucceeded(let event): ([event.employeeID], state.policy)
            case .policyChanged(let event):
                (Array(state.admins.keys) + (state.securityAdmin.map { [$0] } ?? []), event.policy)
            case .founded, .mpinPolicyChanged, .domainConfirmed, .appLinked, .appUnlinked, .adminDismissed,
                .addressReclaimed:
                nil
            }
        }
    }
}

extension ServiceContext {
    /// The statements that shorten open sessions to an admin's lifetime, for the append that records `events`.
    ///
    /// A session that is refreshed meanwhile stays as it is until its next refresh, which takes the lifetime from the
    /// log. So a shorter lifetime is late by an access token's lifetime at most.
    func sessionEffects(of events: [TenantEvent], in tenant: TenantSnapshot) async throws -> [SQL] {
        var statements: [SQL] = []
        for (admins, policy) in tenant.shortenedSessions(by: events) {
            statements += try await shortening(admins, in: tenant.id, to: policy)
        }
        return statements
    }

    /// The statements for some admins. Sessions that are shorter already stay so.
    func shortening(_ admins: [EmployeeID], in tenant: TenantID, to policy: TenantPolicy) async throws -> [SQL] {
        let found = try await pool.query(
            """
            SELECT \(SessionRow.columns) FROM tenure.session s
            WHERE s.ledger_id = \(tenant.uuid) AND s.employee_id = ANY (\(admins.map(\.uuid)))
            """, in: [LedgerID(tenant.uuid)])
        return try found.compactMap { found in
            let row = try SessionRow(found)
            let end = row.createdAt.adding(policy.adminSessionLifetime)
            guard end < row.end, row.isAuthentic(rows) else { return nil }
            var shorter = row
            shorter.end = end
            return """
                UPDATE tenure.session AS s SET ends_at = \(end.postgres), mac = \(shorter.rightCode(ring))
                WHERE \(row.isUnchanged)
                """
        }
    }
}

extension TenantPolicy {
    /// The longest lifetime of an admin's session.
    var adminSessionLifetime: Duration { .seconds(adminSessionHours * 3_600) }
}
