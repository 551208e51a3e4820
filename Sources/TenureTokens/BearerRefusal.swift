public import AccessTokens

/// The answer to a request whose access token was not accepted (RFC 6750 §3).
///
/// ```swift
/// response.status = refusal.status
/// response.headers["WWW-Authenticate"] = refusal.challenge
/// ```
public struct BearerRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// Why the token was not accepted.
    public enum Reason: Sendable, Equatable {
        /// The request has no bearer token.
        case missing
        /// The header names the scheme `Bearer`, but no token follows, or more than one word.
        case unreadable
        /// The token was refused.
        case invalid(AccessTokenError)
        /// The issuer's keys cannot be had. The token may be good.
        case unavailable(TokenIssuerError)
    }

    /// Why the token was not accepted.
    public let reason: Reason
    let audience: String

    /// The status to answer with: 401, 400 if the header is unreadable, 503 if the issuer's keys cannot be had.
    public var status: Int {
        switch reason {
        case .missing, .invalid: 401
        case .unreadable: 400
        case .unavailable: 503
        }
    }

    /// The value of `WWW-Authenticate`, or `nil` if the issuer's keys cannot be had. It repeats nothing of the request.
    public var challenge: String? {
        let scheme = "Bearer realm=\"\(audience)\""
        return switch reason {
        case .missing: scheme
        case .unreadable: "\(scheme), error=\"invalid_request\", error_description=\"\(description)\""
        case .invalid: "\(scheme), error=\"invalid_token\", error_description=\"\(description)\""
        case .unavailable: nil
        }
    }

    /// What happened and what to do next, in English. Show it, except for ``Reason/unavailable(_:)``, which is for a log.
    public var description: String {
        switch reason {
        case .missing: "The request has no access token. Send it as Authorization: Bearer."
        case .unreadable: "The Authorization header is not readable. Send Bearer, a space and one access token."
        case .invalid(let error): error.description
        case .unavailable(let error): error.description
        }
    }
}
