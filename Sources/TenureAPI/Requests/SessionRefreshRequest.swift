public import Canonical

/// The body of `POST /v1/sessions/refresh`.
public struct SessionRefreshRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The refresh token, usable once.
    public var refreshToken: String

    /// Describes a refresh.
    public init(refreshToken: String) { self.refreshToken = refreshToken }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        refreshToken = try reader.string("refreshToken")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue { ["refreshToken": .string(refreshToken)] }

    /// Never the token.
    public var description: String { "[redacted]" }
}
