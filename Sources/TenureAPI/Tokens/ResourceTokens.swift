public import Canonical

/// The body of `POST /v1/me/tokens`.
public struct ResourceTokenRequest: Sendable, Equatable, JSONConvertible {
    /// The URI of the resource that the token is for (RFC 8707), as the operator registered it.
    public var resource: String

    /// Describes a request for a token.
    public init(resource: String) { self.resource = resource }

    /// Reads a request and rejects unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        resource = try reader.string("resource")
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue { ["resource": .string(resource)] }
}

/// An access token for one resource. The service itself accepts no such token.
public struct ResourceTokenResponse: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The access token, a JWT (RFC 9068).
    public var accessToken: String
    /// The time when the token expires.
    public var expiresAt: Timestamp

    /// Creates a value from its members.
    public init(accessToken: String, expiresAt: Timestamp) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        accessToken = try reader.string("accessToken")
        expiresAt = try reader.timestamp("expiresAt")
    }

    /// The response as JSON.
    public var json: JSONValue { ["accessToken": .string(accessToken), "expiresAt": .timestamp(expiresAt)] }

    /// Always `[redacted]`, so that no token reaches a log.
    public var description: String { "[redacted]" }
}
