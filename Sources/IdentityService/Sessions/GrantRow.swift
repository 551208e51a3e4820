import Canonical
import FoundationEssentials
import Identity
import Keys
import Postgres

/// The row of a client's grant, with all its columns. All of them are covered by its code.
struct GrantRow: CodedRow, Equatable {
    var tenant: UUID
    var id: UUID
    /// The session that the grant goes on under: that in which it was opened, or the one that replaced it.
    var session: UUID
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
    /// The session in which the grant was opened, which the client knows as `sid`.
    var openedIn: UUID
    var code: [UInt8]?

    static let table = RowTable<GrantRow>(
        "client_grant", GrantRow.init,
        Column(key: "ledger_id", \.tenant), Column(key: "grant_id", \.id), Column("session_id", \.session),
        Column("employee_id", \.employee), Column("fingerprint", \.fingerprint), Column("client_id", \.client),
        Column("secret_id", \.secret), Column("app_id", \.app), Column("tenant_version", \.tenantVersion),
        Column("scopes", \.scopes), Column("methods", \.methods), Column("authenticated_at", \.authenticatedAt),
        Column("refresh_counter", \.counter), Column("refreshed_at", \.refreshedAt),
        Column("access_expires_at", \.accessEnd), Column("ends_at", \.end), Column("opened_in", \.openedIn),
        .code(\.code))

    /// Whether the grant outlives its session.
    var isOffline: Bool { scopes.contains(.offlineAccess) }

    /// The statement that replaces a row that has not changed.
    func replacing(_ former: GrantRow, _ ring: KeyRing) -> SQL {
        update(where: "t.mac IS NOT DISTINCT FROM \(former.code)", ring)
    }

    /// Reads a grant that the service wrote; `nil` if there is none.
    static func find(
        _ id: UUID, of tenant: UUID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> GrantRow? {
        try await all(in: tenant, where: "grant_id = \(id)", context).first
    }

    /// The statement that lets the grants of a session go on under the one that replaces it. None for a session without
    /// grants. One that is refreshed meanwhile stays, so that no client can hold up a log-in, and moves with its next
    /// refresh.
    static func moving(
        from session: UUID, of employee: UUID, to successor: UUID, of tenant: UUID, _ context: ServiceContext,
        at time: Timestamp
    ) async throws -> [SQL] {
        let rows = try await all(
            in: tenant, where: "employee_id = \(employee) AND session_id = \(session)", context)
        guard !rows.isEmpty else { return [] }
        let codes = rows.map { row in
            var moved = row
            moved.session = successor
            return moved.rightCode(context.ring)
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
        try await all(
            in: tenant.uuid,
            where: """
                employee_id = \(employee.uuid) AND ends_at > \(time.postgres)
                ORDER BY refreshed_at DESC, grant_id LIMIT 100
                """, context)
    }
}

extension Set: ColumnValue where Element == OpenIDScope {
    var stored: String { text }
    static func value(of stored: String) -> Set? { OpenIDScope.known(in: stored) }
}
