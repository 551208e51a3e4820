import IdentityService
import TenureAPI

/// A browser's request for a page: the cookie alone tells who is there, never a bearer token.
struct PageVisit: Sendable {
    let exchange: RoutedRequest

    /// The value of the cookie; `nil` without one.
    var cookie: String? { exchange.cookie.value(in: exchange.headers) }

    /// The language of a page.
    ///
    /// - Parameter locales: The language tags of the stored request.
    func language(_ locales: [String] = []) -> PageLanguage {
        PageLanguage(locales: locales, accepted: exchange.headers.preferredLanguages)
    }

    /// The browser session with its cookie; `nil` without one in force.
    func session() async throws -> (browser: BrowserSession, cookie: String)? {
        guard let cookie, let browser = try await exchange.run(FindBrowserSession(cookie: cookie)) else { return nil }
        return (browser, cookie)
    }

    /// A sentence that says which account is logged in.
    func account(_ browser: BrowserSession, in language: PageLanguage) async throws -> String {
        let account = try await exchange.run(ReadMe(caller: browser.caller))
        guard let id = account.companyEmployeeId else {
            return PageWord("account.nameless").text(in: language, "", account.companyName)
        }
        return PageWord("account.loggedIn").text(in: language, id, account.companyName)
    }

    func reply(_ notice: PageNotice) throws -> Reply {
        try notice.page(in: language(), requestId: exchange.call.requestId).reply()
    }
}
