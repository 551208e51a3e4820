import AccessTokens
import Canonical
import ErrorCodes
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// A refresh token: ledger 16 ‖ session 16 ‖ counter 8 ‖ code 32 bytes, unpadded base64url.
///
/// The code is computed under the sessions key. The service recognises every token that it issued without storing any.
/// An authentic token with another counter than the session's shows that two parties hold the session.
struct RefreshToken: Sendable {
    static let bodyByteCount = 40
    static let codeByteCount = 32
    let tenant: UUID
    let session: UUID
    /// The number of refreshes when the token was issued.
    let counter: Int64

    /// The token of a session after `counter` refreshes.
    init(tenant: UUID, session: UUID, counter: Int64) {
        self.tenant = tenant
        self.session = session
        self.counter = counter
    }

    /// Parses a token; `nil` if the service did not issue it.
    init?(_ text: String, _ ring: KeyRing) {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.bodyByteCount + Self.codeByteCount,
            ring.isRefreshTokenCode(Array(bytes[Self.bodyByteCount...]), of: Array(bytes[..<Self.bodyByteCount])),
            let tenant = UUID(bytes: bytes[0..<16]), let session = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.tenant = tenant
        self.session = session
        counter = Int64(bitPattern: bytes[32..<Self.bodyByteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The token that replaces this one.
    var next: RefreshToken { RefreshToken(tenant: tenant, session: session, counter: counter + 1) }

    /// The owner of an idempotency key that comes with a token of this session.
    var scope: String { "session/\(tenant.lowercased)/\(session.lowercased)" }

    /// The bytes that the code authenticates.
    private var body: [UInt8] {
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
        return tenant.bytes + session.bytes + digits
    }

    /// The token as clients get it.
    func text(_ ring: KeyRing) -> String { Base64URL.encode(body + ring.refreshTokenCode(body)) }
}

/// Authenticates an access token against the session's row. Whatever ends a session deletes that row or cuts it off.
///
/// The row has a keyed digest of the newest token that the session got for this service. No other token has that digest,
/// so the signature needs no verification. The row's code shows that the service wrote it, and the token must say what the
/// row says.
package struct AuthenticateSession: UseCase, CustomStringConvertible {
    /// The access token that the caller presented.
    package let accessToken: String
    /// A placeholder that never contains the token.
    package var description: String { "[redacted]" }

    package init(accessToken: String) { self.accessToken = accessToken }

    /// Returns the employee.
    ///
    /// - Throws: `session.invalid` or `session.expired`.
    package func run(_ run: UseCaseRun<EmployeeCaller>) async throws -> EmployeeCaller {
        let context = run.context, time = run.call.time
        guard let token = UnverifiedAccessToken(accessToken)?.claims else {
            let isRefreshToken = RefreshToken(accessToken, context.ring) != nil
            throw ServiceError(isRefreshToken ? TokenFault.refreshForAccess : .notAnAccessToken)
        }
        guard token.audience == token.clientID.lowercased else { throw ServiceError(TokenFault.ofResource) }
        let digest = context.ring.accessTokenDigest(accessToken)
        guard
            let session = try await context.session(
                token.sessionID, of: token.tenantID, where: "s.access_digest = \(digest)"),
            session.isInForce, session.row.agrees(withOwn: token)
        else { throw ServiceError(TokenFault.replacedOrEnded) }
        guard time < min(session.row.accessEnd, session.row.end) else { throw ServiceError(.sessionExpired) }
        return EmployeeCaller(
            tenantId: token.tenantID, employeeId: session.row.employee, sessionId: token.sessionID,
            fingerprint: session.row.fingerprint)
    }
}

extension KeyRing {
    /// The 32 bytes by which the session's row knows its access token.
    func accessTokenDigest(_ token: String) -> [UInt8] { sessionTokenDigest(kind: "access", Array(token.utf8)) }
}
