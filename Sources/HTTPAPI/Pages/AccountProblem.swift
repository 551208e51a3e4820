import ErrorCodes
import IdentityService

/// Why something that a person asked for on a page of the account was not done, with what to do next.
struct AccountProblem: Sendable, Equatable {
    let word: PageWord
    let status: Int
}

extension AccountProblem {
    /// The words of a device were chosen wrongly so often that it can only be refused.
    static let wrongWords = AccountProblem(word: .problemWrongWords, status: 200)

    /// The problem of a refusal; `nil` for one that is not about what the person asked for.
    init?(_ error: ServiceError) {
        let isAboutSignature = error.members.contains {
            $0.place == .pointer("/signature") || $0.place == .pointer("/statement")
        }
        let word: PageWord
        switch error.code {
        case .authorizationNotPermitted: word = isAboutSignature ? .problemSignature : .problemNotPermitted
        case .authorizationUnknownKey, .recoveryUnknown, .employeeUnknown: word = .problemGone
        case .requestStale: word = .problemStale
        case .employeeInactive: word = .problemInactive
        case .emailUnverified: word = .problemUnverified
        case .requestInvalid: word = .problemInvalid
        default: return nil
        }
        self.init(word: word, status: error.code.status)
    }
}
