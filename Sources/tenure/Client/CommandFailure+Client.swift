import ArgumentParser
import TenureAPI
import TenureClient

extension CommandFailure {
    /// What a client's error means to the person at the terminal.
    static func client(_ error: TenureClientError) -> CommandFailure {
        CommandFailure(exitCode(error.kind), message(error), remedy: remedy(error))
    }

    private static func exitCode(_ kind: TenureClientError.Kind) -> ExitCode {
        switch kind {
        case .companyUnknown, .employeeUnknown, .authorizationUnknownKey, .appNotLinked, .recoveryUnknown:
            .notFound
        case .appUnknown, .appSecretInvalid, .sessionExpired, .sessionInvalid, .answersIncorrect, .passphraseIncorrect,
            .appRoleMissing, .authorizationNotPermitted, .employeeInactive, .employeeNotApproved, .policyBlindOnly,
            .notLoggedIn, .signingRefused, .credentialsChanged, .recoveryOtherCompanies:
            .notPermitted
        case .requestInvalid, .companyNameMissing, .employeeIdMissing, .employeeKeyInvalid, .emailMissing,
            .emailInvalid, .fiveQuestionsRequired, .credentialsIncomplete, .atLeastThreeAnswersRequired,
            .passphraseMissing, .questionsAlike, .textTooLong, .textInvalid, .questionTwice, .questionUnknown,
            .addressInvalid, .baseURLMissing, .promptRequired, .promptUnavailable:
            .usage
        case .connectionLost, .serviceUnavailable: .unreachable
        case .serviceBusy, .rateLimited, .credentialsLocked, .idempotencyInProgress: .busy
        case .cancelled: .cancelled
        default: .failure
        }
    }

    private static func message(_ error: TenureClientError) -> String {
        guard let problem = error.problem else { return words[error.kind] ?? error.code.rawValue }
        let details = problem.errors.map(\.detail).joined(separator: ", ")
        return "\(problem.title) (\(problem.code))" + (details.isEmpty ? "" : ": \(details)")
    }

    private static func remedy(_ error: TenureClientError) -> String? {
        if let wait = error.retryAfter {
            return "Try again in \(ProgressText.time(wait)). The request was \(error.requestId ?? "")."
        }
        if let problem = error.problem { return "\(problem.detail) The request was \(problem.requestId)." }
        switch error.kind {
        case .connectionLost: return "Is TENURE_URL right, and is the service running?"
        case .promptUnavailable:
            return "Answers and passphrases are typed at a terminal; they are taken from nowhere else."
        case .credentialsChanged:
            return "If you did not change them, tell whoever operates the service: nothing was entered or signed."
        case .notLoggedIn: return "tenure client login"
        case .keyFileInvalid, .storageFailed:
            return "The files and directories of --data-directory must be yours alone: chmod -R go= helps."
        default: return nil
        }
    }

    private static let words: [TenureClientError.Kind: String] = [
        .connectionLost: "the service cannot be reached",
        .responseInvalid: "what answered is no Tenure service",
        .signingRefused: "nothing was signed: what was entered is not right, or the service is not the one it was",
        .credentialsChanged: "the credentials are not those that this device knows",
        .pinInvalid: "what this device remembers of the credentials cannot be read",
        .keyFileInvalid: "the device's key cannot be read, or others could read it",
        .storageFailed: "the session cannot be kept, or others could read it",
        .promptUnavailable: "standard input is no terminal",
        .notLoggedIn: "nobody is logged in on this device",
        .recoveryUnknown: "no such recovery is open",
        .modeUnavailable: "the mode that is asked for is not available",
    ]
}
