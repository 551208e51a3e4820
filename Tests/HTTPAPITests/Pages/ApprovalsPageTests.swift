import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

/// What admins see and decide on the pages: who waits, recoveries, devices of a colleague.
@Suite(.timeLimit(.minutes(5))) struct ApprovalsPageTests {
    private static let path = "/account/decision"

    /// A form of a decision, signed and armed.
    private func signed(
        _ request: String, _ action: String, owner: String, reason: String = "", answered: Bool = false
    ) -> [(name: String, value: String)] {
        let fingerprint = request == "person" ? "" : request
        let subject = [fingerprint, action, owner, reason, answered ? "answered" : ""].joined(separator: "\n")
        let token = FormToken(cookie: FakeService.cookie, path: Self.path, request: request).text
        let chosen = action == "revoke" ? [(name: "reason", value: reason)] : []
        return [
            ("request", request), ("token", token), ("action", action), ("owner", owner),
            ("statement", Base64URL.encode([1])), ("signature", Base64URL.encode([2])),
        ] + chosen + Browser.armed(Self.path, subject)
    }

    private func links(in page: API.Answer) -> [String] {
        page.text.matches(of: /href="(\/account\/decision\?[^"]+)"/).map {
            String($0.output.1).replacing("&amp;", with: "&")
        }
    }

    @Test func `a name that looks like an admin's stands behind the address, with a warning`() async throws {
        var service = FakeService()
        service.waiting[0].name = WaitingEntry.Name(text: "“Ada”", looksLikeAdmin: true)
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account/approvals")
            let warning = PageWord("approvals.alike").text(in: .english)
            let address = try #require(page.text.firstRange(of: "7@acme.example"))
            let name = try #require(page.text.firstRange(of: "“Ada”"))
            #expect(address.upperBound < name.lowerBound && page.text.contains(warning))
        }
    }

    @Test func `the list says who waits, and leads to decisions about them`() async throws {
        try await Browser.with { (browser: Browser) async throws in
            let page = try await browser.get("/account/approvals")
            for text in [
                "<title>(1) Waiting – Tenure</title>", "<h1>Waiting</h1>", "Waiting (1)", "7@acme.example",
                "Address confirmed",
                "First device of a new person", "Invited", "Firefox on Linux", "203.0.113.0/24",
            ] {
                #expect(page.text.contains(text), "\(text)")
            }
            let links = links(in: page)
            #expect(links.count == 2 && links[0].contains("action=authorize") && links[1].contains("action=refuse"))
            let led = try await browser.get(links[0])
            #expect(led.status == 303 && led.header("Location") == "/account/approvals", "nothing is to be signed")
            #expect(!page.text.contains(FingerprintWords(hex: FakeService.fingerprint).text))
            for query in ["after=x", "position=-1", "after=1&after=2"] {
                #expect(try await browser.get("/account/approvals?" + query).status == 400)
            }
            #expect(try await browser.get("/account/approvals?after=4").text.contains("Nobody waits for you."))
        }
    }

    @Test func `the list says whether mails tell of it, and turns them off and on`() async throws {
        let path = "/account/approvals/mails",
            token = FormToken(
                cookie: FakeService.cookie, path: path, request: "waiting-mails"
            ).text
        let states: [(WaitingMails, PageWord, String?)] = [
            (.on, "approvals.mailsOn", "off"), (.off, "approvals.mailsOff", "on"),
            (.unconfirmed, "approvals.mailsUnconfirmed", nil),
        ]
        for (state, word, choice) in states {
            var service = FakeService()
            service.waitingMails = state
            try await Browser.with(service) { (browser: Browser) async throws in
                let page = try await browser.get("/account/approvals")
                #expect(page.text.contains(word.text(in: .english)), "\(state)")
                #expect(page.text.contains(path) == (choice != nil), "\(state)")
                guard let choice else { return }
                #expect(page.text.contains("name=\"mails\" value=\"\(choice)\""))
                let fields: [(name: String, value: String)] = [("request", "waiting-mails"), ("token", token)]
                let reply = try await browser.post(path, fields + [("mails", choice)])
                #expect(reply.status == 303 && reply.header("Location") == "/account/approvals")
                #expect(try await browser.post(path, fields + [("mails", "maybe")]).status == 400)
            }
            let switched = await service.recorder.work.filter { $0.name == "switchWaitingMails" }
            #expect(switched.map { $0.details["isOn"] } == (choice.map { ["\($0 == "on")"] } ?? []))
        }
        var service = FakeService()
        service.waitingMails = .none
        try await Browser.with(service) { (browser: Browser) async throws in
            #expect(try await !browser.get("/account/approvals").text.contains(path))
        }
    }

    @Test func `a person is approved before the device`() async throws {
        var service = FakeService()
        service.waiting = [
            FakeService.waiting("lu", needsApproval: true, isConfirmed: false, origin: .domain),
            FakeService.waiting("mo", needsApproval: true, origin: .open, hasDevice: false),
        ]
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account/approvals"), links = links(in: page)
            #expect(
                page.text.contains("<title>(2) Waiting – Tenure</title>") && page.text.contains("Address not confirmed")
            )
            #expect(links.map { $0.contains("request=person") } == [true, true, true, true])
            #expect(links[0].contains("action=approve") && links[1].contains("action=reject"))
            let reply = try await browser.post(Self.path, signed("person", "approve", owner: "lu"))
            let list = try #require(reply.header("Location"))
            #expect(reply.status == 303 && list.hasPrefix("/account/approvals?done=approve&of=lu"))
            #expect(try await browser.get(list).text.contains("Approved: lu belongs to Acme now."))
            _ = try await browser.post(Self.path, signed("person", "reject", owner: "mo"))
        }
        let decided = await service.recorder.work.filter { $0.name == "decideStatus" }
        #expect(decided.map { $0.details["action"] } == ["approve", "cancel"])
        #expect(decided.map { $0.details["employee"] } == ["lu", "mo"])
    }

    @Test func `a sentence about a decision is shown to who made it only`() async throws {
        try await Browser.with { (browser: Browser) async throws in
            let form = signed(FakeService.fingerprint, "authorize", owner: "8", answered: true)
            let list = try #require(try await browser.post(Self.path, form).header("Location"))
            #expect(try await browser.get(list).text.contains("Approved: 8 may log in with this device now."))
            let other = list.replacing("of=8", with: "of=9")
            #expect(try await browser.get(other).text.contains("may log in with this device now") == false)
            // The links at the foot lead back to the address of the page.
            #expect(try await browser.get("/account/approvals?done=approve&of=evil").main.contains("evil") == false)
        }
    }

    @Test func `the account says what waits, and that nothing does only if it is true`() async throws {
        var service = FakeService()
        service.waiting = []
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account").text
            #expect(!page.contains("Waiting for your decision"))
            #expect(page.contains("<title>Your account – Tenure</title>"))
        }
        service.waiting = [FakeService.waiting(), FakeService.waiting("8")]
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account").text
            #expect(page.contains("Waiting for your decision: 2."))
            #expect(page.contains("<title>(2) Your account – Tenure</title>"))
            #expect(!page.contains(PageWord("notices.none").text(in: .english)))
        }
        // A page is worth showing without the number.
        service.refusals["countWaiting"] = ServiceError(.serviceUnavailable)
        try await Browser.with(service) { (browser: Browser) async throws in
            #expect(try await browser.get("/account").status == 200)
        }
    }

    @Test func `recoveries are listed, and decided with words and a signature`() async throws {
        let service = FakeService(), key = FakeService.fingerprint
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account/recoveries")
            let links = links(in: page)
            #expect(page.text.contains("Opened by founder.") && page.text.contains("Asked for on"))
            #expect(!page.text.contains(FingerprintWords(hex: key).text))
            #expect(links.contains { $0.contains("action=confirm") } && links.contains { $0.contains("action=cancel") })
            #expect(!links.contains { $0.contains("action=open") }, "nobody opens their own")
            for (action, answered) in [("open", true), ("confirm", true), ("cancel", false)] {
                let reason = action == "cancel" ? "mistake" : ""
                let form = signed(key, action, owner: "8", reason: reason, answered: answered)
                let reply = try await browser.post(Self.path, form)
                #expect(reply.header("Location")?.hasPrefix("/account/recoveries?done=\(action)&of=8") == true)
            }
            // The form of a page that asked for no words opens nothing.
            let unasked = signed(key, "open", owner: "8")
            #expect(try await browser.post(Self.path, unasked).header("Location") == "/account/recoveries")
        }
        let decided = await service.recorder.work.filter { $0.name == "decideRecovery" }
        #expect(decided.map { $0.details["action"] } == ["open", "confirm", "cancel"])
    }

    @Test func `words of a recovery that were wrong twice lead to no signature`() async throws {
        var service = FakeService()
        service.decision = .signatureRequired(statement: [1])
        service.wordChoice = .spent
        try await Browser.with(service) { (browser: Browser) async throws in
            let token = FormToken(cookie: FakeService.cookie, path: Self.path, request: FakeService.fingerprint).text
            let form = [
                (name: "request", value: FakeService.fingerprint), ("token", token), ("action", "open"),
                ("owner", "8"), ("words", "ab"),
            ]
            let subject = [FakeService.fingerprint, "open", "8", "", ""].joined(separator: "\n")
            let reply = try await browser.post(Self.path, form + Browser.armed(Self.path, subject))
            #expect(reply.status == 200 && reply.text == "{}")
        }
    }

    @Test func `several devices are refused at once, each with a signature of its own`() async throws {
        var service = FakeService()
        service.decision = .signatureRequired(statement: [1])
        let other = String(repeating: "cd", count: 32), first = FakeService.fingerprint
        let query = "key=\(first).7&key=\(other).8&key=\(other).8&key=bad&key=ab.9"
        try await Browser.with(service) { (browser: Browser) async throws in
            let list = try await browser.get("/account/approvals").text
            #expect(list.contains("value=\"\(first).7\"") && list.contains("action=\"/account/refusals\""))
            let bare = try await browser.get("/account/refusals?" + query)
            #expect(bare.status == 303 && bare.header("Location") == "/account/approvals", "no list led here")
            let page = try await browser.get(
                Browser.link("/account/refusals?" + query, to: "/account/refusals", "refusals"))
            #expect(page.status == 200 && page.text.matches(of: /<li data-fingerprint=/).count == 2)
            #expect(page.text.contains("name=\"statement.\(other)\" value=\"AQ\""))
        }
        service.decision = FakeService().decision
        let path = "/account/refusals"
        try await Browser.with(service) { (browser: Browser) async throws in
            let token = FormToken(cookie: FakeService.cookie, path: path, request: "refusals").text
            var form = [(name: "request", value: "refusals"), ("token", token)]
            for (key, owner) in [(first, "7"), (other, "8")] {
                form += [("key", "\(key).\(owner)"), ("statement.\(key)", "AQ"), ("signature.\(key)", "Ag")]
            }
            let subject = ["refusals", "\(first).7", "\(other).8"].joined(separator: "\n")
            let reply = try await browser.post(path, form + Browser.armed(path, subject))
            let list = try #require(reply.header("Location"))
            #expect(list.hasPrefix("/account/approvals?done=refuseMany&of=2"))
            #expect(try await browser.get(list).text.contains("Refused devices: 2."))
            // A form about other devices than its page is not taken.
            let others = Browser.armed(path, "refusals\n\(first).7")
            #expect(try await browser.post(path, form + others).header("Location") == "/account/approvals")
        }
        let decided = await service.recorder.work.filter { $0.name == "decideKey" && $0.details["signed"] != "none" }
        #expect(decided.map { $0.details["employee"] } == ["7", "8"])
        #expect(decided.allSatisfy { $0.details["action"] == "refuse" && $0.details["reason"] == "unknown" })
    }

    @Test func `a device without the role shows no list of others`() async throws {
        var service = FakeService()
        service.sessionRole = "employee"
        service.refusals["countWaiting"] = ServiceError(.sessionRoleMissing)
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account").text
            #expect(!page.contains("/account/approvals") && page.contains("<title>Your account – Tenure</title>"))
            #expect(try await browser.get("/account/colleague?name=7").status == 403)
            let invite = try await browser.get("/account/invite")
            #expect(invite.status == 403 && !invite.text.contains("<textarea"), "\(invite.text)")
            #expect(invite.text.contains("Log in again that way."))
        }
    }

    @Test func `an admin removes a colleague's device`() async throws {
        let service = FakeService(), key = FakeService.fingerprint
        try await Browser.with(service) { (browser: Browser) async throws in
            #expect(try await browser.get("/account/colleague").text.contains("User name or e-mail address"))
            let page = try await browser.get("/account/colleague?name=7")
            #expect(page.status == 200 && page.text.contains("a@b.example"))
            let form = signed(key, "revoke", owner: "7", reason: "lost")
            let reply = try await browser.post(Self.path, form)
            #expect(reply.header("Location")?.hasPrefix("/account/colleague?name=7&done=revoke&of=7") == true)
        }
        let decided = await service.recorder.work.filter { $0.name == "decideKey" }
        #expect(decided.map { $0.details["action"] } == ["revoke"])
        #expect(decided.first?.details["reason"] == "lost" && decided.first?.details["employee"] == "7")
    }
}
