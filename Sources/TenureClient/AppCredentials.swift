import Canonical

/// An app's id, one of its secrets, and where its service is.
public struct AppCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app's id as the operator told it.
    public let appId: String
    /// The app's salt, which is no secret; whoever vouches for keys derives the app's authority key with it.
    public let appSalt: String?
    /// The address of the service, for example `https://id.example`.
    public let baseURL: String?
    private let secret: String

    /// Takes an id and a secret; the address is given elsewhere.
    public init(appId: String, secret: String) {
        self.appId = appId
        self.secret = secret
        appSalt = nil
        baseURL = nil
    }

    /// Takes everything that an operator hands out with a secret, and the address of the service.
    public init(appId: String, appSecret: String, appSalt: String, baseURL: String) {
        self.appId = appId
        secret = appSecret
        self.appSalt = appSalt
        self.baseURL = baseURL
    }

    /// The value of `Authorization` (RFC 7617).
    var authorization: String { "Basic " + Base64.encode(Array("\(appId):\(secret)".utf8)) }

    /// Never the secret.
    public var description: String { "[redacted]" }
    /// Never the secret.
    public var debugDescription: String { description }
}
