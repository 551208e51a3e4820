import ErrorCodes
import TenureAPI

/// What a refusal tells a caller about the credentials that it needs: the value of `WWW-Authenticate`
/// (RFC 9110 §11.6.1, RFC 6750 §3, RFC 9470 §3).
struct AuthenticationChallenge: Sendable {
    /// The callers that the endpoint accepts.
    let access: Endpoint.Access
    /// The credentials that the request carried.
    let presented: PresentedCredentials

    private static let basic = #"Basic realm="tenure", charset="UTF-8""#
    private static let bearer = #"Bearer realm="tenure""#
    /// The age of a log-in that is recent enough for every decision, in seconds.
    private static let recentLogin = 600

    /// Returns the value for a refusal, or `nil` if other credentials would not help.
    func text(_ code: ErrorCode, status: Int) -> String? {
        switch status {
        case 401:
            switch access {
            case .anyone: Self.bearer
            case .app: Self.basic
            case .employee: Self.bearer + refused(code)
            case .appOrEmployee: Self.basic + ", " + Self.bearer + refused(code)
            }
        case 403: insufficient(code).map { Self.bearer + $0 }
        default: nil
        }
    }

    /// The parameters for a token that was refused. A request without one gets none (RFC 6750 §3.1).
    private func refused(_ code: ErrorCode) -> String {
        switch presented {
        case .bearer: Self.parameters("invalid_token", code.title)
        case .garbled(bearer: true):
            Self.parameters("invalid_token", "The Authorization header is malformed or sent twice")
        case .missing, .basic, .garbled: ""
        }
    }

    /// The parameters for a valid token whose session does not suffice.
    private func insufficient(_ code: ErrorCode) -> String? {
        guard access == .employee || access == .appOrEmployee, case .bearer = presented else { return nil }
        return switch code {
        case .authorizationNotPermitted: Self.parameters("insufficient_scope", code.title)
        case .sessionLoginRequired:
            Self.parameters("insufficient_user_authentication", code.title) + ", max_age=\"\(Self.recentLogin)\""
        default: nil
        }
    }

    /// The titles of codes are ASCII without quotes and backslashes, as RFC 6750 §3 asks of a description.
    private static func parameters(_ error: String, _ description: String) -> String {
        ", error=\"\(error)\", error_description=\"\(description)\""
    }
}
