import ErrorCodes

/// A reason for `session.invalid`, in words for the caller.
///
/// A sentence follows from the text of the token alone, or holds for every token that the service does not know: so
/// nobody learns from it which sessions exist.
enum TokenFault: String, Sendable, CaseIterable {
    case notAnAccessToken = "the text is not an access token of this service"
    case refreshForAccess = "a refresh token was sent: send the access token, or refresh the session first"
    /// The token is for another service.
    case ofResource = "the token is for a resource and opens nothing here: send the access token of the session"
    /// The token is one of an OpenID client's grant.
    case ofGrant =
        "an access token of an OpenID client was sent: it is for /oauth/userinfo; send the access token of the session"
    /// The caller sent what tells a client about a log-in.
    case idToken = "an ID token was sent, which opens nothing: send the access token of the session"
    /// The token is not the present one of a session. Which of the reasons holds, only a signature would tell.
    case replacedOrEnded =
        "the token is not valid, replaced, or its session has ended: send the session's latest access token"
    case notARefreshToken = "the text is not a refresh token of this service"
    case accessForRefresh = "an access token was sent: send the refresh token"
    /// The session of the refresh token is over.
    case sessionEnded = "the session of the refresh token has ended: log in again"

    /// Where the caller sent the token.
    private var place: ServiceError.Member.Place {
        switch self {
        case .notAnAccessToken, .refreshForAccess, .ofResource, .ofGrant, .idToken, .replacedOrEnded:
            .header("Authorization")
        case .notARefreshToken, .accessForRefresh, .sessionEnded: .pointer("/refreshToken")
        }
    }

    /// The fault as a member of a refusal.
    fileprivate var member: ServiceError.Member { ServiceError.Member(place, detail: rawValue) }
}

extension ServiceError {
    /// `session.invalid` with its reason.
    init(_ fault: TokenFault) { self.init(.sessionInvalid, members: [fault.member]) }
}
