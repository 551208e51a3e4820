/// An access token whose form was checked and nothing else. It proves nothing.
///
/// It exists to find the session of a token before the token is verified. Never decide anything by its claims.
public struct UnverifiedAccessToken: Sendable {
    /// The `kid` of the header.
    public let keyID: String
    /// The claims as somebody wrote them.
    public let claims: AccessTokenClaims

    /// Reads a token. Returns `nil` unless its form, header and claims are those of an access token.
    public init?(_ token: String) {
        guard let parts = try? CompactToken(token), let keyID = try? parts.keyID(), let json = try? parts.json(),
            let claims = try? AccessTokenClaims(json: json)
        else { return nil }
        self.keyID = keyID
        self.claims = claims
    }
}
