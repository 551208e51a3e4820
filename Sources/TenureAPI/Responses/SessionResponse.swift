public import Canonical

/// The tokens of a session.
public struct SessionResponse: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The access token, unpadded base64url.
    public var accessToken: String
    /// When the access token ends.
    public var expiresAt: Timestamp
    /// The refresh token, unpadded base64url; usable once.
    public var refreshToken: String

    /// Describes one.
    public init(
        accessToken: String, expiresAt: Timestamp, refreshToken: String
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        accessToken = try reader.string("accessToken")
        expiresAt = try reader.timestamp("expiresAt")
        refreshToken = try reader.string("refreshToken")
    }

    /// The response.
    public var json: JSONValue {
        [
            "accessToken": .string(accessToken), "expiresAt": .timestamp(expiresAt),
            "refreshToken": .string(refreshToken),
        ]
    }

    /// Never the tokens.
    public var description: String { "[redacted]" }
}
