import ErrorCodes
import IdentityService

/// Why something that a person asked for on a page of the account was not done, with what to do next.
struct AccountProblem: Sendable, Equatable {
    let word: PageWord
    let status: Int
}

extension AccountProblem {
    /// The words of a device were chosen wrongly so often that it can only be refused.
    static let wrongWords = AccountProblem(word: "problem.wrongWords", status: 200)
    /// The words of a recovery's device were chosen wrongly so often that the device gets no recovery.
    static let wrongRecoveryWords = AccountProblem(word: "problem.wrongRecoveryWords", status: 403)

    /// The problem of a refusal; `nil` for one that is not about what the person asked for.
    init?(_ error: ServiceError) {
        let isAboutSignature = error.members.contains {
            $0.place == .pointer("/signature") || $0.place == .pointer("/statement")
        }
        let word: PageWord
        switch error.code {
        case .authorizationNotPermitted: word = isAboutSignature ? "problem.signature" : "problem.notPermitted"
        case .sessionRoleMissing: word = "problem.roleMissing"
        case .authorizationUnknownKey, .recoveryUnknown, .employeeUnknown: word = "problem.gone"
        case .requestStale: word = "problem.stale"
        case .employeeInactive: word = "problem.inactive"
        case .employeeNotApproved: word = "problem.notApproved"
        case .recoveryInProgress: word = "problem.recoveryInProgress"
        case .recoveryOtherCompanies: word = "problem.recoveryOtherCompanies"
        case .emailUnverified: word = "problem.unverified"
        case .requestInvalid: word = "problem.invalid"
        default: return nil
        }
        self.init(word: word, status: error.code.status)
    }
}
