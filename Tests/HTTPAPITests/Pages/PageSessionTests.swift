import HTTPTypes
import TenureAPI
import Testing

@testable import HTTPAPI

/// Who a form and a page belong to: the cookie's session, and nobody else.
@Suite(.timeLimit(.minutes(5))) struct PageSessionTests {
    private static let consent = "/consent/" + FakeService.flowID
    private static let logOut = "/logout/confirm/" + FakeService.flowID
    private static let forms = [consent, logOut]

    private func with<Value: Sendable>(
        _ service: FakeService = FakeService(), request: String = FakeService.handle,
        _ work: @Sendable (Browser) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.flow = try FakeService.flow(request: request)
            return try await work(browser)
        }
    }

    private func fields(
        _ path: String, request: String = FakeService.flowID, cookie: String = FakeService.cookie,
        answer: String = "allow"
    ) -> [(name: String, value: String)] {
        let template = path.replacing(FakeService.flowID, with: "{flow}")
        let token = FormToken(cookie: cookie, path: template, request: request).text
        return [("request", request), ("token", token), ("answer", answer)]
            + Browser.armed(template, request, cookie: cookie)
    }

    private func changes(_ service: FakeService) async -> [String] {
        await service.recorder.work.map(\.name).filter { $0 == "answerConsent" || $0 == "confirmLogOut" }
    }

    @Test(arguments: [("allow", "true"), ("deny", "false")])
    func `the answer to the question for consent goes to the client`(answer: String, isGiven: String) async throws {
        let service = FakeService()
        let reply = try await with(service) { browser in
            let page = try await browser.get(
                Browser.link(Self.consent, to: "/consent/{flow}", FakeService.flowID))
            #expect(page.text.contains("You are logged in as 7 at Acme.") && page.text.contains("Wiki"))
            #expect(page.main.matches(of: /<li>/).count == 5)
            return try await browser.post(
                Self.consent,
                [("request", FakeService.flowID), ("token", Browser.token(in: page)), ("answer", answer)]
                    + (answer == "allow" ? Browser.armed("/consent/{flow}", FakeService.flowID) : []))
        }
        #expect(reply.isAnswer)
        let last = try #require(await service.recorder.work.last { $0.name == "answerConsent" })
        #expect(
            last.details == ["handle": FakeService.handle, "cookie": FakeService.cookie, "isGiven": isGiven])
    }

    @Test func `a confirmed log-out deletes the cookie`() async throws {
        try await with { browser in
            let template = "/logout/confirm/{flow}"
            let page = try await browser.get(Browser.link(Self.logOut, to: template, FakeService.flowID))
            let token = try Browser.token(in: page)
            let fields =
                [(name: "request", value: FakeService.flowID), ("token", token)]
                + Browser.armed(template, FakeService.flowID)
            let wait = try FakeService.flow(.wait("d2FpdA"), id: "flow-of-another-tab-22")
            let reply = try await browser.post(
                Self.logOut, fields,
                [("Cookie", "__Host-tenure-flow-\(wait.id)=\(wait.text)"), ("Origin", "https://id.example")])
            #expect(reply.status == 200 && reply.text.contains("content=\"0; url=https://wiki.example/bye\""))
            let attributes = "Path=/; HttpOnly; SameSite=Lax; Secure"
            #expect(reply.fields[values: .setCookie].first == "__Host-tenure=; Max-Age=0; \(attributes)")
            // A tab that waits would log its person in again.
            #expect(
                reply.fields[values: .setCookie].last == "__Host-tenure-flow-\(wait.id)=; Max-Age=0; \(attributes)")
        }
        try await with(request: "other") { browser in
            let done = try await browser.post(Self.logOut, self.fields(Self.logOut))
            #expect(done.status == 200 && done.text.contains("You are logged out."))
        }
    }

    @Test(
        arguments: forms,
        [
            [("Origin", "https://evil.example")], [("Origin", "https://id.example.evil")],
            [("Origin", "https://id.example:444")], [("Origin", "http://id.example")],
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "")],
            [("Origin", "https://id.example"), ("Sec-Fetch-Site", "cross-site")],
            [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-origin")],
            [("Origin", "null"), ("Sec-Fetch-Site", "none")], [("Origin", "null"), ("Sec-Fetch-Site", "cross-site")],
        ])
    func `a form of another site is refused`(path: String, headers: [(String, String)]) async throws {
        let service = FakeService()
        let reply = try await with(service) { try await $0.post(path, fields(path), headers) }
        #expect(reply.status == 403 && reply.text.contains("sent by another site"))
        #expect(await changes(service) == [])
    }

    @Test(
        arguments: forms,
        [
            [], [("Origin", "https://id.example")],
            [("Origin", "https://id.example"), ("Sec-Fetch-Site", "same-origin")],
            [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")],
            [("Origin", "null")],
        ])
    func `a form of a page of the service is taken`(path: String, headers: [(String, String)]) async throws {
        let service = FakeService()
        let reply = try await with(service) { try await $0.post(path, fields(path), headers) }
        #expect(reply.status == 200)
        #expect(await changes(service).count == 1)
    }

    @Test(arguments: forms) func `a form belongs to its session, its request and its path`(path: String) async throws {
        let other = Self.forms.first { $0 != path } ?? ""
        let service = FakeService(), right = fields(path)
        let wrong: [[(name: String, value: String)]] = [
            fields(path, cookie: "cookie-of-another-session"),
            [right[0], fields(path, request: "another-request")[1]] + right[2...],
            [right[0], fields(other)[1]] + right[2...],
            [right[0], ("token", "")] + right[2...], [right[0]] + right[2...],
            [right[0], ("token", right[1].value + "A")] + right[2...], [right[0], ("token", "x")] + right[2...],
        ]
        try await with(service) { browser in
            for fields in wrong {
                let reply = try await browser.post(path, fields)
                // The page is shown again, with the account that is logged in and a fresh token.
                let isShown = reply.status == 303 && reply.header("Location")?.hasSuffix(FakeService.flowID) == true
                #expect(isShown || reply.status == 400, "\(fields)")
            }
            var stranger = browser
            stranger.cookie = nil
            #expect(try await stranger.post(path, right).status == 403)
        }
        #expect(await changes(service) == [])
    }

    @Test func `a token is one of its cookie, its path and its request`() {
        let token = FormToken(cookie: "a", path: "/b", request: "c")
        #expect(token.matches(FormToken(cookie: "a", path: "/b", request: "c").text))
        #expect(!token.matches(nil) && !token.matches(""))
        for other in [("x", "/b", "c"), ("a", "/x", "c"), ("a", "/b", "x"), ("a", "/bc", ""), ("a", "", "/bc")] {
            #expect(token != FormToken(cookie: other.0, path: other.1, request: other.2))
        }
    }

    @Test func `an answered or expired request says how to go on`() async throws {
        try await with(request: "gone") { browser in
            let page = try await browser.get(Self.consent)
            #expect(page.status == 303 && page.header("Location") == "/answer/" + FakeService.flowID)
            for reply in [
                try await browser.post(Self.consent, fields(Self.consent)),
                try await browser.get("/answer/" + FakeService.flowID),
            ] {
                #expect(reply.status == 200 && reply.text.contains("You are logged in"))
                #expect(reply.text.contains("<a href=\"https://wiki.example/\">Go on to Wiki</a>"))
            }
        }
    }

    @Test func `the cookie is never read under v1`() async throws {
        let service = FakeService()
        let answer = try await Browser.with(service) { try await $0.get("/v1/me") }
        #expect(try answer.problem.code == "session.invalid")
        #expect(await service.recorder.entries.isEmpty)
        let both = try await Browser.with(service) { try await $0.get("/v1/me", authorization: API.bearer) }
        #expect(both.status == 200)
        #expect(await service.recorder.entries.map(\.name) == ["authenticateEmployee", "me"])
    }

    @Test func `a bearer token is never read by pages`() async throws {
        let service = FakeService()
        let answers = try await with(service) { browser in
            var browser = browser
            browser.cookie = nil
            return [
                try await browser.get(Self.consent, authorization: API.bearer),
                try await browser.get(Self.logOut, authorization: API.bearer),
                try await browser.post(Self.consent, fields(Self.consent), authorization: API.bearer),
            ]
        }
        #expect(answers.map(\.status) == [303, 200, 403])
        #expect(answers[1].text.contains("You are logged out."))
        let names = await service.recorder.entries.map(\.name)
        #expect(!names.contains("authenticateEmployee") && !names.contains("findBrowserSession"))
    }

    @Test func `a cookie that is given twice, or without its prefix, is none`() async throws {
        for cookie in ["tenure=\(FakeService.cookie)", "__Host-tenure=a; __Host-tenure=\(FakeService.cookie)"] {
            let answer = try await with { browser in
                var browser = browser
                browser.cookie = nil
                return try await browser.get(Self.consent, [("Cookie", cookie)])
            }
            #expect(answer.status == 303, "\(cookie)")
        }
    }

    @Test func `over http the cookie has no prefix`() {
        let field = BrowserCookieField(publicURL: "http://localhost:8080")
        #expect(field.setting("v") == "tenure=v; Path=/; HttpOnly; SameSite=Lax")
        #expect(
            BrowserCookieField(publicURL: Browser.origin).setting("v")
                == "__Host-tenure=v; Path=/; HttpOnly; SameSite=Lax; Secure")
    }
}
