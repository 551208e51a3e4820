extension Endpoint {
    /// Returns the metadata of the issuer of access tokens (RFC 8414).
    public static let readTokenMetadata = Endpoint(
        "GET", "/.well-known/oauth-authorization-server", .anyone, "Give the metadata of the issuer of access tokens")
    /// Returns the public keys that verify access tokens (RFC 7517).
    public static let readTokenKeys = Endpoint(
        "GET", "/.well-known/jwks.json", .anyone, "Give the public keys that verify access tokens")
    /// Introspects an access token (RFC 7662).
    public static let introspectToken = Endpoint(
        "POST", "/oauth/introspect", .app, "Tell whether an access token is active, and its claims")
    /// Revokes a token (RFC 7009).
    public static let revokeToken = Endpoint(
        "POST", "/oauth/revoke", .app, "End the session of an access token or a refresh token")
    /// Issues an access token for one of the app's resources (RFC 8707).
    public static let issueResourceToken = Endpoint(
        "POST", "/v1/me/tokens", .employee, "Issue an access token for one of the app's resources")

    /// The endpoints of tokens, in the order of the documentation.
    static let ofTokens: [Endpoint] = [
        .readTokenMetadata, .readTokenKeys, .introspectToken, .revokeToken, .issueResourceToken,
    ]

    /// Whether a raw path is that of an endpoint whose refusals carry the members of RFC 6749 §5.2.
    public static func refusesAsOAuth(path: some StringProtocol) -> Bool {
        [Endpoint.introspectToken, .revokeToken].contains { $0.template.text == path }
    }
}
