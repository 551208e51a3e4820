import AccessTokens
import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of a session, with all its columns. All of them are covered by its code.
struct SessionRow: CodedRow, Equatable {
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
    var counter: Int64 = 0
    /// How the person logged in, as the column has it.
    var methods: String
    /// When a browser used the session last, see ``BrowserUse``; `nil` for a session with tokens.
    var usedAt: Timestamp?
    /// The code as it was read.
    var code: [UInt8]?

    static let table = RowTable<SessionRow>(
        "session", SessionRow.init,
        Column(key: "ledger_id", \.tenant), Column(key: "session_id", \.id), Column("employee_id", \.employee),
        Column("fingerprint", \.fingerprint), Column("access_digest", \.accessDigest),
        Column("access_expires_at", \.accessEnd), Column("refresh_expires_at", \.refreshEnd),
        Column("created_at", \.createdAt), Column("ends_at", \.end), Column("app_id", \.app),
        Column("secret_id", \.secret), Column("tenant_version", \.tenantVersion), Column("refresh_counter", \.counter),
        Column("methods", \.methods), Column("used_at", \.usedAt), .code(\.code))

    /// The statement that replaces a row, called `s`, that was not changed since it was read. The code covers all of it.
    ///
    /// - Parameter condition: What else must hold.
    func replacing(_ former: SessionRow, where condition: SQL = "true", _ ring: KeyRing) -> SQL {
        Self.table.update(
            self, as: "s",
            where: """
                s.mac IS NOT DISTINCT FROM \(former.code) AND s.refresh_counter = \(former.counter)
                    AND s.ends_at = \(former.end.postgres) AND \(condition)
                """, ring)
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
    let isSecretRevoked: Bool

    /// Whether no cutoff has ended the session.
    var isInForce: Bool { row.app != nil && row.secret != nil && !isUnlinked && !isSecretRevoked }

    /// The query for a session by its id. It reads ``SessionCutoff/ledgers(of:)``.
    ///
    /// - Parameter condition: A further condition on `tenure.session AS s`.
    static func reading(_ id: UUID, of tenant: UUID, where condition: SQL = "true") -> SQL {
        """
        SELECT \(SessionRow.table.list("s")), \(SessionCutoff.Row.table.list("c")), r.subject IS NOT NULL,
            clock_timestamp()
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
    init?(_ found: PostgresRow, _ rows: RowAuthentication) throws {
        var columns = ColumnReader(found)
        row = try columns.next()
        let cutoff = try columns.optional(SessionCutoff.Row.self)
        isSecretRevoked = try columns.next()
        readAt = try columns.next()
        guard rows.accepts(row) else { return nil }
        guard row.app != nil, let opened = row.tenantVersion else {
            isUnlinked = true
            return
        }
        isUnlinked = cutoff.map { $0.version > opened || !rows.accepts($0) } ?? false
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

    /// The latest end of a session of this person: an admin's is shorter.
    func longestEnd(of row: SessionRow) -> Timestamp {
        guard tenant.state.role(of: employee.id).isAdministrative else { return row.end }
        let idle = row.usedAt?.adding(BrowserUse.idleLimit)
        return min(row.end, row.longestEndOfAdmin(tenant.state.policy), idle ?? row.end)
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
        let rows = try await SessionRow.all(
            in: tenant.uuid, where: "employee_id = ANY (\(admins.map(\.uuid)))", self)
        return rows.compactMap { row in
            var shorter = row
            shorter.end = row.longestEndOfAdmin(policy)
            return shorter.end < row.end ? shorter.replacing(row, ring) : nil
        }
    }
}

extension SessionRow {
    /// The latest end that an admin's session has.
    fileprivate func longestEndOfAdmin(_ policy: TenantPolicy) -> Timestamp {
        createdAt.adding(policy.adminSessionLifetime(inBrowser: usedAt != nil))
    }
}

extension TenantPolicy {
    /// The longest lifetime of an admin's session. In a browser the policy does not lengthen or shorten it.
    func adminSessionLifetime(inBrowser isInBrowser: Bool) -> Duration {
        isInBrowser ? BrowserUse.longestOfAdmin : .seconds(adminSessionHours * 3_600)
    }
}
