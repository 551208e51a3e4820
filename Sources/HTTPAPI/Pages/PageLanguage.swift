/// A language of the pages.
enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"

    /// The first language that the pages have, of `ui_locales` and then of `Accept-Language`; English without one.
    ///
    /// - Parameters:
    ///   - locales: The language tags of the authorization request (OpenID Connect Core, section 3.1.2.1), best first.
    ///   - accepted: The language ranges of the browser, best first.
    init(locales: [String] = [], accepted: [String]) {
        let primary = (locales + accepted).lazy.compactMap { $0.lowercased().split(separator: "-").first }
        self = primary.compactMap { PageLanguage(rawValue: String($0)) }.first ?? .english
    }
}
