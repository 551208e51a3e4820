import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of an authorization code, with all its columns. All of them are covered by its code.
struct AuthorizationCodeRow: Sendable, Equatable {
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
    /// How and when the person logged in. Another log-in may replace the session before the code is redeemed.
    var methods: String
    var authenticatedAt: Timestamp
    /// Whether somebody presented the code wrongly.
    var isDead = false
    var expiresAt: Timestamp
    var forgetAt: Timestamp
    var code: [UInt8]?

    private static let columns: SQL = """
        ledger_id, code_id, digest, session_id, employee_id, client_id, redirect, challenge, nonce, scopes, is_dead,
        expires_at, forget_at, methods, authenticated_at, mac
        """

    private var values: [RowValue] {
        [
            .uuid(tenant), .uuid(id), .bytes(digest), .uuid(session), .uuid(employee), .uuid(client), .text(redirect),
            .bytes(challenge), .text(nonce), .text(scopes.text), .flag(isDead), .time(expiresAt.microseconds),
            .time(forgetAt.microseconds), .text(methods), .time(authenticatedAt.microseconds),
        ]
    }

    /// The statement that inserts the row.
    func insertion(_ ring: KeyRing) -> SQL {
        """
        INSERT INTO tenure.authorization_code (\(Self.columns))
        VALUES (\(tenant), \(id), \(digest), \(session), \(employee), \(client), \(redirect), \(challenge), \(nonce),
            \(scopes.text), \(isDead), \(expiresAt.postgres), \(forgetAt.postgres), \(methods),
            \(authenticatedAt.postgres),
            \(ring.rowCode(ProtectedRows.authorizationCodes, values)))
        """
    }

    /// Refuses the code from now on.
    func kill(_ context: ServiceContext) async throws {
        var dead = self
        dead.isDead = true
        _ = try await context.pool.query(
            """
            UPDATE tenure.authorization_code
            SET is_dead = true, mac = \(context.ring.rowCode(ProtectedRows.authorizationCodes, dead.values))
            WHERE ledger_id = \(tenant) AND code_id = \(id)
            """, in: [LedgerID(tenant)])
    }

    /// Reads the row of a code; `nil` if the service wrote none.
    static func find(
        _ code: AuthorizationCode, _ context: ServiceContext, at time: Timestamp
    ) async throws -> AuthorizationCodeRow? {
        let tenant = code.tenant.uuid
        let found = try await context.pool.query(
            """
            SELECT \(columns) FROM tenure.authorization_code
            WHERE ledger_id = \(tenant) AND code_id = \(code.id.uuid) AND digest = \(code.digest(context.ring))
            """, in: [LedgerID(tenant)])
        guard let row = try found.first.map({ try AuthorizationCodeRow($0) }),
            context.rows.accepts(row.code, ProtectedRows.authorizationCodes, row.values)
        else { return nil }
        return row
    }
}

extension AuthorizationCodeRow {
    private init(_ row: PostgresRow) throws(PostgresError) {
        func time(_ column: Int) throws(PostgresError) -> Timestamp {
            let time = try row.decode(column: column, as: PostgresTimestamp.self)
            return Timestamp(microseconds: time.microsecondsSinceUnixEpoch)
        }
        self.init(
            tenant: try row.decode(column: 0), id: try row.decode(column: 1), digest: try row.decode(column: 2),
            session: try row.decode(column: 3), employee: try row.decode(column: 4),
            client: try row.decode(column: 5), redirect: try row.decode(column: 6),
            challenge: try row.decode(column: 7), nonce: try row.decode(column: 8),
            scopes: OpenIDScope.known(in: try row.decode(column: 9, as: String.self)),
            methods: try row.decode(column: 13), authenticatedAt: try time(14),
            isDead: try row.decode(column: 10), expiresAt: try time(11), forgetAt: try time(12),
            code: try row.decode(column: 15))
    }
}
