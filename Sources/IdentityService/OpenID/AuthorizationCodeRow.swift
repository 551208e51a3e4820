import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of an authorization code, with all its columns. All of them are covered by its code.
struct AuthorizationCodeRow: CodedRow, Equatable {
    var tenant: UUID
    var id: UUID
    var digest: [UInt8]
    var session: UUID
    var employee: UUID
    var client: UUID
    var redirect: String
    /// The SHA-256 of the code verifier (RFC 7636); empty if the client sent none.
    var challenge: [UInt8]
    var nonce: String?
    var scopes: Set<OpenIDScope>
    /// Whether somebody presented the code wrongly.
    var isDead = false
    var expiresAt: Timestamp
    var forgetAt: Timestamp
    /// How and when the person logged in. Another log-in may replace the session before the code is redeemed.
    var methods: String
    var authenticatedAt: Timestamp
    var code: [UInt8]?

    static let table = RowTable<AuthorizationCodeRow>(
        "authorization_code", AuthorizationCodeRow.init,
        Column(key: "ledger_id", \.tenant), Column(key: "code_id", \.id), Column("digest", \.digest),
        Column("session_id", \.session), Column("employee_id", \.employee), Column("client_id", \.client),
        Column("redirect", \.redirect), Column("challenge", \.challenge), Column("nonce", \.nonce),
        Column("scopes", \.scopes), Column("is_dead", \.isDead), Column("expires_at", \.expiresAt),
        Column("forget_at", \.forgetAt), Column("methods", \.methods), Column("authenticated_at", \.authenticatedAt),
        .code(\.code))

    /// Refuses the code from now on.
    func kill(_ context: ServiceContext) async throws {
        var dead = self
        dead.isDead = true
        _ = try await context.pool.query(dead.update(where: "true", context.ring), in: [LedgerID(tenant)])
    }

    /// Reads the row of a code; `nil` if the service wrote none.
    static func find(
        _ code: AuthorizationCode, _ context: ServiceContext, at time: Timestamp
    ) async throws -> AuthorizationCodeRow? {
        try await all(
            in: code.tenant.uuid, where: "code_id = \(code.id.uuid) AND digest = \(code.digest(context.ring))", context
        ).first
    }
}
