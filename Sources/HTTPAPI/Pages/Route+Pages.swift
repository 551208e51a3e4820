import ErrorCodes
import TenureAPI

/// The endpoints of the pages. They are no part of the contract: people open them, programs do not.
extension Endpoint {
    static let readPageAsset = Endpoint(page: "GET", "/assets/{hash}/{file}", "Give a file that pages load")
    static let showConsent = Endpoint(page: "GET", "/consent/{flow}", "Ask a person for consent to a client")
    static let answerConsent = Endpoint(page: "POST", "/consent/{flow}", "Take the answer to the question for consent")
    static let showLogOut = Endpoint(page: "GET", "/logout/confirm/{flow}", "Ask a person before a log-out")
    static let confirmLogOut = Endpoint(page: "POST", "/logout/confirm/{flow}", "Log a person out who confirmed it")

    static let showLogIn = Endpoint(page: "GET", "/login", "Ask who logs in")
    static let beginLogIn = Endpoint(page: "POST", "/login", "Begin a log-in in a browser")
    static let showKey = Endpoint(page: "GET", "/flow/{flow}/key", "Let the browser sign the challenge of its flow")
    static let proveBrowserKey = Endpoint(page: "POST", "/flow/{flow}/key", "Take the browser's signature")
    static let showAnswers = Endpoint(page: "GET", "/flow/{flow}/answers", "Ask for answers")
    static let giveAnswers = Endpoint(page: "POST", "/flow/{flow}/answers", "Take answers")
    static let showPassphrase = Endpoint(page: "GET", "/flow/{flow}/passphrase", "Ask for the passphrase")
    static let givePassphrase = Endpoint(page: "POST", "/flow/{flow}/passphrase", "Take the passphrase")
    static let showClaim = Endpoint(page: "GET", "/flow/{flow}/address", "Show how to claim an address")
    static let claimAddress = Endpoint(page: "POST", "/flow/{flow}/address", "Claim the address of a registration")
    static let proveClaim = Endpoint(page: "POST", "/flow/{flow}/address/code", "Take the code of a claimed address")
    static let showAccounts = Endpoint(page: "GET", "/accounts/{flow}", "Ask which account a client gets")
    static let chooseAccount = Endpoint(page: "POST", "/accounts/{flow}", "Take the account that a client gets")

    static let goOn = Endpoint(page: "GET", "/answer/{flow}", "Lead a browser to the client, or to the next page")
}

extension Route {
    private static let readPageAsset = Route(page: .readPageAsset) { exchange in
        let (hash, file) = (exchange.captures["hash"], exchange.captures["file"])
        if let own = PageFrame.current.brand.reply(hash: hash, file: file) { return own }
        guard let asset = PageAsset(rawValue: file), asset.hash == hash else { throw Refusal(.routeUnknown) }
        return asset.reply
    }

    /// The routes of the pages. A service that serves no pages has only what the pages behind links in mails use.
    static func pages(_ configuration: HTTPConfiguration, _ waiting: WaitingStreams) -> [Route] {
        guard configuration.servesPages else { return [readPageAsset, armPage, chooseLanguage] }
        let pages =
            [showConsent, answerConsent, showAddressOffer, answerAddressOffer, showLogOut, confirmLogOut]
            + ofLogInByAddress + ofLogIn + ofRegistration + ofAccount + ofWaiting(waiting)
        return [readPageAsset, armPage, chooseLanguage] + pages.map(\.whileEnabled)
    }

    /// The route as long as the operator has enabled the pages. Otherwise every page says that they are disabled, in
    /// all processes at once.
    private var whileEnabled: Route {
        Route(page: endpoint, body: body) { [respond] exchange in
            var exchange = exchange
            exchange.foundPagesApp = try await exchange.pagesApp()
            return try await respond(exchange)
        }
    }
}
