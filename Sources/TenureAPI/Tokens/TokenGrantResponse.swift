public import Canonical

/// The response of `POST /oauth/token` (RFC 6749 §5.1 and OpenID Connect Core §3.1.3.3).
public struct TokenGrantResponse: Sendable, Equatable, ResponseObject, RedactedDescription {
    /// The access token, for userinfo, introspection and revocation only. The rest of the API refuses it.
    public var accessToken: String
    /// The seconds until the access token expires.
    public var expiresIn: Int64
    /// The refresh token, which replaces the one that was presented.
    public var refreshToken: String
    /// The ID token, a JWT.
    public var idToken: String
    /// The scopes of the grant, separated by spaces.
    public var scope: String

    package init(accessToken: String, expiresIn: Int64, refreshToken: String, idToken: String, scope: String) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
    }

    /// The members on the wire.
    public static let members = WireMembers<TokenGrantResponse>(
        "TokenGrantResponse", TokenGrantResponse.init, Member("access_token", \.accessToken),
        Member("expires_in", \.expiresIn, .number(0...JSONValue.integerRange.upperBound)),
        Member("refresh_token", \.refreshToken), Member("id_token", \.idToken), Member("scope", \.scope))

    /// The tokens are bearer tokens (RFC 6750).
    public static let constants: [String: JSONValue] = ["token_type": "Bearer"]
}
