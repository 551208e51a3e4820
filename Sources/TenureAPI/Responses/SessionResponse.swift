public import Canonical

/// The tokens of a session.
public struct SessionResponse: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The access token, unpadded base64url.
    public var accessToken: String
    /// When the access token ends.
    public var expiresAt: Timestamp
    /// The refresh token, unpadded base64url; usable once.
    public var refreshToken: String
    /// Whether the credentials have to be changed before another device can be added; told at a login only.
    public var credentialsChangeRequired: Bool

    /// Describes one.
    public init(
        accessToken: String, expiresAt: Timestamp, refreshToken: String, credentialsChangeRequired: Bool = false
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.credentialsChangeRequired = credentialsChangeRequired
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        accessToken = try reader.string("accessToken")
        expiresAt = try reader.timestamp("expiresAt")
        refreshToken = try reader.string("refreshToken")
        credentialsChangeRequired = try reader.optionalBool("credentialsChangeRequired") ?? false
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "accessToken": .string(accessToken), "expiresAt": .timestamp(expiresAt),
            "refreshToken": .string(refreshToken),
            "credentialsChangeRequired": credentialsChangeRequired ? .bool(true) : nil,
        ])
    }

    /// Never the tokens.
    public var description: String { "[redacted]" }
}
