import TenureAPI

extension Route {
    /// The routes of the log-in pages.
    static var ofLogIn: [Route] {
        // First, because `/login/{flow}` would take its path.
        logInByPasskey + beginLogIns + [
            issuePasskeyChallenge, showPasskeyEndpoints,
            showKey, proveBrowserKey, showAnswers, giveAnswers, showPassphrase, givePassphrase, showClaim,
            claimAddress, proveClaim, showAccounts, chooseAccount, goOn,
        ]
    }
}
