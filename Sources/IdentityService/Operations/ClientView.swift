package import FoundationEssentials
import Identity

/// What is registered about a client, as a list shows it.
package struct ClientView: Sendable, Equatable {
    /// The URIs to which an authorization may be answered.
    package let redirects: [String]
    /// The URIs to which the browser may be sent after a log-out.
    package let postLogout: [String]
    /// The origins whose scripts may call the endpoints of tokens.
    package let origins: [String]
    /// The ids of the tenants whose people the client takes; `nil` for those of any tenant that links it.
    package let tenants: [UUID]?
    /// Whether the client cannot keep a secret.
    package let isPublic: Bool
    /// The algorithm of its ID tokens.
    package let idToken: String
    /// When people are asked: `none`, `once` or `always`.
    package let consent: String
    /// Whether the client must use PKCE: `required` or `optional`.
    package let pkce: String

    init(_ client: ClientRegistration) {
        redirects = client.redirects.map(\.text)
        postLogout = client.postLogout.map(\.text)
        origins = client.origins.map(\.text)
        tenants = client.anyTenant ? nil : client.tenants.map(\.uuid)
        isPublic = client.isPublic
        idToken = client.idToken.rawValue
        consent = client.consent.rawValue
        pkce = (client.needsChallenge ? ChallengeMode.required : .optional).rawValue
    }
}
