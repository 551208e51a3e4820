import Canonical
package import TenureAPI
import Identity
import Keys

/// The answer to a request to the token endpoint.
package enum TokenAnswer: Sendable, Equatable, RedactedDescription {
    /// The client gets tokens.
    case issued(TokenGrantResponse)
    case refused(OAuthRefusal)

    /// The code, the token or what belongs to it is not valid (RFC 6749, section 5.2). The client is not told which; the
    /// log is.
    static func invalidGrant(_ cause: OpenIDCause) -> TokenAnswer {
        RequestNotes.note(cause)
        return .refused(
            OAuthRefusal(
                error: "invalid_grant", description: "the code or the refresh token is not valid for this client"))
    }
}

extension GrantRow {
    /// Makes the tokens of the grant as it is.
    ///
    /// - Parameters:
    ///   - nonce: The `nonce` of the authorization request; `nil` for a refresh.
    ///   - wanted: The scopes of the tokens; `nil` for those of the grant.
    func tokens(
        _ log: GrantInLog, _ registration: ClientRegistration, nonce: String?, scopes wanted: Set<OpenIDScope>? = nil,
        at time: Timestamp, _ context: ServiceContext
    ) async throws -> TokenGrantResponse {
        let scopes = wanted ?? self.scopes
        let access = GrantAccessToken(
            of: self, fewerScopes: scopes == self.scopes ? nil : scopes, context.ring
        ).text
        let person = try await PersonClaims.of(
            log, registration, scopes: scopes, row: self, context)
        let idToken = try await IDToken(
            row: self, registration: registration, person: person, nonce: nonce, accessToken: access
        ).signed(at: time, context)
        return TokenGrantResponse(
            accessToken: access, expiresIn: max(0, accessEnd.wholeSeconds - time.wholeSeconds),
            refreshToken: GrantRefreshToken(of: self, context.ring).text, idToken: idToken, scope: scopes.text)
    }
}
