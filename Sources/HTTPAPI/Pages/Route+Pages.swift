import ErrorCodes
import TenureAPI

extension Route {
    /// `GET /assets/{hash}/{file}`.
    private static let readPageAsset = Route(page: .readPageAsset) { exchange in
        let (hash, file) = (exchange.captures["hash"], exchange.captures["file"])
        guard let asset = PageAsset(rawValue: file), asset.hash == hash else { throw Refusal(.routeUnknown) }
        return asset.reply
    }

    /// The routes of the pages. A service without the pages app has only what the pages behind links in mails use.
    static func pages(_ configuration: HTTPConfiguration) -> [Route] {
        guard configuration.servesPages else { return [readPageAsset, armPage] }
        return [
            readPageAsset, armPage, showConsent, answerConsent, showLogOut, confirmLogOut,
        ] + ofLogInByAddress + ofLogIn + ofRegistration + ofAccount
            + ofWaiting(WaitingStreams(now: configuration.now))
    }
}
