import Canonical

/// An app's id and one of its secrets.
public struct AppCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app's id as the operator told it.
    public let appId: String
    private let secret: String

    /// Takes an id and a secret.
    public init(appId: String, secret: String) {
        self.appId = appId
        self.secret = secret
    }

    /// The value of `Authorization` (RFC 7617).
    var authorization: String { "Basic " + Base64.encode(Array("\(appId):\(secret)".utf8)) }

    /// Never the secret.
    public var description: String { "[redacted]" }
    /// Never the secret.
    public var debugDescription: String { description }
}
