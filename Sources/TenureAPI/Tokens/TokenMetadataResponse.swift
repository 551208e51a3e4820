public import Canonical

/// The metadata of the issuer of access tokens (RFC 8414 §2).
///
/// It names no authorization endpoint and no token endpoint, because the service has none.
public struct TokenMetadataResponse: Sendable, Equatable, ResponseObject {
    /// The URL of the service, without a trailing slash: the `iss` of its tokens.
    public var issuer: String
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
        Member("jwks_uri", \.jwksURI), Member("introspection_endpoint", \.introspectionEndpoint),
        Member("revocation_endpoint", \.revocationEndpoint), Member("service_documentation", \.serviceDocumentation))

    /// An app authenticates at the two endpoints in one way, with its id and secret by `Basic`. The service issues no
    /// code and no token at an endpoint of OAuth.
    public static let constants: [String: JSONValue] = [
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic"], "response_types_supported": [],
        "grant_types_supported": [],
    ]
}

extension TokenMetadataResponse {
    /// Describes the service at `issuer`, a URL without a trailing slash.
    package init(issuer: String) {
        self.issuer = issuer
        jwksURI = issuer + Endpoint.readTokenKeys.template.text
        introspectionEndpoint = issuer + Endpoint.introspectToken.template.text
        revocationEndpoint = issuer + Endpoint.revokeToken.template.text
        serviceDocumentation = issuer + Endpoint.docs.template.text
    }
}
