import ErrorCodes
import IdentityService
import TenureAPI

/// The language that a browser remembers: the one that its reader chose, or that of the last page.
struct LanguageCookie: Sendable {
    /// How long a choice is remembered, in seconds.
    static let year = 31_536_000
    /// What stands behind a language that nobody chose.
    private static let mark = "~"

    private let field: BrowserCookieField
    /// What the reader chose; `nil` without a choice.
    let chosen: PageLanguage?
    /// The language of the last page, if it was not that of the browser.
    let shown: PageLanguage?

    /// - Parameter publicURL: The public origin of the service; empty if not configured.
    init(publicURL: String, _ headers: RequestHeaders) {
        field = BrowserCookieField("-language", publicURL: publicURL)
        let value = field.value(in: headers) ?? ""
        chosen = PageLanguage(rawValue: value)
        shown = value.hasSuffix(Self.mark) ? PageLanguage(rawValue: String(value.dropLast())) : nil
    }

    /// The language of a page: the chosen one, that of the client's request, that of the last page, or the browser's.
    ///
    /// - Parameter locales: The language tags of the stored request, best first.
    func language(for headers: RequestHeaders, locales: [String] = []) -> PageLanguage {
        let own = chosen.map { [$0.rawValue] } ?? locales + (shown.map { [$0.rawValue] } ?? [])
        return PageLanguage(locales: own, accepted: headers.preferredLanguages)
    }

    /// The field that remembers a choice.
    func choosing(_ language: PageLanguage) -> String { field.setting(language.rawValue, seconds: Self.year) }

    /// The field that keeps the language of a page for the next ones; `nil` if they have it anyway.
    func keeping(_ page: String?, _ headers: RequestHeaders) -> String? {
        guard chosen == nil, let page = page.flatMap({ PageLanguage(rawValue: $0) }), page != language(for: headers)
        else { return nil }
        return field.setting(page.rawValue + Self.mark)
    }
}

extension Endpoint {
    static let chooseLanguage = Endpoint(page: "GET", "/language", "Remember the language of a reader")
}

extension Route {
    /// `GET /language`: remembers a language, and goes back to the page that it was chosen on.
    static let chooseLanguage = Route(page: .chooseLanguage) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let back = query.text("to").flatMap { $0.isOwnPath ? $0 : nil } ?? "/"
        guard let language = query.text("tag").flatMap({ PageLanguage(rawValue: $0) }) else {
            throw Refusal(.routeUnknown)
        }
        let visit = PageVisit(exchange: exchange)
        var reply = Reply.seeOther(back)
        reply.cookies = [visit.languageCookie.choosing(language)]
        // Another site may lead a browser here, but it changes nobody's mails.
        if exchange.isSaidFromHere, let cookie = visit.cookie {
            _ = try await exchange.run(
                ChooseLanguage(.inBrowser(cookie: cookie), chosen: language.rawValue, shown: language.rawValue))
        }
        return reply
    }
}

extension PageVisit {
    var languageCookie: LanguageCookie { LanguageCookie(publicURL: exchange.publicURL, exchange.headers) }

    /// The language of mails that a page causes.
    var languages: [String] { [language().rawValue] }

    /// Keeps the language of a browser with the person who has just logged in there, and the person's in the browser.
    func keepLanguage(of person: EmployeeSummaryResponse) async throws -> [String] {
        let cookie = languageCookie, shown = language()
        let kept = try await exchange.run(
            ChooseLanguage(
                .loggedIn(employee: person.employeeId, tenant: person.tenantId), chosen: cookie.chosen?.rawValue,
                shown: shown.rawValue))
        guard cookie.chosen == nil, let kept, kept != shown.rawValue else { return [] }
        return PageLanguage(rawValue: kept).map { [cookie.choosing($0)] } ?? []
    }
}

extension String {
    /// Whether the text is a path of this service, with or without a query, and never an address elsewhere.
    fileprivate var isOwnPath: Bool {
        hasPrefix("/") && !hasPrefix("//") && utf8.count <= 2_048
            && utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    }
}
