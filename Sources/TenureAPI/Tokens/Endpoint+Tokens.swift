import ErrorCodes

extension Endpoint {
    /// Returns the metadata of the issuer of access tokens (RFC 8414).
    public static let readTokenMetadata = Endpoint(
        "readTokenMetadata", "GET", "/.well-known/oauth-authorization-server",
        "Give the metadata of the issuer of access tokens", .tokens, by: [.anyone],
        answers: .json(TokenMetadataResponse.self), [.conditional, .openToOrigins])
    /// Returns the public keys that verify access tokens (RFC 7517).
    public static let readTokenKeys = Endpoint(
        "readTokenKeys", "GET", "/.well-known/jwks.json", "Give the public keys that verify access tokens", .tokens,
        by: [.anyone], answers: .json(named: "TokenKeys", "application/jwk-set+json"),
        [.conditional, .openToOrigins])
    /// Introspects an access token (RFC 7662).
    public static let introspectToken = Endpoint(
        "introspectToken", "POST", "/oauth/introspect", "Tell whether an access token is active, and its claims",
        .tokens, by: .accessApps, takes: .form(named: "TokenForm"),
        answers: .json(TokenIntrospectionResponse.self, as: "Introspection"), family: .oauth)
    /// Revokes a token (RFC 7009).
    public static let revokeToken = Endpoint(
        "revokeToken", "POST", "/oauth/revoke", "End the session of an access token or a refresh token", .tokens,
        by: .accessApps, takes: .form(named: "TokenForm"), answers: .empty(200), .openToOrigins, family: .oauth,
        refuses: [.serviceBusy])
    /// Issues an access token for one of the app's resources (RFC 8707).
    public static let issueResourceToken = Endpoint(
        "issueResourceToken", "POST", "/v1/me/tokens", "Issue an access token for one of the app's resources", .tokens,
        by: .employees, takes: .required(ResourceTokenRequest.self), answers: .json(ResourceTokenResponse.self),
        refuses: [.tokenResourceUnknown])

    /// The endpoints of tokens, in the order of the documentation.
    static let ofTokens: [Endpoint] = [
        .readTokenMetadata, .readTokenKeys, .introspectToken, .revokeToken, .issueResourceToken,
    ]
}
