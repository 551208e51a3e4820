public import Canonical

/// The tokens of a session, shown once.
public struct IssuedTokens: Sendable, Equatable, CustomStringConvertible {
    /// The access token: a signed JWT (RFC 9068).
    public var accessToken: String
    /// When the access token expires.
    public var expiresAt: Timestamp
    /// The refresh token, unpadded base64url; usable once.
    public var refreshToken: String
    /// Whether unknown devices are locked out until the credentials are changed.
    public var credentialsChangeRequired = false
    /// Messages to the owner of the account.
    public var notices: [Notice] = []
    /// A placeholder that never contains the tokens.
    public var description: String { "[redacted]" }
}
