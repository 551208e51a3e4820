import TenureAPI

extension Route {
    /// The routes of the log-in pages.
    static var ofLogIn: [Route] {
        beginning(.showLogIn, .beginLogIn) { try await LogInPage($0) } + [
            showKey, proveBrowserKey, showAnswers, giveAnswers, showPassphrase, givePassphrase, showClaim,
            claimAddress, proveClaim, showAccounts, chooseAccount, goOn,
        ]
    }
}
