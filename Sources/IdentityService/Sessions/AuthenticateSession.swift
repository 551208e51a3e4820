import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// Authenticates an access token against the session's row; whatever ends a session deletes that row.
struct AuthenticateSession: Sendable {
    let context: ServiceContext

    func run(accessToken: String, at time: Timestamp) async throws -> EmployeeCaller {
        guard let token = SessionToken(accessToken) else { throw ServiceError(.sessionInvalid) }
        let digest = context.ring.sessionTokenDigest(kind: "access", token.bytes)
        let rows = try await context.pool.query(
            """
            SELECT employee_id, fingerprint, least(access_expires_at, ends_at) FROM tenure.session
            WHERE ledger_id = \(token.tenant) AND session_id = \(token.session) AND access_digest = \(digest)
            """, in: [LedgerID(token.tenant)])
        guard let row = rows.first else { throw ServiceError(.sessionInvalid) }
        let (employee, fingerprint, expiry) = try row.decode(UUID.self, [UInt8].self, PostgresTimestamp.self)
        guard time.microseconds < expiry.microsecondsSinceUnixEpoch else { throw ServiceError(.sessionExpired) }
        return EmployeeCaller(
            tenantId: token.tenant, employeeId: employee, sessionId: token.session, fingerprint: fingerprint)
    }
}
