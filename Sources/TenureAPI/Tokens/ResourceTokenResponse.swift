public import Canonical

/// The body of `POST /v1/me/tokens`.
public struct ResourceTokenRequest: Sendable, Equatable, RequestObject {
    /// The URI of the resource that the token is for (RFC 8707), as the operator registered it.
    public var resource: String

    /// Describes a request for a token.
    public init(resource: String) { self.resource = resource }

    /// The members on the wire.
    public static let members = WireMembers<ResourceTokenRequest>(
        "ResourceTokenRequest", ResourceTokenRequest.init, Member("resource", \.resource))
}

/// An access token for one resource. The service itself accepts no such token.
public struct ResourceTokenResponse: Sendable, Equatable, ResponseObject, RedactedDescription {
    /// The access token, a JWT (RFC 9068).
    public var accessToken: String
    /// The time when the token expires.
    public var expiresAt: Timestamp

    package init(accessToken: String, expiresAt: Timestamp) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
    }

    /// The members on the wire.
    public static let members = WireMembers<ResourceTokenResponse>(
        "ResourceTokenResponse", ResourceTokenResponse.init, Member("accessToken", \.accessToken),
        Member("expiresAt", \.expiresAt))
}
