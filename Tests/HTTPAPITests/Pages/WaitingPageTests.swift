import Canonical
import ErrorCodes
import HTTPLimits
import HTTPTypes
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

/// A browser with the cookies of a form and of a wait.
private struct WaitingBrowser: Sendable {
    static let form = Base64URL.encode([UInt8](repeating: 7, count: 32))

    let browser: Browser
    var wait: String? = FakeService.waitCookie
    var request = ""
    var session: String?

    static func with<Value: Sendable>(
        _ service: FakeService = FakeService(), waitingPages: Int = 256,
        _ work: @Sendable (WaitingBrowser) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service, waitingPages: waitingPages) { browser in
            var browser = browser
            browser.cookie = nil
            return try await work(WaitingBrowser(browser: browser))
        }
    }

    private var cookies: [(String, String)] {
        let pairs = [
            "__Host-tenure-form=\(Self.form)",
            wait.flatMap { try? FakeService.flow(.wait($0), request: request) }.map {
                "__Host-tenure-flow-\($0.id)=\($0.text)"
            },
            session.map { "__Host-tenure=\($0)" },
        ]
        return [("Cookie", pairs.compactMap(\.self).joined(separator: "; "))]
    }

    func get(_ path: String) async throws -> API.Answer { try await browser.get(path, cookies) }

    /// Sends a form as a page of the service does.
    func post(
        _ path: String, _ fields: [(name: String, value: String)] = [], token: String? = nil,
        _ headers: [(String, String)] = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]
    ) async throws -> API.Answer {
        let right = FormToken(cookie: Self.form, path: path, request: "").text
        return try await browser.post(
            path, [("token", token ?? right), ("once", "1")] + fields, cookies + headers)
    }
}

extension API.Answer {
    fileprivate var setCookies: [String] { fields[values: .setCookie] }
}

