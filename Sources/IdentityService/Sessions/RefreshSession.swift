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

    func run(refreshToken: String, call: Call) async throws -> SessionTokens {
        guard let token = SessionToken(refreshToken) else { throw ServiceError(.sessionInvalid) }
        let ledger = LedgerID(token.tenant)
        let digest = context.ring.sessionTokenDigest(kind: "refresh", token.bytes)
        let access = SessionToken(tenant: token.tenant, session: token.session)
        let refresh = SessionToken(tenant: token.tenant, session: token.session)
        let accessEnd = call.time.adding(context.settings.accessLifetime)
        let refreshEnd = call.time.adding(context.settings.refreshLifetime)
        let newAccess = context.ring.sessionTokenDigest(kind: "access", access.bytes)
        let newRefresh = context.ring.sessionTokenDigest(kind: "refresh", refresh.bytes)
        let exchanged = try await context.pool.query(
            """
            UPDATE tenure.session SET access_digest = \(newAccess), refresh_digest = \(newRefresh),
                previous_refresh_digest = refresh_digest, access_expires_at = \(accessEnd.postgres),
                refresh_expires_at = \(refreshEnd.postgres)
            WHERE ledger_id = \(token.tenant) AND session_id = \(token.session) AND refresh_digest = \(digest)
                AND refresh_expires_at > \(call.time.postgres)
            RETURNING employee_id
            """, in: [ledger])
        guard exchanged.isEmpty else {
            return SessionTokens(
                accessToken: access.text, expiresAt: accessEnd, refreshToken: refresh.text)
        }
        let rows = try await context.pool.query(
            """
            SELECT employee_id, refresh_digest FROM tenure.session
            WHERE ledger_id = \(token.tenant) AND session_id = \(token.session)
                AND (refresh_digest = \(digest) OR previous_refresh_digest = \(digest))
            """, in: [ledger])
        guard let row = rows.first else { throw ServiceError(.sessionInvalid) }
        let (employee, current) = try row.decode(UUID.self, [UInt8].self)
        let isExpired = current == digest
        try await CloseSession(context: context).close(
            session: token.session, employee: EmployeeID(employee), tenant: TenantID(token.tenant),
            reason: isExpired ? .expired : .refreshReused, call: call)
        throw ServiceError(isExpired ? .sessionExpired : .sessionInvalid)
    }
}
