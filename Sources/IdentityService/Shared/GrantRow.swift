import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of a client's grant, with all its columns. All of them are covered by its code.
struct GrantRow: Sendable, Equatable {
    var tenant: UUID
    var id: UUID
    /// The session that the grant goes on under: that in which it was opened, or the one that replaced it.
    var session: UUID
    /// The session in which the grant was opened, which the client knows as `sid`.
    var openedIn: UUID
    var employee: UUID
    /// The device key that opened the session.
    var fingerprint: [UInt8]
    var client: UUID
    /// The secret with which the client redeemed the code; `nil` for a public client.
    var secret: UUID?
    /// The app that opened the session.
    var app: UUID
    /// The version of the tenant's stream at which the grant was opened.
    var tenantVersion: Int64
    var scopes: Set<OpenIDScope>
    var methods: String
    var authenticatedAt: Timestamp
    /// The number of refreshes.
    var counter: Int64 = 0
    var refreshedAt: Timestamp
    var accessEnd: Timestamp
    var end: Timestamp
    var code: [UInt8]?

    private static let columns: SQL = """
        ledger_id, grant_id, session_id, employee_id, fingerprint, client_id, secret_id, app_id, tenant_version, scopes,
        methods, authenticated_at, refresh_counter, refreshed_at, access_expires_at, ends_at, opened_in, mac
        """

    /// Whether the grant outlives its session.
    var isOffline: Bool { scopes.contains(.offlineAccess) }

    private var values: [RowValue] {
        [
            .uuid(tenant), .uuid(id), .uuid(session), .uuid(employee), .bytes(fingerprint), .uuid(client),
            .uuid(secret), .uuid(app), .integer(tenantVersion), .text(scopes.text), .text(methods),
            .time(authenticatedAt.microseconds), .integer(counter), .time(refreshedAt.microseconds),
            .time(accessEnd.microseconds), .time(end.microseconds), .uuid(openedIn),
        ]
    }

    /// The statement that inserts the row.
    func insertion(_ ring: KeyRing) -> SQL {
        """
        INSERT INTO tenure.client_grant (\(Self.columns))
        VALUES (\(tenant), \(id), \(session), \(employee), \(fingerprint), \(client), \(secret), \(app),
            \(tenantVersion), \(scopes.text), \(methods), \(authenticatedAt.postgres), \(counter),
            \(refreshedAt.postgres), \(accessEnd.postgres), \(end.postgres), \(openedIn),
            \(ring.rowCode(ProtectedRows.grants, values)))
        """
    }

    /// The statement that replaces a row that has not changed.
    func replacing(_ former: GrantRow, _ ring: KeyRing) -> SQL {
        """
        UPDATE tenure.client_grant SET session_id = \(session), refresh_counter = \(counter), refreshed_at = \(refreshedAt.postgres),
            access_expires_at = \(accessEnd.postgres), ends_at = \(end.postgres),
            mac = \(ring.rowCode(ProtectedRows.grants, values))
        WHERE ledger_id = \(tenant) AND grant_id = \(id) AND mac IS NOT DISTINCT FROM \(former.code)
        """
    }

    /// Reads a grant that the service wrote; `nil` if there is none.
    static func find(
        _ id: UUID, of tenant: UUID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> GrantRow? {
        try await all("grant_id = \(id)", of: tenant, context, at: time).first
    }

    /// Reads the grants of a tenant that the service wrote and a condition names.
    static func all(
        _ condition: SQL, of tenant: UUID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> [GrantRow] {
        try await context.pool.query(
            "SELECT \(columns) FROM tenure.client_grant WHERE ledger_id = \(tenant) AND \(condition)",
            in: [LedgerID(tenant)]
        ).map { try GrantRow($0) }.filter {
            context.rows.accepts($0.code, ProtectedRows.grants, $0.values)
        }
    }

    /// The statement that lets the grants of a session go on under the one that replaces it. None for a session without
    /// grants. One that is refreshed meanwhile stays, so that no client can hold up a log-in, and moves with its next
    /// refresh.
    static func moving(
        from session: UUID, of employee: UUID, to successor: UUID, of tenant: UUID, _ context: ServiceContext,
        at time: Timestamp
    ) async throws -> [SQL] {
        let rows = try await all("employee_id = \(employee) AND session_id = \(session)", of: tenant, context, at: time)
        guard !rows.isEmpty else { return [] }
        let codes = rows.map { row in
            var moved = row
            moved.session = successor
            return context.ring.rowCode(ProtectedRows.grants, moved.values)
        }
        let ids = rows.map(\.id), former = rows.map { $0.code ?? [] }
        return [
            """
            UPDATE tenure.client_grant AS g SET session_id = \(successor), mac = n.code
            FROM unnest(\(ids), \(former), \(codes)) AS n (id, former, code)
            WHERE g.ledger_id = \(tenant) AND g.grant_id = n.id AND g.mac = n.former
            """
        ]
    }

    /// Reads the grants of an account that the service wrote, the newest first, a hundred at most.
    static func all(
        of employee: EmployeeID, in tenant: TenantID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> [GrantRow] {
        let found = try await context.pool.query(
            """
            SELECT \(columns) FROM tenure.client_grant
            WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid) AND ends_at > \(time.postgres)
            ORDER BY refreshed_at DESC, grant_id LIMIT 100
            """, in: [LedgerID(tenant.uuid)])
        return try found.map { try GrantRow($0) }.filter {
            context.rows.accepts($0.code, ProtectedRows.grants, $0.values)
        }
    }
}

extension GrantRow {
    private init(_ row: PostgresRow) throws(PostgresError) {
        func time(_ column: Int) throws(PostgresError) -> Timestamp {
            let time = try row.decode(column: column, as: PostgresTimestamp.self)
            return Timestamp(microseconds: time.microsecondsSinceUnixEpoch)
        }
        self.init(
            tenant: try row.decode(column: 0), id: try row.decode(column: 1), session: try row.decode(column: 2),
            openedIn: try row.decode(column: 16), employee: try row.decode(column: 3),
            fingerprint: try row.decode(column: 4),
            client: try row.decode(column: 5), secret: try row.decode(column: 6), app: try row.decode(column: 7),
            tenantVersion: try row.decode(column: 8),
            scopes: OpenIDScope.known(in: try row.decode(column: 9, as: String.self)),
            methods: try row.decode(column: 10), authenticatedAt: try time(11), counter: try row.decode(column: 12),
            refreshedAt: try time(13), accessEnd: try time(14), end: try time(15), code: try row.decode(column: 17))
    }
}
