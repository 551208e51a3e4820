import ErrorCodes
import HTTPTypes
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// What every page is like, whatever it shows.
@Suite(.timeLimit(.minutes(5))) struct HostedPageTests {
    private static let consent = Browser.link(
        "/consent/" + FakeService.flowID, to: "/consent/{flow}", FakeService.flowID)
    private static let logOut = "/logout/confirm/" + FakeService.flowID
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

    private func expectPage(
        _ answer: API.Answer, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8", sourceLocation: sourceLocation)
        #expect(answer.header("Content-Security-Policy") == Self.policy, sourceLocation: sourceLocation)
        #expect(answer.header("Cache-Control") == "no-store", sourceLocation: sourceLocation)
        #expect(answer.header("Referrer-Policy") == "no-referrer", sourceLocation: sourceLocation)
        #expect(answer.header("X-Content-Type-Options") == "nosniff", sourceLocation: sourceLocation)
        #expect(answer.text.contains(PageAsset.style.path), sourceLocation: sourceLocation)
    }

    private func with<Value: Sendable>(
        _ service: FakeService = FakeService(), _ work: @Sendable (Browser) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.flow = try FakeService.flow()
            return try await work(browser)
        }
    }

    @Test func `a page has the one policy, although its form leads to a client`() async throws {
        try await with { browser in
            expectPage(try await browser.get(Self.consent), 200)
            expectPage(try await browser.get(Self.logOut), 200)
            expectPage(try await browser.get("/consent/flow-of-another-tab-22"), 410)
        }
    }

    @Test func `the answer to a client is the one page without a rule for forms`() async throws {
        try await with { browser in
            let page = try await browser.get("/answer/" + FakeService.flowID)
            #expect(page.isAnswer, "\(page.text)")
            let cookie = page.fields[values: .setCookie].first
            #expect(cookie?.hasPrefix("__Host-tenure-flow-\(FakeService.flowID)=1.done...") == true)
        }
    }

    private func answer(_ uri: String, _ origin: String?, form: Bool = false) throws -> (html: String, policy: String?)
    {
        let answer = ClientAnswer(
            uri: uri, origin: origin, clientName: "W<i>ki", fields: [.init(name: "code", value: "a\"b")],
            isFormPost: form)
        let reply = try AnswerPage(answer: answer, language: .english).reply()
        return (String(decoding: reply.body, as: UTF8.self), reply.headers["Content-Security-Policy"])
    }

    @Test func `an answer in a form has hidden fields and a button, and no address with a code`() throws {
        let (html, policy) = try answer("https://wiki.example/cb", "https://wiki.example", form: true)
        #expect(html.contains("<form id=\"answer\" method=\"post\" action=\"https://wiki.example/cb\">"))
        #expect(html.contains("<input type=\"hidden\" name=\"code\" value=\"a&quot;b\">"))
        #expect(html.contains("<button type=\"submit\">Go on to W&lt;i&gt;ki</button>"))
        #expect(!html.contains("http-equiv") && !html.contains("?code=") && html.contains(PageAsset.answer.path))
        #expect(policy?.contains("form-action") == false && policy?.contains("frame-ancestors 'none'") == true)
    }

    @Test func `an app is opened by a link alone`() throws {
        let (html, _) = try answer("com.example.app:/cb", nil)
        #expect(html.contains("<a href=\"com.example.app:/cb?code=a%22b\">") && !html.contains("http-equiv"))
    }

    @Test func `a refusal is a page with the request id and what to do next`() async throws {
        let cases: [(ErrorCode, String)] = [
            (.requestRateLimited, "Wait a minute"), (.serviceUnavailable, "in a few minutes"),
            (.serviceBusy, "in a few minutes"), (.requestInvalid, "begin again"),
        ]
        for (code, says) in cases {
            var service = FakeService()
            service.failure = ServiceError(code)
            let answer = try await with(service) { try await $0.get(Self.consent, [("X-Request-Id", "id-1")]) }
            expectPage(answer, code.status)
            let id = "<code translate=\"no\">id-1</code>"
            #expect(answer.text.contains(says) && answer.text.contains(id), "\(answer.text)")
            #expect(answer.header("X-Request-Id") == "id-1")
        }
    }

    @Test func `a refusal before the route is a page too`() async throws {
        try await Browser.with { browser in
            let method = try await browser.api.send("DELETE", Self.consent, authorization: nil)
            expectPage(method, 405)
            #expect(method.header("Allow")?.contains("POST") == true)
            expectPage(try await browser.api.send("POST", Self.consent, authorization: nil, body: "{}"), 415)
            let large = String(repeating: "x", count: 70_000)
            expectPage(try await browser.api.send("POST", Self.consent, authorization: nil, body: large), 413)
        }
    }

    @Test func `a page is in the language of the request, or else of the browser`() async throws {
        var service = FakeService()
        service.pending = FakeService.pending(locales: ["fr-CA"])
        let french = try await with(service) {
            try await $0.get(Self.consent, [("Accept-Language", "de")])
        }
        #expect(french.header("Content-Language") == "fr" && french.text.contains("<html lang=\"fr\""))
        #expect(french.text.contains("Se connecter à Wiki"))
        let german = try await with { try await $0.get(Self.logOut, [("Accept-Language", "de-AT, en;q=0.5")]) }
        #expect(german.header("Content-Language") == "de" && german.text.contains("Abmelden?"))
    }

    @Test func `the style has an address with its hash, which browsers keep`() async throws {
        try await Browser.with { browser in
            let style = try await browser.get(PageAsset.style.path)
            #expect(style.status == 200 && style.bytes == PageAsset.style.bytes)
            #expect(style.header("Content-Type") == "text/css; charset=utf-8")
            #expect(style.header("Cache-Control") == "public, max-age=31536000, immutable")
            #expect(PageAsset.style.path.wholeMatch(of: /\/assets\/[0-9a-f]{32}\/pages\.css/) != nil)
            let zeros = String(repeating: "0", count: 32)
            #expect(try await browser.get("/assets/\(zeros)/pages.css").status == 404)
            #expect(try await browser.get("/assets/\(PageAsset.style.hash)/other.css").status == 404)
        }
    }

    @Test func `the style is small and knows dark, narrow and focus`() {
        let text = String(decoding: PageAsset.style.bytes, as: UTF8.self)
        #expect(text.utf8.count < 20_000)
        let sizes = text.matches(of: /font(?:-size)?: ?([0-9.]+)(?:rem|em)/).compactMap { Double($0.output.1) }
        #expect(!sizes.isEmpty && sizes.allSatisfy { $0 * 16 >= 14 }, "no text is under 14 pixels")
        for part in ["prefers-color-scheme: dark", ":focus-visible", "@media (max-width", "overflow-wrap: anywhere"] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("http") && !text.contains("@import") && !text.contains("outline: none"))
    }

    /// The pages behind links in mails use the style.
    @Test func `a service without pages has none but the style`() async throws {
        for path in [Self.consent, Self.logOut, "/login"] {
            let answer = try await API.with { try await $0.send("GET", path, authorization: nil) }
            #expect(try answer.problem.code == "route.unknown")
        }
        let style = try await API.with { try await $0.send("GET", PageAsset.style.path, authorization: nil) }
        #expect(style.status == 200 && style.bytes == PageAsset.style.bytes)
    }
}
