import HTTPTypes
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// The choice of a language at the foot of pages.
@Suite(.timeLimit(.minutes(5))) struct LanguageCookieTests {
    private static func path(_ tag: String, _ back: String) -> String {
        let query = FormEncoding.encode([("tag", tag), ("to", back)])
        return "/language?" + String(decoding: query, as: UTF8.self)
    }

    private func cookies(_ answer: API.Answer) -> [String] { answer.fields[values: .setCookie] }

    @Test func `a page links to itself in each language, and says which one it has`() async throws {
        let page = try await Browser.with { try await $0.get("/login?x=1", [("Accept-Language", "de")]) }
        #expect(page.text.contains("lang=\"de\" translate=\"no\" class=\"language\" aria-current=\"true\">Deutsch"))
        let french = Self.path("fr", "/login?x=1").replacing("&", with: "&amp;")
        #expect(page.text.contains(french) || page.text.contains(Self.path("fr", "/login?x=1")), "\(page.text)")
    }

    @Test func `a refusal leads back to no query, which may be a stranger's`() async throws {
        try await Browser.with { browser in
            let html = [("Accept", "text/html")]
            let plain = try await browser.get("/nowhere", html)
            #expect(plain.status == 404 && plain.text.matches(of: /class="language"/).count == 3)
            let refused = try await browser.get("/nowhere?x=evil", html)
            #expect(refused.status == 404 && !refused.text.contains("evil"))
            #expect(!refused.text.contains("class=\"language\"") && !refused.text.contains("<nav"))
        }
    }

    @Test func `a choice is remembered, and comes before all that programs say`() async throws {
        var service = FakeService()
        service.pending = FakeService.pending(locales: ["de"])
        try await Browser.with(service) { browser in
            let chosen = try await browser.get(Self.path("fr", "/login"))
            #expect(chosen.status == 303 && chosen.header("Location") == "/login")
            #expect(cookies(chosen).contains { $0.hasPrefix("__Host-tenure-language=fr; Max-Age=31536000") })
            let fields = [("Cookie", "__Host-tenure-language=fr"), ("Accept-Language", "de")]
            let page = try await browser.get("/login", fields)
            #expect(page.header("Content-Language") == "fr" && !cookies(page).contains { $0.contains("language") })
            let refused = try await browser.get("/nowhere", fields + [("Accept", "text/html")])
            #expect(refused.header("Content-Language") == "fr")
        }
    }

    @Test(arguments: ["//evil.example", "https://evil.example", "/\\evil.example", "", "login", "/a\r\nX: y"])
    func `a choice leads to no other site`(_ back: String) async throws {
        let chosen = try await Browser.with { try await $0.get(Self.path("de", back)) }
        #expect(chosen.status == 303 && chosen.header("Location") == "/")
    }

    @Test func `another language is none, and another site changes nobody's mails`() async throws {
        let service = FakeService()
        try await Browser.with(service) { browser in
            #expect(try await browser.get(Self.path("xx", "/")).status == 404)
            let foreign = try await browser.get(Self.path("de", "/"), [("Sec-Fetch-Site", "cross-site")])
            #expect(foreign.status == 303)
        }
    }

    @Test func `a language that no choice caused stays for the next page, and gives way to a choice`() throws {
        func cookie(_ value: String?) -> (LanguageCookie, RequestHeaders) {
            var fields = HTTPFields()
            if let value { fields[.cookie] = "tenure-language=\(value)" }
            fields[.acceptLanguage] = "en"
            let headers = RequestHeaders(fields: fields)
            return (LanguageCookie(publicURL: "", headers), headers)
        }
        let (fresh, headers) = cookie(nil)
        #expect(fresh.language(for: headers, locales: ["de"]) == .german && fresh.language(for: headers) == .english)
        #expect(fresh.keeping("de", headers)?.hasPrefix("tenure-language=de~; Path=/") == true)
        #expect(fresh.keeping("en", headers) == nil && fresh.keeping(nil, headers) == nil)
        let (kept, later) = cookie("de~")
        #expect(
            kept.chosen == nil && kept.language(for: later) == .german
                && kept.language(for: later, locales: ["fr"]) == .french)
        let (chosen, last) = cookie("fr")
        #expect(chosen.language(for: last, locales: ["de"]) == .french && chosen.keeping("de", last) == nil)
        #expect(cookie("xx").0.language(for: headers) == .english && cookie("~").0.shown == nil)
    }
}
