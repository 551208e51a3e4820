public import Canonical

/// The metadata of the OpenID provider and issuer of tokens (OpenID Connect Discovery §3 and RFC 8414 §2), one document
/// for both.
public struct TokenMetadataResponse: Sendable, Equatable, ResponseObject {
    /// The URL of the service, without a trailing slash: the `iss` of its tokens.
    public var issuer: String
    /// The address to which a client sends a browser.
    public var authorizationEndpoint: String
    /// The address where a client exchanges codes and refresh tokens.
    public var tokenEndpoint: String
    /// The address of userinfo.
    public var userinfoEndpoint: String
    /// The address to which a client sends a browser to log out.
    public var endSessionEndpoint: String
    /// The address of the public keys.
    public var jwksURI: String
    /// The address of introspection (RFC 7662).
    public var introspectionEndpoint: String
    /// The address of revocation (RFC 7009).
    public var revocationEndpoint: String
    /// The address of the documentation.
    public var serviceDocumentation: String

    /// The members on the wire.
    public static let members = WireMembers<TokenMetadataResponse>(
        "TokenMetadataResponse", TokenMetadataResponse.init, Member("issuer", \.issuer),
        Member("authorization_endpoint", \.authorizationEndpoint), Member("token_endpoint", \.tokenEndpoint),
        Member("userinfo_endpoint", \.userinfoEndpoint), Member("end_session_endpoint", \.endSessionEndpoint),
        Member("jwks_uri", \.jwksURI), Member("introspection_endpoint", \.introspectionEndpoint),
        Member("revocation_endpoint", \.revocationEndpoint), Member("service_documentation", \.serviceDocumentation))

    /// What the provider supports. It issues codes to clients that prove S256, and nothing else.
    public static let constants: [String: JSONValue] = [
        "response_types_supported": ["code"], "response_modes_supported": ["query", "form_post"],
        "grant_types_supported": ["authorization_code", "refresh_token"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256"], "code_challenge_methods_supported": ["S256"],
        "scopes_supported": ["openid", "profile", "email", "groups", "offline_access"],
        "claims_supported": [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash", "tenant",
            "tenant_name", "preferred_username", "name", "locale", "updated_at", "email", "email_verified", "groups",
        ],
        "acr_values_supported": ["urn:tenure:acr:device", "urn:tenure:acr:device-and-secret", "phr"],
        "prompt_values_supported": ["none", "login", "consent", "select_account"],
        "ui_locales_supported": ["en", "de", "fr"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic"],
        "authorization_response_iss_parameter_supported": true, "claims_parameter_supported": false,
        "request_parameter_supported": false, "request_uri_parameter_supported": false,
    ]
}

extension TokenMetadataResponse {
    /// Describes the service at `issuer`, a URL without a trailing slash.
    package init(issuer: String) {
        self.issuer = issuer
        authorizationEndpoint = issuer + Endpoint.authorize.template.text
        tokenEndpoint = issuer + Endpoint.issueGrantTokens.template.text
        userinfoEndpoint = issuer + Endpoint.readUserInfo.template.text
        endSessionEndpoint = issuer + Endpoint.logOut.template.text
        jwksURI = issuer + Endpoint.readTokenKeys.template.text
        introspectionEndpoint = issuer + Endpoint.introspectToken.template.text
        revocationEndpoint = issuer + Endpoint.revokeToken.template.text
        serviceDocumentation = issuer + Endpoint.docs.template.text
    }
}