/// The pages of a browser that waits for the decision about its device key.
@Suite(.timeLimit(.minutes(5))) struct WaitingPageTests {
    private static let words = FingerprintWords([UInt8](repeating: 0xAB, count: 32)).text
    private static let link = "/waiting/mail/\(FakeService.appId.lowercased)/\(FakeService.employeeId.lowercased)"
    private static let path = "/waiting/" + FakeService.flowID
    /// The form behind the link, with `expires=1` and `key=ab`.
    private static let armed = ArmedForm(
        holder: .visitor, cookie: WaitingBrowser.form, path: "/waiting/mail/{tenantId}/{flowId}",
        subject: [FakeService.appId.lowercased, FakeService.employeeId.lowercased, "1", "ab"].joined(separator: "\n"))

    private func waiting(_ view: WaitView?) -> FakeService {
        var service = FakeService()
        service.wait = view
        return service
    }

    private func deleted(_ answer: API.Answer) -> Bool {
        answer.setCookies.contains { $0.contains("-\(FakeService.flowID)=1.ended...") || $0.contains("=1.done...") }
    }

    @Test func `the page shows fingerprint and words, and listens`() async throws {
        try await WaitingBrowser.with { browser in
            let page = try await browser.get(Self.path)
            #expect(page.status == 200 && page.text.contains(Self.words))
            #expect(page.text.contains(String(repeating: "ab", count: 32)))
            #expect(
                page.text.contains("data-events=\"\(Self.path)/events?mail=none\"") && page.text.contains("<noscript>"))
            #expect(page.text.contains("<form method=\"get\" action=\"\(Self.path)\">"))
            #expect(!page.text.contains("data-wait=") && !page.text.contains("\(Self.path)/code"))
        }
    }

    @Test func `the page names who decides`() async throws {
        let views: [(WaitView, PageWord)] = [
            (FakeService.wait(), "wait.ask"), (FakeService.wait(hasOtherDevice: true), "wait.device"),
            (FakeService.wait(isAdministrative: true), "wait.admin"),
            (FakeService.wait(hasOtherDevice: true, isAdministrative: true), "wait.adminDevice"),
            (FakeService.wait(canSendMail: false), "wait.noMail"),
            (FakeService.wait(needsApproval: true), "wait.needsPerson"),
            (FakeService.wait(hasOtherDevice: true, needsApproval: true, isApproved: true), "wait.onlyPerson"),
            (FakeService.wait(), "wait.toldNone"), (FakeService.wait(told: .soon), "wait.toldSoon"),
        ]
        for (view, word) in views {
            let page = try await WaitingBrowser.with(waiting(view)) { try await $0.get(Self.path) }
            #expect(page.text.contains(word.text(in: .english)), "\(word)")
        }
    }

    @Test func `the page says when admins were told, and puts the mail to the owner first`() async throws {
        let view = FakeService.wait(mail: .possible, told: .at(FakeService.time))
        let page = try await WaitingBrowser.with(waiting(view)) { try await $0.get(Self.path) }
        let told = PageWord("wait.toldAt").text(in: .english, FakeService.time.forPeople)
        #expect(page.text.contains(told))
        let mail = try #require(page.text.firstRange(of: "Confirm by mail")),
            ask = try #require(page.text.firstRange(of: told))
        #expect(mail.lowerBound < ask.lowerBound)
    }

    @Test(arguments: [
        (ConfirmEmail.Answer.pending(), 200, "Stop these mails"), (.verified, 200, "You get no mails"),
        (.expired, 410, ""), (.invalid, 400, ""),
    ]) func `mails about who waits are stopped by a form, and by nothing that is only opened`(
        answer: ConfirmEmail.Answer, status: Int, text: String
    ) async throws {
        var service = FakeService()
        service.emailLink = answer
        let path =
            "/waiting/admins/\(FakeService.appId.lowercased)/\(FakeService.employeeId.lowercased)?expires=1&key=ab"
        let (shown, stopped) = try await Browser.with(service) { (browser: Browser) async throws in
            (
                try await browser.get(path),
                // A mail program sends neither cookie nor origin.
                try await browser.api.send(
                    "POST", path, [("Content-Type", FormEncoding.mediaType)], body: "List-Unsubscribe=One-Click")
            )
        }
        #expect(shown.status == status && shown.text.contains(text) && stopped.status == status)
        let asked = await service.recorder.work.filter { $0.name == "stopWaitingMails" }
        #expect(asked.map { $0.details["isDecision"] } == ["false", "true"])
    }

    @Test func `a wait that is over, or refused, loses its cookie`() async throws {
        let ends: [(WaitView?, Int)] = [(nil, 410), (FakeService.wait(.over), 410), (FakeService.wait(.refused), 403)]
        for (view, status) in ends {
            let page = try await WaitingBrowser.with(waiting(view)) { try await $0.get(Self.path) }
            #expect(page.status == status && deleted(page))
        }
        let none = try await WaitingBrowser.with { browser in
            var browser = browser
            browser.wait = nil
            return try await browser.get(Self.path)
        }
        #expect(none.status == 410)
    }

    @Test func `a tab whose session another tab has opened goes to the account`() async throws {
        let service = waiting(nil)
        let (sent, page) = try await WaitingBrowser.with(service) { browser in
            var browser = browser
            let sent = try await browser.post(Self.path + "/continue", [("challenge", "Yw"), ("proof", "Yw")])
            browser.session = FakeService.cookie
            return (sent, try await browser.get(Self.path))
        }
        #expect(sent.status == 410)
        #expect(page.status == 303 && page.header("Location") == "/account" && deleted(page))
    }

    @Test func `an authorized browser signs, and goes on to its client`() async throws {
        let service = waiting(FakeService.wait(.authorized))
        try await WaitingBrowser.with(service) { browser in
            let page = try await browser.get(Self.path)
            #expect(page.text.contains("data-wait=\"\(Base64URL.encode(Array("challenge".utf8)))\""))
            #expect(!page.text.contains("data-events"))
            let reply = try await browser.post(
                Self.path + "/continue", [("challenge", "Y2hhbGxlbmdl"), ("proof", "c2ln")])
            #expect(reply.status == 303)
            #expect(reply.header("Location") == "/account" && deleted(reply))
            var atClient = browser
            atClient.request = FakeService.handle
            let next = try await atClient.post(Self.path + "/continue", [("challenge", "Yw"), ("proof", "Yw")])
            #expect(next.header("Location") == "/answer/" + FakeService.flowID)
            #expect(reply.setCookies.contains { $0.hasPrefix("__Host-tenure=\(FakeService.newCookie);") })
        }
        let entry = try #require(await service.recorder.entries.first { $0.name == "endWait" })
        #expect(entry.details["challenge"] == "Y2hhbGxlbmdl" && entry.details["signature"] == "c2ln")
    }

    @Test func `somebody else who is logged in is replaced by a button alone`() async throws {
        let other = FakeService.browser(of: FakeService.appId)
        var service = waiting(FakeService.wait(.authorized))
        service.browser = other
        try await WaitingBrowser.with(service) { browser in
            var browser = browser
            browser.session = FakeService.cookie
            let page = try await browser.get(Self.path)
            #expect(
                page.status == 200 && page.text.contains("<button type=\"submit\">Log in as 7 instead of 7</button>"))
            #expect(page.text.contains("name=\"replaces\" value=\"\(other.employeeID.lowercased)\""))
            // The module of a page from before the other log-in.
            for replaces in ["", FakeService.employeeId.lowercased] {
                let reply = try await browser.post(
                    Self.path + "/continue", [("challenge", "Yw"), ("proof", "Yw"), ("replaces", replaces)])
                #expect(reply.status == 303 && reply.header("Location") == Self.path)
            }
        }
        #expect(await service.recorder.entries.allSatisfy { $0.name != "endWait" })
        // A session of the same account does, unless the client wants another log-in.
        service = waiting(FakeService.wait(.authorized))
        try await WaitingBrowser.with(service) { browser in
            var browser = browser
            browser.session = FakeService.cookie
            let own = try await browser.get(Self.path)
            #expect(own.header("Location") == "/account")
            browser.request = FakeService.handle
            let client = try await browser.get(Self.path)
            #expect(client.header("Location") == "/answer/" + FakeService.flowID)
        }
        service.pending = FakeService.pending(page: .logIn)
        try await WaitingBrowser.with(service) { browser in
            var browser = browser
            browser.session = FakeService.cookie
            browser.request = FakeService.handle
            let page = try await browser.get(Self.path)
            #expect(page.text.contains("data-wait="))
        }
    }

    @Test func `a form of another site, or without its token, opens nothing`() async throws {
        let service = waiting(FakeService.wait(.authorized))
        try await WaitingBrowser.with(service) { browser in
            let foreign = try await browser.post(
                Self.path + "/continue", [("challenge", "Yw"), ("proof", "Yw")],
                [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
            #expect(foreign.status == 403)
            let forged = try await browser.post(
                Self.path + "/continue", [("challenge", "Yw"), ("proof", "Yw")], token: "x")
            #expect(forged.status == 303 && forged.header("Location") == Self.path)
        }
        #expect(await service.recorder.entries.allSatisfy { $0.name != "endWait" })
    }

    @Test func `a challenge that is too old is made anew, and a wrong signature is told`() async throws {
        for (code, title) in [
            (ErrorCode.flowExpired, PageWord("ending.expiredTitle")), (.employeeKeyInvalid, "ending.keyInvalidTitle"),
        ] {
            var service = waiting(FakeService.wait(.authorized))
            service.refusals = ["endWait": ServiceError(code)]
            let page = try await WaitingBrowser.with(service) {
                try await $0.post(Self.path + "/continue", [("challenge", "Yw"), ("proof", "Yw")])
            }
            #expect(page.text.contains(title.text(in: .english)) && page.text.contains("href=\"\(Self.path)\""))
            #expect(!deleted(page))
        }
    }

    @Test func `a code is told to be wrong beside its field, and a right one goes on`() async throws {
        let view = FakeService.wait(mail: .sent(until: FakeService.time), triesLeft: 5)
        var service = waiting(view)
        let right = try await WaitingBrowser.with(service) {
            try await $0.post(Self.path + "/code", [("code", "7kq2 m9xa")])
        }
        #expect(right.status == 303 && right.header("Location") == Self.path)
        #expect(await service.recorder.entries.last { $0.name == "enterDeviceCode" }?.details["code"] == "7kq2 m9xa")
        service.deviceCode = .wrong(triesLeft: 3)
        let wrong = try await WaitingBrowser.with(service) { try await $0.post(Self.path + "/code", [("code", "x")]) }
        #expect(wrong.status == 403 && wrong.text.contains("href=\"#code\""))
        #expect(
            wrong.text.contains(PageWord("wait.codeWrong").text(in: .english, "3"))
                && wrong.text.contains("value=\"x\""))
        service.deviceCode = .over
        let over = try await WaitingBrowser.with(service) { try await $0.post(Self.path + "/code", [("code", "x")]) }
        #expect(over.text.contains(PageWord("wait.codeOver").text(in: .english)))
        let empty = try await WaitingBrowser.with(service) { try await $0.post(Self.path + "/code") }
        #expect(empty.text.contains(PageWord("wait.codeMissing").text(in: .english)))
    }

    @Test func `a mail is sent where one may be, and otherwise the page says so`() async throws {
        let sent = try await WaitingBrowser.with(waiting(FakeService.wait(mail: .possible))) {
            try await $0.post(Self.path + "/mail")
        }
        #expect(sent.status == 303)
        let none = try await WaitingBrowser.with { try await $0.post(Self.path + "/mail") }
        #expect(none.status == 403)
    }

    @Test func `the link shows the device and its code elsewhere, and a button in the browser that waits`() async throws
    {
        let elsewhere = try await WaitingBrowser.with { try await $0.get(Self.link + "?expires=1&key=ab") }
        for shown in ["7KQ2-M9XA", "Firefox on Linux", "192.0.2.7", Self.words, "value=\"refuse\""] {
            #expect(elsewhere.text.contains(shown), "\(shown)")
        }
        #expect(!elsewhere.text.contains("value=\"confirm\""))
        var service = FakeService()
        service.deviceMail = FakeService.deviceMail(isWaiting: true)
        let link = Self.link + "?expires=1&key=ab"
        let plain = try await WaitingBrowser.with(service) { try await $0.get(link) }
        #expect(plain.text.contains("token=") && !plain.text.contains("value=\"confirm\""), "the mail's own link arms")
        let here = try await WaitingBrowser.with(service) {
            try await $0.get(link + "&token=" + Self.armed.link(at: .now()))
        }
        #expect(here.text.contains("value=\"confirm\"") && here.text.contains("value=\"refuse\""))
        #expect(!here.text.contains("7KQ2"))
        let entry = try #require(await service.recorder.entries.last { $0.name == "readDeviceMail" })
        #expect(entry.details["expires"] == "1" && entry.details["key"] == "ab")
        #expect(entry.details["cookie"] == FakeService.waitCookie)
    }

    @Test func `a mail about a person's own first device accuses nobody of knowing their credentials`() async throws {
        var service = FakeService()
        service.deviceMail = FakeService.deviceMail(isFirst: true)
        try await WaitingBrowser.with(service) { browser in
            let page = try await browser.get(Self.link + "?expires=1&key=ab")
            #expect(page.text.contains(PageWord("mail.elsewhereFirst").text(in: .english)))
            let refused = try await browser.post(
                Self.link, [("expires", "1"), ("key", "ab"), ("answer", "refuse")])
            #expect(refused.status == 200 && refused.text.contains(PageWord("mail.refusedFirst").text(in: .english)))
            #expect(!refused.text.contains("/account/credentials"), "nobody knows what nobody has entered")
        }
        let other = try await WaitingBrowser.with(FakeService()) {
            try await $0.post(Self.link, [("expires", "1"), ("key", "ab"), ("answer", "refuse")])
        }
        #expect(other.text.contains("change them now") && other.text.contains("href=\"/account/credentials\""))
    }

    @Test func `the buttons of the link's page confirm and refuse`() async throws {
        let fields = [(name: "expires", value: "1"), ("key", "ab")]
        var service = FakeService()
        service.deviceMail = FakeService.deviceMail(isWaiting: true)
        try await WaitingBrowser.with(service) { browser in
            let unarmed = try await browser.post(Self.link, fields + [("answer", "confirm")])
            #expect(unarmed.status == 403)
            let granted = Self.armed.granted(at: .now())
            let armed = [(name: "page", value: granted.page), ("nonce", granted.nonce)]
            let confirmed = try await browser.post(Self.link, fields + [("answer", "confirm")] + armed)
            #expect(confirmed.status == 303 && confirmed.header("Location") == Self.path)
            let refused = try await browser.post(
                Self.link, fields + [("answer", "refuse")])
            #expect(refused.status == 200 && refused.text.contains(PageWord("mail.refused").text(in: .english)))
            let neither = try await browser.post(Self.link, fields)
            #expect(neither.status == 400)
        }
        #expect(
            await service.recorder.entries.filter { $0.name == "answerDeviceMail" }.map { $0.details["wish"] } == [
                "confirm", "refuse",
            ])
        var gone = FakeService()
        gone.deviceMail = nil
        let pages = try await WaitingBrowser.with(gone) { browser in
            let granted = Self.armed.granted(at: .now())
            let armed = [(name: "page", value: granted.page), ("nonce", granted.nonce)]
            return [
                try await browser.get(Self.link),
                try await browser.post(Self.link, fields + [("answer", "confirm")] + armed),
            ]
        }
        #expect(pages.map(\.status) == [410, 410])
        #expect(await gone.recorder.entries.allSatisfy { $0.name != "spendNonce" }, "a link of nothing takes room")
    }

    @Test func `a stream tells of the decision at once, and ends`() async throws {
        let answer = try await WaitingBrowser.with(waiting(FakeService.wait(.authorized))) {
            try await $0.get(Self.path + "/events")
        }
        #expect(answer.status == 200 && answer.header("Content-Type") == "text/event-stream")
        #expect(answer.text.hasSuffix("event: decided\ndata: look\n\n"))
        let none = try await WaitingBrowser.with(waiting(nil)) { try await $0.get(Self.path + "/events") }
        #expect(none.status == 204)
    }

    @Test func `a mail that cannot leave is told, without a button that would ask for another one`() async throws {
        let page = try await WaitingBrowser.with(waiting(FakeService.wait(mail: .held(until: FakeService.time)))) {
            try await $0.get(Self.path)
        }
        #expect(page.text.contains("No mail could leave yet") && !page.text.contains("A mail is on its way"))
        #expect(!page.text.contains("/code\"") && !page.text.contains("/mail\""))
        #expect(page.text.contains("/events?mail=held\""))
        // A mail that was just queued, and one whose address a mail server refused, look like one that was sent.
        for mail in [WaitView.Mail.fresh(until: FakeService.time), .sent(until: FakeService.time)] {
            let page = try await WaitingBrowser.with(waiting(FakeService.wait(mail: mail))) {
                try await $0.get(Self.path)
            }
            #expect(page.text.contains("A mail is on its way") && page.text.contains("/events?mail=sent\""))
        }
    }

    @Test func `a stream tells a page that says of its mail what is not so any more`() async throws {
        let service = waiting(FakeService.wait(mail: .held(until: FakeService.time)))
        let changed = try await WaitingBrowser.with(service) { try await $0.get(Self.path + "/events?mail=sent") }
        #expect(changed.text.hasSuffix("\n\nevent: changed\ndata: look\n\n"))
    }

    @Test func `a browser beyond the limit asks again by itself, and is told of the decision then`() async throws {
        let pending = FakeService.wait(mail: .held(until: FakeService.time))
        func ask(_ view: WaitView, _ query: String) async throws -> API.Answer {
            try await WaitingBrowser.with(waiting(view), waitingPages: 0) {
                try await $0.get(Self.path + "/events" + query)
            }
        }
        for query in ["", "?mail=held"] {
            let answer = try await ask(pending, query)
            #expect(answer.status == 200 && answer.header("Content-Type") == "text/event-stream")
            #expect(answer.text == "retry: 15000\n\n")
        }
        let changed = try await ask(pending, "?mail=sent")
        #expect(changed.text == "retry: 15000\n\nevent: changed\ndata: look\n\n")
        let decided = try await ask(FakeService.wait(.authorized), "?mail=held")
        #expect(decided.text == "retry: 15000\n\nevent: decided\ndata: look\n\n")
    }

    @Test func `the metrics tell how many pages wait, and how many may`() async throws {
        let metrics = ServerMetrics(
            requests: RequestMetrics(), table: ConnectionTable(limits: ConnectionLimits()), certificate: nil,
            waiting: WaitingStreams(limit: 7) { .now() })
        let text = await metrics.text()
        #expect(text.contains("\ntenure_waiting_pages 0\n") && text.contains("\ntenure_waiting_pages_limit 7\n"))
    }
}
