extension Route {
    static var ofLogIn: [Route] {
        beginLogIns + logInByPasskey + [
            issuePasskeyChallenge, showPasskeyEndpoints,
            showKey, proveBrowserKey, showAnswers, giveAnswers, showPassphrase, givePassphrase, showClaim,
            claimAddress, proveClaim, showAccounts, chooseAccount, goOn,
        ]
    }
}
