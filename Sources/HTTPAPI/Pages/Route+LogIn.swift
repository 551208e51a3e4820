import TenureAPI

extension Route {
    /// The routes of the log-in pages.
    static var ofLogIn: [Route] {
        beginLogIns + logInByPasskey + [
            issuePasskeyChallenge, showPasskeyEndpoints,
            showKey, proveBrowserKey, showAnswers, giveAnswers, showPassphrase, givePassphrase, showClaim,
            claimAddress, proveClaim, showAccounts, chooseAccount, goOn,
        ]
    }
}
