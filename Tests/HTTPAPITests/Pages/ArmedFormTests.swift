import Canonical
@testable import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

/// Pages that sign, consent or end something: who gets to the button, and which forms are taken.
@Suite(.timeLimit(.minutes(5))) struct ArmedFormTests {
    private static let statement = Array("tenure/v1/key-authorization\n{}".utf8)
    private static let approval = [FakeService.fingerprint, "authorize", "", "", ""].joined(separator: "\n")
    private static let answered = [FakeService.fingerprint, "authorize", "", "", "answered"].joined(separator: "\n")
    private static let decision = "/account/decision?request=\(FakeService.fingerprint)&action=authorize"

    /// A page with a button: its address, the path of its form, what it is about, and its list.
    private static let pages: [(address: String, form: String, subject: String, list: String)] = [
        (decision, "/account/decision", approval, "/account/devices"),
        (
            decision + "&owner=8", "/account/decision", approval.replacing("authorize\n", with: "authorize\n8"),
            "/account/approvals"
        ),
        ("/account/recovery", "/account/recovery", "recovery", "/account"),
        (
            "/consent/" + FakeService.flowID, "/consent/{flow}", FakeService.flowID,
            "/accounts/" + FakeService.flowID
        ),
    ]

    private var service: FakeService {
        var service = FakeService()
        service.decision = .signatureRequired(statement: Self.statement)
        return service
    }

    /// Runs a service with a browser that is in a flow.
    private func with(
        _ service: FakeService = FakeService(), _ work: @Sendable (Browser) async throws -> Void
    ) async throws {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.flow = try FakeService.flow()
            try await work(browser)
        }
    }

    @Test(arguments: pages.indices) func `a page is reached from its own list only`(index: Int) async throws {
        let (address, form, subject, list) = Self.pages[index], right = Browser.link(address, to: form, subject)
        try await with(service) { browser in
            for site in [[], [("Sec-Fetch-Site", "same-origin")]] {
                let page = try await browser.get(right, site)
                #expect(page.status == 200 && page.text.contains("class=\"act\" disabled"), "\(page.text)")
            }
            let wrong: [(String, [(String, String)])] = [
                (address, []), (address, [("Sec-Fetch-Site", "same-origin")]), (right + "A", []),
                (Browser.link(address, to: form, subject, ago: 601), []),
                (Browser.link(address, to: form, subject + "x"), []), (Browser.link(address, to: "/x", subject), []),
                (right, [("Sec-Fetch-Site", "cross-site")]), (right, [("Sec-Fetch-Site", "same-site")]),
                (right, [("Sec-Purpose", "prefetch;prerender")]),
                (right, [("Purpose", "prefetch")]),
            ]
            for (path, headers) in wrong {
                let reply = try await browser.get(path, headers)
                #expect(reply.status == 303 && reply.header("Location") == list, "\(path) \(headers)")
            }
        }
    }

    @Test func `a link of another session is none`() async throws {
        let armed = ArmedForm(
            holder: .session, cookie: "another", path: "/account/decision", subject: Self.approval)
        let reply = try await Browser.with(service) {
            try await $0.get(Self.decision + "&token=" + armed.link(at: .now()))
        }
        #expect(reply.status == 303)
    }

    @Test func `a log-out that another site asks for has a link before the button`() async throws {
        try await with { browser in
            let page = try await browser.get(
                "/logout/confirm/" + FakeService.flowID, [("Sec-Fetch-Site", "cross-site")])
            #expect(page.status == 200 && !page.text.contains("<form"))
            let link = try #require(page.text.firstMatch(of: /href="(\/logout\/confirm[^"]*)"/)).output.1
            let led = try await browser.get(
                String(link).replacing("&amp;", with: "&"), [("Sec-Fetch-Site", "same-origin")])
            #expect(led.text.contains("class=\"act\" disabled") && led.text.contains(PageAsset.arm.path))
        }
    }

    private func form(_ more: [(name: String, value: String)]) -> [(name: String, value: String)] {
        let token = FormToken(cookie: FakeService.cookie, path: "/account/decision", request: FakeService.fingerprint)
        return [("request", FakeService.fingerprint), ("token", token.text), ("action", "authorize")] + more
    }

    private var signature: [(name: String, value: String)] {
        [("statement", Base64URL.encode(Self.statement)), ("signature", Base64URL.encode([1, 2, 3]))]
    }

    @Test func `a form is taken with the nonce of its page, once`() async throws {
        let path = "/account/decision", now = Timestamp.now(), service = FakeService()
        func armed(
            _ subject: String = Self.answered, path: String = path, cookie: String = FakeService.cookie,
            holder: ArmedForm.Holder = .session, ago seconds: Int64 = 0
        ) -> [(name: String, value: String)] {
            let form = ArmedForm(holder: holder, cookie: cookie, path: path, subject: subject)
            let granted = form.granted(at: now.adding(.seconds(-seconds)))
            return [("page", granted.page), ("nonce", granted.nonce)]
        }
        let right = armed()
        let wrong: [[(name: String, value: String)]] = [
            [], [right[0]], [right[1]], [right[0], ("nonce", "")], [right[0], ("nonce", right[1].value + "A")],
            [right[0], armed("other")[1]], armed(Self.approval), armed(path: "/account/recovery"),
            armed(cookie: "another"), armed(holder: .visitor), armed(ago: 61), armed(ago: -5_000),
        ]
        try await Browser.with(service) { (browser: Browser) async throws in
            for fields in wrong {
                let reply = try await browser.post(path, form(signature + fields))
                #expect(reply.status == 303 && reply.header("Location") == "/account/devices", "\(fields)")
            }
            #expect(await service.recorder.entries.allSatisfy { $0.name != "decideKey" })
            for _ in 0..<2 { #expect(try await browser.post(path, form(signature + right)).status == 303) }
        }
        #expect(await service.recorder.entries.count { $0.name == "decideKey" } == 1)
    }

    @Test func `a page gets no nonce before it is a second old, or from another site`() async throws {
        try await Browser.with { (browser: Browser) async throws in
            let armed = ArmedForm(
                holder: .session, cookie: FakeService.cookie, path: "/consent/{flow}", subject: FakeService.flowID)
            func nonce(_ seconds: Int64, _ headers: [(String, String)] = []) async throws -> API.Answer {
                let page = armed.page(at: Timestamp.now().adding(.seconds(-seconds)))
                return try await browser.post("/arm", [("page", page)], headers)
            }
            // A loaded machine may need more than the second, so the page is one of the near future.
            #expect(try await nonce(-30).status == 403)
            #expect(try await nonce(1_801).status == 403)
            #expect(try await nonce(-60).status == 403)
            #expect(try await nonce(2, [("Sec-Fetch-Site", "cross-site")]).status == 403)
            #expect(try await nonce(2, [("Origin", "https://evil.example")]).status == 403)
            for page in ["", "s", "x1.a", "s1", "sa.b"] {
                #expect(try await browser.post("/arm", [("page", page)], []).status == 403, "\(page)")
            }
            let given = try await nonce(2, [("Origin", Browser.origin), ("Sec-Fetch-Site", "same-origin")])
            #expect(given.status == 200 && given.header("Content-Type") == "text/plain; charset=utf-8")
        }
    }

    @Test func `an approval asks for the words, and gives the statement for the right ones only`() async throws {
        let path = "/account/decision", row = [(name: "words", value: "0101010101010101")]
        func ask(_ choice: WordChoice) async throws -> JSONValue {
            var service = service
            service.wordChoice = choice
            return try await Browser.with(service) { browser in
                let page = try await browser.get(Browser.link(Self.decision, to: path, Self.approval))
                #expect(page.text.matches(of: /type="radio"/).count == 3 && !page.text.contains("key-authorization\\n"))
                #expect(page.text.contains("name=\"statement\" value=\"\""))
                let answer = try await browser.post(path, form(row + Browser.armed(path, Self.approval)))
                #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
                return try StrictJSON.parse(answer.bytes)
            }
        }
        #expect(try await ask(.wrong)["statement"] == nil)
        let right = try #require(try await ask(.right)["statement"])
        #expect(right["action"] == "authorize" && right["nonce"] != nil)
        #expect(right["statement"] == .string(Base64URL.encode(Self.statement)))
        #expect(try await ask(.spent)["statement"]?["action"] == "refuse")
    }

    @Test func `an old form of the account leads back to its page`() async throws {
        let forms = [
            ("/account/devices/name", "/account/devices"), ("/account/decision", "/account"),
            ("/account/sessions", "/account/sessions"), ("/account/consents", "/account/consents"),
            ("/account/address", "/account"), ("/account/recovery", "/account"), ("/account/logout", "/account"),
        ]
        try await Browser.with { (browser: Browser) async throws in
            for (path, list) in forms {
                let reply = try await browser.post(path, [("request", "x"), ("token", "old")])
                #expect(reply.status == 303 && reply.header("Location") == list, "\(path)")
                let foreign = try await browser.post(
                    path, [("request", "x"), ("token", "old")], [("Sec-Fetch-Site", "cross-site")])
                #expect(foreign.status == 403, "\(path)")
            }
            let recovery = FormToken(cookie: FakeService.cookie, path: "/account/recovery", request: "recovery").text
            let unarmed = try await browser.post("/account/recovery", [("request", "recovery"), ("token", recovery)])
            #expect(unarmed.status == 303 && unarmed.header("Location") == "/account")
        }
    }

    @Test func `nothing but the rows shows digits of a device that waits`() async throws {
        var service = service
        service.words = WordQuestion(
            rows: [[UInt8](repeating: 1, count: 8), Hex.decode(String(FakeService.fingerprint.prefix(16))) ?? []],
            isSpent: false)
        try await Browser.with(service) { (browser: Browser) async throws in
            let list = try await browser.get("/account/approvals").text
            let links = list.matches(of: /href="([^"]*action=authorize[^"]*)"/).map { String($0.output.1) }
            #expect(!links.isEmpty)
            for link in links {
                #expect(!link.contains(FakeService.fingerprint.prefix(4)), "\(link)")
                let page = try await browser.get(link.replacing("&amp;", with: "&"))
                #expect(page.status == 200 && page.text.contains("type=\"radio\""))
                // What a person sees, in which a row stands in groups of four digits.
                let shown = page.text.replacing(/<[^>]*>/, with: " ")
                #expect(!shown.contains(FakeService.fingerprint.prefix(8)), "\(shown)")
            }
        }
    }

    @Test func `a device that was chosen wrongly twice can only be refused`() async throws {
        var service = service
        service.words = WordQuestion(rows: FakeService.words.rows, isSpent: true)
        let page = try await Browser.with(service) {
            try await $0.get(Browser.link(Self.decision, to: "/account/decision", Self.approval))
        }
        #expect(page.status == 200 && page.text.contains("data-action=\"refuse\"") && !page.text.contains("radio"))
        #expect(page.text.contains("wrong twice"))
    }

    @Test func `a site that opened a page of the account keeps no hold of it`() async throws {
        try await with { browser in
            for path in ["/account", "/account/devices", "/recover"] {
                let page = try await browser.get(path)
                #expect(page.header("Cross-Origin-Opener-Policy") == "same-origin", "\(path)")
            }
            for path in ["/login", "/accounts/{flow}", "/consent/{flow}", "/waiting/{flow}"] {
                let path = path.replacing("{flow}", with: FakeService.flowID)
                let page = try await browser.get(path)
                #expect(page.header("Cross-Origin-Opener-Policy") == nil, "\(path)")
            }
        }
    }

    @Test(arguments: [
        "devices", "waiting", "deviceMail", "wayBackWait", "sign", "wordRows", "approvals", "sessions",
    ])
    func `what people compare is not translated`(template: String) throws {
        for shown in try #require(PageTemplate.sources[template]).matches(
            of: /<[^>]*>[^<]*\{\{(?:words|digits|fingerprint|code|person)\}\}/)
        {
            #expect(shown.output.contains("translate=\"no\""), "\(shown.output)")
        }
    }
}
