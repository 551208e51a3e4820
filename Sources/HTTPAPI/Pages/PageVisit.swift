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
        // The link of a mail names the language of the mail.
        let linked = exchange.rawQuery.split(separator: "&").filter { $0.hasPrefix("language=") }
        return languageCookie.language(
            for: exchange.headers, locales: locales + linked.map { String($0.dropFirst("language=".count)) })
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
        if notice.status == 403 { notice.note() }
        return try notice.page(in: language(), requestId: exchange.call.requestId).reply()
    }

    /// The page about an authorization request that nobody may be sent on with.
    ///
    /// - Parameter form: The request, of which the page shows what is not registered.
    func reply(refusing notice: PageNotice, sent form: FormReader? = nil) throws -> Reply {
        let language = language()
        let shown = notice == .malformed ? [] : form.map { SentParameter.all($0, in: language) } ?? []
        var reply = try notice.page(in: language, requestId: exchange.call.requestId, sent: shown).reply()
        reply.openID = .refused("invalid_request")
        return reply
    }
}
