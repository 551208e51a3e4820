import AccessTokens
import Canonical
import ErrorCodes
import Keys
import Ledger
import Postgres

/// Authenticates an access token against the session's row. Whatever ends a session deletes that row or cuts it off.
///
/// The row has a keyed digest of the newest token that the session got for this service. No other token has that digest,
/// so the signature needs no verification. The row's code shows that the service wrote it, and the token must say what the
/// row says.
package struct AuthenticateSession: UseCase, Redacted {
    /// The access token that the caller presented.
    package let accessToken: String

    package init(accessToken: String) { self.accessToken = accessToken }

    /// Returns the employee.
    ///
    /// - Throws: `session.invalid` or `session.expired`.
    package func run(_ run: UseCaseRun<EmployeeCaller>) async throws -> EmployeeCaller {
        let context = run.context, time = run.call.time
        guard let token = UnverifiedAccessToken(accessToken)?.claims else {
            throw ServiceError(fault(context.ring))
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
            fingerprint: session.row.fingerprint,
            secretProved: AuthenticationMethods(text: session.row.methods).secretProved)
    }

    /// Why a text is none of the access tokens.
    private func fault(_ ring: KeyRing) -> TokenFault {
        if RefreshToken(accessToken, ring) != nil { return .refreshForAccess }
        if GrantAccessToken(accessToken, ring) != nil { return .ofGrant }
        return PresentedToken(accessToken) == .idToken ? .idToken : .notAnAccessToken
    }
}

extension KeyRing {
    /// The 32 bytes by which the session's row knows its access token.
    func accessTokenDigest(_ token: String) -> [UInt8] { sessionTokenDigest(kind: "access", Array(token.utf8)) }
}
