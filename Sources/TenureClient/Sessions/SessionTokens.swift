public import Canonical
import TenureAPI

/// The tokens of one session, as a store keeps them.
public struct SessionTokens: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What calls are made with.
    public var accessToken: String
    /// When the access token ends.
    public var expiresAt: Timestamp
    /// What new tokens are asked for with, once.
    public var refreshToken: String

    /// Describes tokens.
    public init(accessToken: String, expiresAt: Timestamp, refreshToken: String) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
    }

    init(_ response: SessionResponse) {
        self.init(
            accessToken: response.accessToken, expiresAt: response.expiresAt, refreshToken: response.refreshToken)
    }

    /// Reads what ``storedBytes`` wrote.
    init?(storedBytes: [UInt8]) {
        guard let response = try? SessionResponse(bytes: storedBytes) else { return nil }
        self.init(response)
    }

    /// The bytes for a store: JSON with the members that the service uses.
    var storedBytes: [UInt8] {
        SessionResponse(accessToken: accessToken, expiresAt: expiresAt, refreshToken: refreshToken).bytes
    }

    /// Never the tokens.
    public var description: String { "[redacted]" }
    /// Never the tokens.
    public var debugDescription: String { description }
}
