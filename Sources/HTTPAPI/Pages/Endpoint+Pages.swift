import TenureAPI

/// The endpoints of the pages. They are no part of the contract: people open them, programs do not.
extension Endpoint {
    static let readPageAsset = Endpoint(
        "GET", "/assets/{hash}/{file}", .anyone, "Give a file that pages load")
    static let showConsent = Endpoint("GET", "/consent", .anyone, "Ask a person for consent to a client")
    static let answerConsent = Endpoint("POST", "/consent", .anyone, "Take the answer to the question for consent")
    static let showLogOut = Endpoint("GET", "/logout/confirm", .anyone, "Ask a person before a log-out")
    static let confirmLogOut = Endpoint("POST", "/logout/confirm", .anyone, "Log a person out who confirmed it")

    /// All endpoints of the pages.
    static let ofPages: [Endpoint] = [readPageAsset, showConsent, answerConsent, showLogOut, confirmLogOut]

    /// Whether a path is that of a page, whatever the method is, so that a refusal is a page too.
    static func isPage(path: some StringProtocol) -> Bool {
        guard let segments = PathTemplate.segments(of: path) else { return false }
        return ofPages.contains { $0.template.match(segments) != nil }
    }
}
