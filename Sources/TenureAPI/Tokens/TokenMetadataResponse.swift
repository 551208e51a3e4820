public import Canonical

/// The metadata of the issuer of access tokens (RFC 8414 §2).
///
/// It names no authorization endpoint and no token endpoint, because the service has none.
public struct TokenMetadataResponse: Sendable, Equatable, JSONConvertible {
    /// The one way in which an app authenticates at the two endpoints: its id and secret by `Basic`.
    private static let authentication: JSONValue = ["client_secret_basic"]

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

    /// Describes the service at `issuer`, a URL without a trailing slash.
    public init(issuer: String) {
        self.issuer = issuer
        jwksURI = issuer + Endpoint.readTokenKeys.template.text
        introspectionEndpoint = issuer + Endpoint.introspectToken.template.text
        revocationEndpoint = issuer + Endpoint.revokeToken.template.text
        serviceDocumentation = issuer + Endpoint.docs.template.text
    }

    /// Reads metadata and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        issuer = try reader.string("issuer")
        jwksURI = try reader.string("jwks_uri")
        introspectionEndpoint = try reader.string("introspection_endpoint")
        revocationEndpoint = try reader.string("revocation_endpoint")
        serviceDocumentation = try reader.string("service_documentation")
    }

    /// The metadata as JSON.
    public var json: JSONValue {
        [
            "issuer": .string(issuer), "jwks_uri": .string(jwksURI),
            "introspection_endpoint": .string(introspectionEndpoint),
            "introspection_endpoint_auth_methods_supported": Self.authentication,
            "revocation_endpoint": .string(revocationEndpoint),
            "revocation_endpoint_auth_methods_supported": Self.authentication,
            "response_types_supported": [], "grant_types_supported": [],
            "service_documentation": .string(serviceDocumentation),
        ]
    }
}
