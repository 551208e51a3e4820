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
/// says that somebody else holds a copy: the session ends (RFC 9700 section 4.14.2). No exchange moves the session's own
/// end, which was fixed when it opened.
struct RefreshSession: Sendable {
    let context: ServiceContext
    let token: SessionToken
    /// When the session ends for good.
    private let end: Timestamp

    /// Reads a token; `session.invalid` for one that no open session has or had before its last exchange.
    ///
    /// It comes before anything is stored for the call: whoever has no session leaves no row here.
    init(_ context: ServiceContext, refreshToken: String) async throws {
        guard let token = SessionToken(refreshToken),
            let session = try await Self.session(token, context)
        else { throw ServiceError(.sessionInvalid) }
        self.context = context
        self.token = token
        end = session.end
    }

    /// Who an idempotency key belongs to.
    var scope: String { token.scope }

    private var digest: [UInt8] { context.ring.sessionTokenDigest(kind: "refresh", token.bytes) }

    private struct Session {
        var employee: UUID
        /// The digest of the refresh token in force.
        var current: [UInt8]
        var end: Timestamp
    }

    /// The session that a token is of, or was of before its last exchange.
    private static func session(_ token: SessionToken, _ context: ServiceContext) async throws -> Session? {
        let digest = context.ring.sessionTokenDigest(kind: "refresh", token.bytes)
        let rows = try await context.pool.query(
            """
            SELECT employee_id, refresh_digest, ends_at FROM tenure.session
            WHERE ledger_id = \(token.tenant) AND session_id = \(token.session)
                AND (refresh_digest = \(digest) OR previous_refresh_digest = \(digest))
            """, in: [LedgerID(token.tenant)])
        return try rows.first.map { row in
            let (employee, current, end) = try row.decode(UUID.self, [UInt8].self, PostgresTimestamp.self)
            return Session(
                employee: employee, current: current, end: Timestamp(microseconds: end.microsecondsSinceUnixEpoch))
        }
    }

    func run(_ call: Call, ticket: IdempotencyTicket?) async throws -> SessionTokens {
        let access = SessionToken(tenant: token.tenant, session: token.session)
        let refresh = SessionToken(tenant: token.tenant, session: token.session)
        let accessEnd = min(call.time.adding(context.settings.accessLifetime), end)
        let refreshEnd = min(call.time.adding(context.settings.refreshLifetime), end)
        let newAccess = context.ring.sessionTokenDigest(kind: "access", access.bytes)
        let newRefresh = context.ring.sessionTokenDigest(kind: "refresh", refresh.bytes)
        let tokens = SessionTokens(accessToken: access.text, expiresAt: accessEnd, refreshToken: refresh.text)
        let exchange: SQL = """
            UPDATE tenure.session SET access_digest = \(newAccess), refresh_digest = \(newRefresh),
                previous_refresh_digest = refresh_digest, access_expires_at = \(accessEnd.postgres),
                refresh_expires_at = \(refreshEnd.postgres)
            WHERE ledger_id = \(token.tenant) AND session_id = \(token.session) AND refresh_digest = \(digest)
                AND least(refresh_expires_at, ends_at) > \(call.time.postgres)
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
        guard let session = try await Self.session(token, context) else { throw ServiceError(.sessionInvalid) }
        let isExpired = session.current == digest
        let refusal = ServiceError(isExpired ? .sessionExpired : .sessionInvalid)
        try await CloseSession(context: context).close(
            session: token.session, employee: EmployeeID(session.employee), tenant: TenantID(token.tenant),
            reason: isExpired ? .expired : .refreshReused, call: call,
            refusing: ticket.map { (ticket: $0, refusal: refusal) })
        throw refusal
    }
}
