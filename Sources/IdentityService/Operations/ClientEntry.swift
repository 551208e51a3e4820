import ErrorCodes
import Identity

/// What the operator registers about an app as a client of the OpenID provider, as typed.
package struct ClientEntry: Sendable, Equatable {
    /// The URIs to which an authorization may be answered.
    package var redirects: [String]
    /// The URIs to which the browser may be sent after a log-out.
    package var postLogout: [String]
    /// The origins whose scripts may call the endpoints of tokens.
    package var origins: [String]
    /// The names of the tenants whose people the client takes; `nil` for those of any tenant that links it.
    package var tenants: [String]?
    /// Whether the client cannot keep a secret.
    package var isPublic: Bool
    /// The algorithm of its ID tokens, `RS256` or `ES256`.
    package var idToken: String
    /// When people are asked: `none`, `once` or `always`.
    package var consent: String
    /// Whether a client with a secret must use PKCE: `required` or `optional`.
    package var pkce: String

    package init(
        redirects: [String], postLogout: [String] = [], origins: [String] = [], tenants: [String]? = [],
        isPublic: Bool = false, idToken: String = "RS256", consent: String = "none",
        pkce: String = "optional"
    ) {
        self.redirects = redirects
        self.postLogout = postLogout
        self.origins = origins
        self.tenants = tenants
        self.isPublic = isPublic
        self.idToken = idToken
        self.consent = consent
        self.pkce = pkce
    }
}

extension ClientEntry {
    /// The redirect URIs at which any program of a person's machine may get an answer; see ``ClientRegistration``.
    package var unassuredRedirects: [String] { isPublic ? redirects.filter { !$0.hasPrefix("https:") } : [] }

    func registration(_ tenants: [TenantID]) throws(ValueError) -> ClientRegistration {
        var uris: [ClientURI] = [], ends: [ClientURI] = [], pages: [ClientOrigin] = []
        for text in redirects { uris.append(try ClientURI(text)) }
        for text in postLogout { ends.append(try ClientURI(text, field: "postLogout")) }
        for text in origins { pages.append(try ClientOrigin(text)) }
        guard let idToken = IDTokenAlgorithm(rawValue: idToken) else {
            throw ValueError(.requestInvalid, field: "idToken", reason: "RS256 or ES256 is expected")
        }
        guard let consent = ConsentMode(rawValue: consent) else {
            throw ValueError(.requestInvalid, field: "consent", reason: "none, once or always is expected")
        }
        guard let challenge = ChallengeMode(rawValue: pkce) else {
            throw ValueError(.requestInvalid, field: "pkce", reason: "required or optional is expected")
        }
        return try ClientRegistration(
            redirects: uris, postLogout: ends, origins: pages, tenants: tenants, anyTenant: self.tenants == nil,
            isPublic: isPublic, idToken: idToken, consent: consent, challenge: challenge)
    }
}
