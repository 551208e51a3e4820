import ErrorCodes
import TenureAPI

extension Route {
    /// The routes of the pages; none in a service without the pages app.
    static func pages(_ configuration: HTTPConfiguration) -> [Route] {
        guard configuration.servesPages else { return [] }
        return [
            Route(page: .readPageAsset) { exchange in
                let (hash, file) = (exchange.captures["hash"], exchange.captures["file"])
                guard let asset = PageAsset(rawValue: file), asset.hash == hash else { throw Refusal(.routeUnknown) }
                return asset.reply
            },
            showConsent, answerConsent, showLogOut, confirmLogOut,
        ] + ofLogIn + ofLogInByAddress + ofRegistration + ofAccount
            + ofWaiting(WaitingStreams(now: configuration.now))
    }
}
