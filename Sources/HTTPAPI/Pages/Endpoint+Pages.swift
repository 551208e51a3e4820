import TenureAPI

/// The endpoints of the pages. They are no part of the contract: people open them, programs do not.
extension Endpoint {
    static let readPageAsset = Endpoint(
        "GET", "/assets/{hash}/{file}", .anyone, "Give a file that pages load")
    static let showConsent = Endpoint("GET", "/consent/{flow}", .anyone, "Ask a person for consent to a client")
    static let answerConsent = Endpoint(
        "POST", "/consent/{flow}", .anyone, "Take the answer to the question for consent")
    static let showLogOut = Endpoint("GET", "/logout/confirm/{flow}", .anyone, "Ask a person before a log-out")
    static let confirmLogOut = Endpoint("POST", "/logout/confirm/{flow}", .anyone, "Log a person out who confirmed it")

    static let showLogIn = Endpoint("GET", "/login", .anyone, "Ask who logs in")
    static let beginLogIn = Endpoint("POST", "/login", .anyone, "Begin a log-in in a browser")
    static let showKey = Endpoint("GET", "/flow/{flow}/key", .anyone, "Let the browser sign the challenge of its flow")
    static let proveBrowserKey = Endpoint("POST", "/flow/{flow}/key", .anyone, "Take the browser's signature")
    static let showAnswers = Endpoint("GET", "/flow/{flow}/answers", .anyone, "Ask for answers")
    static let giveAnswers = Endpoint("POST", "/flow/{flow}/answers", .anyone, "Take answers")
    static let showPassphrase = Endpoint("GET", "/flow/{flow}/passphrase", .anyone, "Ask for the passphrase")
    static let givePassphrase = Endpoint("POST", "/flow/{flow}/passphrase", .anyone, "Take the passphrase")
    static let showAccounts = Endpoint("GET", "/accounts/{flow}", .anyone, "Ask which account a client gets")
    static let chooseAccount = Endpoint("POST", "/accounts/{flow}", .anyone, "Take the account that a client gets")

    static let goOn = Endpoint("GET", "/answer/{flow}", .anyone, "Lead a browser to the client, or to the next page")

    /// The endpoints of the log-in pages.
    private static let ofLogIn: [Endpoint] = [
        showLogIn, showLogIn.inFlow, beginLogIn, beginLogIn.inFlow, showKey, proveBrowserKey, showAnswers, giveAnswers,
        showPassphrase, givePassphrase,
        showAccounts, chooseAccount, goOn,
    ]

    /// All endpoints of the pages.
    static let ofPages: [Endpoint] =
        [readPageAsset, armPage, showConsent, answerConsent, showLogOut, confirmLogOut] + ofLogIn + ofLogInByAddress
        + ofRegistration + ofAccount + ofWaiting

    /// Whether a browser opens a path: a page, or an endpoint that clients send browsers to.
    static func isForBrowsers(path: some StringProtocol) -> Bool {
        guard let segments = PathTemplate.segments(of: path) else { return false }
        return (ofPages + [authorize, logOut]).contains { $0.template.match(segments) != nil }
    }

    /// Whether a path is that of a page, whatever the method is, so that a refusal is a page too.
    static func isPage(path: some StringProtocol) -> Bool {
        guard let segments = PathTemplate.segments(of: path) else { return false }
        return ofPages.contains { $0.template.match(segments) != nil }
    }
}
