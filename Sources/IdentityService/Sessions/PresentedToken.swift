import AccessTokens
import Canonical

/// What a text is that was sent as an access token. The text alone tells, so it says nothing about what is in force.
package enum PresentedToken: Sendable, Hashable {
    /// An access token of the service's own API, or for a resource.
    case accessToken
    case idToken
    case other

    package init(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
            Base64URL.decode(String(part)).flatMap { try? StrictJSON.parse($0) }
        }
        self =
            if UnverifiedAccessToken(text) != nil {
                .accessToken
            } else if parts.count == 3, parts[0]?["typ"] == "JWT", parts[1]?["sub"] != nil { .idToken } else { .other }
    }
}
