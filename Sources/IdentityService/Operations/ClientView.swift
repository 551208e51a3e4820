public import FoundationEssentials
import Identity

/// What is registered about a client, as a list shows it.
public struct ClientView: Sendable, Equatable {
    /// The URIs to which an authorization may be answered.
    public let redirects: [String]
    /// The URIs to which the browser may be sent after a log-out.
    public let postLogout: [String]
    /// The origins whose scripts may call the endpoints of tokens.
    public let origins: [String]
    /// The ids of the tenants whose people the client takes; `nil` for those of any tenant that links it.
    public let tenants: [UUID]?
    /// Whether the client cannot keep a secret.
    public let isPublic: Bool
    /// The algorithm of its ID tokens.
    public let idToken: String
    /// When people are asked: `none`, `once` or `always`.
    public let consent: String

    init(_ client: ClientRegistration) {
        redirects = client.redirects.map(\.text)
        postLogout = client.postLogout.map(\.text)
        origins = client.origins.map(\.text)
        tenants = client.anyTenant ? nil : client.tenants.map(\.uuid)
        isPublic = client.isPublic
        idToken = client.idToken.rawValue
        consent = client.consent.rawValue
    }
}
