import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Exchanges a refresh token for new tokens.
///
/// The exchange is one compare-and-set, so of two requests with one token one wins. The token before the present one
/// says that somebody else holds a copy: the session ends (RFC 9700 section 4.14.2).
struct RefreshSession: Sendable {
    let context: ServiceContext
    let token: SessionToken

    /// Reads a token; `session.invalid` for one that no open session has or had before its last exchange.
    ///
    /// It comes before anything is stored for the call: whoever has no session leaves no row here.
    init(_ context: ServiceContext, refreshToken: String) async throws {
        guard let token = SessionToken(refreshToken) else { throw ServiceError(.sessionInvalid) }
        self.context = context
        self.token = token
        guard try await session() != nil else { throw ServiceError(.sessionInvalid) }
    }

    /// Who an idempotency key belongs to.
    var scope: String { "session/\(token.tenant.lowercased)/\(token.session.lowercased)" }

    private var digest: [UInt8] { context.ring.sessionTokenDigest(kind: "refresh", token.bytes) }

    /// The employee of the token's session, and the digest of the refresh token in force.
    private func session() async throws -> (employee: UUID, current: [UInt8])? {
        let rows = try await context.pool.query(
            """
            SELECT employee_id, refresh_digest FROM tenure.session
            WHERE ledger_id = \(token.tenant) AND session_id = \(token.session)
                AND (refresh_digest = \(digest) OR previous_refresh_digest = \(digest))
            """, in: [LedgerID(token.tenant)])
        return try rows.first.map { row in try row.decode(UUID.self, [UInt8].self) }
    }

    func run(_ call: Call, ticket: IdempotencyTicket?) async throws -> SessionTokens {
        let access = SessionToken(tenant: token.tenant, session: token.session)
        let refresh = SessionToken(tenant: token.tenant, session: token.session)
        let accessEnd = call.time.adding(context.settings.accessLifetime)
        let refreshEnd = call.time.adding(context.settings.refreshLifetime)
        let newAccess = context.ring.sessionTokenDigest(kind: "access", access.bytes)
        let newRefresh = context.ring.sessionTokenDigest(kind: "refresh", refresh.bytes)
        let tokens = SessionTokens(accessToken: access.text, expiresAt: accessEnd, refreshToken: refresh.text)
        let exchange: SQL = """
            UPDATE tenure.session SET access_digest = \(newAccess), refresh_digest = \(newRefresh),
                previous_refresh_digest = refresh_digest, access_expires_at = \(accessEnd.postgres),
                refresh_expires_at = \(refreshEnd.postgres)
            WHERE ledger_id = \(token.tenant) AND session_id = \(token.session) AND refresh_digest = \(digest)
                AND refresh_expires_at > \(call.time.postgres)
            """
        // The answer is stored with the exchange, so that a lost reply can be had again and is no second use.
        let completion = ticket?.completion(.object(["answer": tokens.stored]))
        let ledgers = [LedgerID(token.tenant)] + (ticket.map { [$0.ledger] } ?? [])
        let isExchanged = try await context.pool.withTransaction(in: ledgers) { connection in
            guard try await connection.execute(exchange) == 1 else { return false }
            if let completion { _ = try await connection.execute(completion) }
            return true
        }
        if isExchanged { return tokens }
        guard let (employee, current) = try await session() else { throw ServiceError(.sessionInvalid) }
        let isExpired = current == digest
        try await CloseSession(context: context).close(
            session: token.session, employee: EmployeeID(employee), tenant: TenantID(token.tenant),
            reason: isExpired ? .expired : .refreshReused, call: call)
        throw ServiceError(isExpired ? .sessionExpired : .sessionInvalid)
    }
}
