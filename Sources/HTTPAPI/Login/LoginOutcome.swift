import IdentityService
import TenureAPI

/// What came of a log-in, as the metrics count it.
enum LoginOutcome: String, Sendable, CaseIterable {
    /// A session was opened.
    case success
    /// Everything was proved, but nobody has authorized the device key yet.
    case authorizationPending = "authorization_pending"
    /// A step was refused.
    case refused
    /// A step could not be taken: too many requests, no place, or no database.
    case failed

    /// The outcome of a step; `nil` if the log-in goes on.
    init?(_ answer: FlowOutcomeResponse) {
        switch answer {
        case .success: self = .success
        case .authorizationPending: self = .authorizationPending
        case .setCredentials, .validateAnswers, .validatePassphrase: return nil
        }
    }

    /// The outcome that a reply ends a log-in with; `nil` for other replies, and for those that repeat an earlier one.
    init?(_ trace: Trace, _ reply: Reply) {
        let isOfLogin = trace.route.hasPrefix(Endpoint.startLogin.template.text)
        // The pages of all flows share their paths: the reply alone knows that it is about a log-in.
        let isOfPage = trace.family == .page && reply.login != nil
        guard isOfLogin || isOfPage, !reply.isRepeated else { return nil }
        if let outcome = reply.login {
            self = outcome
        } else if reply.code != nil {
            self = reply.status == 429 || reply.status >= 500 ? .failed : .refused
        } else {
            return nil
        }
    }
}
