import Canonical
import ErrorCodes
import HTTPTypes
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// The pages of one's own account, and an admin's list of who waits.
@Suite(.timeLimit(.minutes(5))) struct AccountPageTests {
    private static let pages = [
        "/account", "/account/devices", "/account/sessions", "/account/consents", "/account/approvals",
        "/account/credentials", "/account/recoveries", "/account/colleague",
    ]
    private static let forms = [
        "/account/logout", "/account/devices/name", "/account/decision", "/account/sessions", "/account/consents",
        "/account/recovery", "/account/address", "/account/name", "/account/invite", "/account/invitations",
        "/account/credentials", "/account/refusals", "/account/approvals/mails", "/account/passkeys",
        "/account/credentials", "/account/refusals", "/account/address/new", "/account/address/code",
        "/account/address/change",
    ]
    private static let statement = Array("tenure/v1/key-revocation\n{}".utf8)

    private func form(_ path: String, _ request: String, _ more: [(name: String, value: String)] = [])
        -> [(name: String, value: String)]
    {
        let token = FormToken(cookie: FakeService.cookie, path: path, request: request).text
        return [("request", request), ("token", token)] + more
    }

    private var signature: [(name: String, value: String)] {
        [("statement", Base64URL.encode(Self.statement)), ("signature", Base64URL.encode([1, 2, 3]))]
    }

    /// What a decision about the device key is about.
    private func subject(_ action: String, owner: String = "", reason: String = "", _ answered: String = "") -> String {
        [FakeService.fingerprint, action, owner, reason, answered].joined(separator: "\n")
    }

    /// The address of the page of a decision, with the token of the list.
    private func decision(_ query: String, _ subject: String) -> String {
        Browser.link("/account/decision?" + query, to: "/account/decision", subject)
    }

    private func changes(_ service: FakeService) async -> [Recorder.Entry] {
        let names: Set<String> = [
            "nameDevice", "endOtherSessions", "withdrawConsent", "closeBrowserSession", "cancelOwnRecovery",
            "revokeDevice", "decideKey", "setDisplayName", "startChange", "switchWaitingMails",
            "addPasskey",
        ]
        return await service.recorder.work.filter { names.contains($0.name) }
    }

    @Test func `the root leads to the account, or to the log-in`() async throws {
        try await Browser.with { (browser: Browser) async throws in
            #expect(try await browser.get("/").header("Location") == "/account")
            var stranger = browser
            stranger.cookie = nil
            let reply = try await stranger.get("/")
            #expect(reply.status == 303 && reply.header("Location") == "/login")
        }
    }

    @Test(arguments: pages) func `a page of the account is for its owner`(path: String) async throws {
        try await Browser.with { (browser: Browser) async throws in
            let page = try await browser.get(path)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.text.contains("You are logged in as 7 at Acme."))
            #expect(page.text.contains("href=\"\(path)\" aria-current=\"page\""))
            for cookie in [nil, "other"] {
                var stranger = browser
                stranger.cookie = cookie
                let reply = try await stranger.get(path, authorization: "Bearer " + FakeService.token)
                #expect(reply.status == 303 && reply.header("Location") == "/login")
            }
        }
    }

    @Test(arguments: forms) func `a form of the account needs its token and its origin`(path: String) async throws {
        let service = FakeService()
        try await Browser.with(service) { (browser: Browser) async throws in
            let fields = form(path, FakeService.fingerprint, [("action", "authorize")])
            for headers in [[("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")]] {
                #expect(try await browser.post(path, fields, headers).status == 403)
            }
            var other = fields
            other[0].value = FakeService.employeeId.lowercased
            #expect(try await browser.post(path, other).status == 303)
            #expect(try await browser.post(path, [("request", "x")]).status == 400)
        }
        #expect(await changes(service).isEmpty)
    }

    @Test func `the challenge of a passkey that somebody adds names the account`() async throws {
        let service = FakeService(), path = "/account/passkeys/challenge"
        try await Browser.with(service) { (browser: Browser) async throws in
            #expect(try await browser.post(path, []).status == 200)
            #expect(try await browser.post("/passkey/challenge", []).status == 200)
            var stranger = browser
            stranger.cookie = nil
            #expect(try await stranger.post(path, []).status == 403)
            #expect(try await browser.post(path, [], [("Sec-Fetch-Site", "cross-site")]).status == 403)
        }
        let issued = await service.recorder.entries.filter { $0.name == "issuePasskeyChallenge" }
        #expect(issued.map { $0.details["owner"] } == [FakeService.employeeId.lowercased, ""])
    }

    @Test func `a passkey that somebody else must approve is added, and the list says that it waits`() async throws {
        var service = FakeService()
        service.refusals["decideKey"] = ServiceError(.authorizationNotPermitted)
        let path = "/account/passkeys"
        try await Browser.with(service) { (browser: Browser) async throws in
            let fields = form(path, "passkey", [("spki", "AQID")]) + Browser.armed(path, "passkey")
            let reply = try await browser.post(path, fields)
            guard reply.status == 200, case .object(let members) = try StrictJSON.parse(reply.bytes),
                case .string(let list)? = members["waits"]
            else {
                Issue.record("\(reply.status) \(reply.text)")
                return
            }
            #expect(members.count == 1 && list.hasPrefix("/account/devices?done=passkeyWaits"))
            #expect(try await browser.get(list).text.contains("It logs nobody in yet"))
            let other = try await browser.get("/account/devices?done=passkeyWaits&of=&token=x")
            #expect(!other.text.contains("It logs nobody in yet"))
        }
        #expect(await changes(service).map(\.name).contains("addPasskey"))
    }

    @Test func `the account shows the user name, and takes the name that colleagues see`() async throws {
        let service = FakeService(), path = "/account/name"
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account")
            #expect(page.text.contains("User name: <strong translate=\"no\">7</strong>"), "\(page.text)")
            #expect(page.text.contains("name=\"displayName\" value=\"Zoë &amp; Co\""), "\(page.text)")
            let set = try await browser.post(path, form(path, "name", [("displayName", "Zoë")]))
            #expect(set.status == 303 && set.header("Location") == "/account")
            let refused = try await browser.post(path, form(path, "name", [("displayName", "<b>")]))
            #expect(refused.status == 400 && refused.text.contains("This name has a character"), "\(refused.text)")
            #expect(refused.text.contains("value=\"&lt;b&gt;\""), "what was typed is lost")
        }
        #expect(await changes(service).map { $0.details["name"] } == ["Zoë", "<b>"])
    }

    @Test(arguments: [false, true]) func `a founder sees three steps, the first only while it is not done`(
        isConfirmed: Bool
    ) async throws {
        var service = FakeService()
        service.isEmailVerified = isConfirmed
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account/start")
            #expect(page.status == 200 && page.text.contains("<h1>Your company is set up</h1>"), "\(page.text)")
            #expect(page.text.contains("action=\"/account/address\"") == !isConfirmed)
            #expect(page.text.contains("Your address is confirmed.") == isConfirmed)
            #expect(page.text.contains("Add a second device") && page.text.contains("Name a second admin"))
            #expect(page.text.contains("href=\"/account\">Later"), "no way out")
        }
    }

    @Test(arguments: [0, 1, 2]) func `a founder without a secret has not finished before there is a second passkey`(
        count: Int
    ) async throws {
        var service = FakeService()
        let held = (0..<count).map {
            OwnPasskeys.Held(
                fingerprint: $0 == 0 ? FakeService.fingerprint : "\($0)", credential: [1], key: [], isSynced: true)
        }
        service.passkeys = OwnPasskeys(
            rpID: "id.example.com", handle: [1], held: held, isSecretless: count > 0)
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account/start")
            #expect(page.text.contains("<h1>One step is missing</h1>") == (count == 1), "\(page.text)")
            #expect(page.text.contains("<h1>Your company is set up</h1>") == (count != 1))
            #expect(page.text.contains("this passkey is your only way in") == (count == 1))
            #expect(page.text.contains("Add a second passkey</h2>") == (count == 1))
            #expect(page.text.contains("Your passkey is synced.") == (count > 0))
            #expect(page.text.contains("Add a second device") == (count == 0))
        }
    }

    @Test func `a passkey is offered once in thirty days, where one is enough and the account has none`() async throws {
        let held = OwnPasskeys.Held(fingerprint: FakeService.fingerprint, credential: [1, 2], key: [], isSynced: true)
        func page(
            _ held: [OwnPasskeys.Held] = [], isEnough: Bool = true, _ headers: [(String, String)] = []
        ) async throws -> API.Answer {
            var service = FakeService()
            service.passkeys = OwnPasskeys(rpID: "id.example.com", handle: [9], held: held, isEnough: isEnough)
            return try await Browser.with(service) { try await $0.get("/account", headers) }
        }
        let text = "Log in without typing", first = try await page()
        #expect(first.text.contains(text) && first.text.contains("href=\"/account/passkeys?token="), "\(first.text)")
        #expect(first.text.contains("data-known=\"\" hidden"), "the module shows it where there are passkeys")
        #expect(first.setCookies.contains { $0.hasPrefix("__Host-tenure-offered=1; Max-Age=2592000; ") })
        for other in [
            try await page([], [("Cookie", "__Host-tenure-offered=1")]), try await page([], isEnough: false),
            try await page([held]),
        ] {
            #expect(other.status == 200 && !other.text.contains(text))
            #expect(!other.setCookies.contains { $0.contains("tenure-offered") })
        }
        // The picker gets what the account has.
        let known = try await page([held]).text
        #expect(known.contains("data-rp=\"id.example.com\" data-handle=\"CQ\" data-known=\"AQI\" hidden"), "\(known)")
        try await Browser.with(FakeService()) { (browser: Browser) async throws in
            let none = try await browser.get("/account")
            #expect(!none.text.contains("id=\"picker\"") && !none.text.contains(PageAsset.picker.path))
        }
    }

    @Test func `an admin invites up to twenty addresses, each with a statement of its own`() async throws {
        var service = FakeService()
        service.decision = .signatureRequired(statement: Array("tenure/v1/invitation-issue\n{}".utf8))
        let path = "/account/invite"
        try await Browser.with(service) { (browser: Browser) async throws in
            func propose(_ text: String) async throws -> API.Answer {
                try await browser.post(path, form(path, "invite", [("addresses", text)]))
            }
            #expect(try await browser.get(path).text.contains("<textarea id=\"addresses\""))
            let page = try await propose(" cy@acme.example\r\n\r\nzed@acme.example, zoe ")
            #expect(page.status == 200, "\(page.text)")
            for (index, (email, name)) in [("cy@acme.example", "cy"), ("zed@acme.example", "zoe")].enumerated() {
                #expect(page.text.contains("name=\"email\(index)\" value=\"\(email)\""), "\(page.text)")
                #expect(page.text.contains("name=\"name\(index)\" value=\"\(name)\""), "\(page.text)")
            }
            #expect(page.text.contains("src=\"\(PageAsset.invite.path)\"") && !page.text.contains("<textarea"))
            let many = (0..<21).map { "p\($0)@acme.example" }.joined(separator: "\n")
            for (text, problem) in [
                ("", "one to twenty"), (many, "one to twenty"), ("admin@acme.example", "No user name can be made"),
                ("a@acme.example x\nb@acme.example x", "stands there twice"), ("a@acme.example x@y", "has an @"),
            ] {
                let refused = try await propose(text)
                #expect(refused.status == 400 && refused.text.contains(problem), "\(refused.text)")
                #expect(text.isEmpty || refused.text.contains(text.prefix(10)), "what was typed is lost")
            }
            // Nothing is issued for a form that no page armed.
            let signed = [
                ("email0", "cy@acme.example"), ("name0", "cy"), ("salt0", "AAAA"), ("statement0", "AAAA"),
                ("signature0", "AAAA"),
            ]
            .map { (name: $0.0, value: $0.1) }
            let sent = try await browser.post(
                "/account/invitations", form("/account/invitations", "invitations", signed))
            #expect(sent.status == 303 && sent.header("Location") == path, "\(sent.text)")
        }
        let issued = await service.recorder.work.filter { $0.name == "issueInvitation" }
        #expect(issued.count == 2 && issued.allSatisfy { $0.details["signed"] == "none" }, "\(issued)")
    }

    @Test func `the account says by what one logs in, and begins a change with the key of the session`() async throws {
        let service = FakeService(), path = "/account/credentials"
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get(path)
            #expect(page.text.contains("You log in with your passphrase, or with your answers."), "\(page.text)")
            #expect(!page.text.contains("It is changed"))
            #expect(try await browser.get(path + "?changed").text.contains("It is changed"))
            let reply = try await browser.post(path, form(path, "credentials"))
            #expect(reply.status == 303 && reply.header("Location")?.hasSuffix("/key") == true)
            #expect(reply.header("Set-Cookie")?.contains(".change.") == true)
        }
        let start = try #require(await service.recorder.work.first { $0.name == "startChange" })
        #expect(start.details["companyName"] == "Acme" && start.details["companyEmployeeId"] == "7")
    }

    @Test func `an address that is not confirmed gets a mail`() async throws {
        var service = FakeService()
        service.isEmailVerified = false
        let path = "/account/address"
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account")
            #expect(page.text.contains("Your address is not confirmed") && page.text.contains("action=\"\(path)\""))
            #expect(!page.text.contains("A mail is on its way"))
            let reply = try await browser.post(path, form(path, "address"))
            #expect(reply.status == 303 && reply.header("Location") == "/account?mailed")
            #expect(try await browser.get("/account?mailed").text.contains("A mail is on its way"))
        }
        #expect(await service.recorder.work.map(\.name).filter { $0 == "verifyMyEmail" }.count == 1)
        try await Browser.with(FakeService()) { (browser: Browser) async throws in
            #expect(try await browser.get("/account?mailed").text.contains("on its way") == false)
        }
    }

    @Test(arguments: [
        (ServiceError(.mailUnavailable), "The service can send no mail now."),
        (ServiceError(.requestRateLimited), "Too many mails were asked for."),
        (ServiceError(.emailInvalid), "No mail can be sent to the address"),
    ]) func `the account says why no mail was sent`(error: ServiceError, text: String) async throws {
        var service = FakeService()
        service.isEmailVerified = false
        service.refusals["verifyMyEmail"] = error
        try await Browser.with(service) { (browser: Browser) async throws in
            let path = "/account/address", reply = try await browser.post(path, form(path, "address"))
            #expect(reply.status == error.code.status && reply.text.contains(text))
            #expect(!reply.text.contains("A mail is on its way"))
        }
    }

    @Test func `a device shows its words, and gets a name`() async throws {
        let service = FakeService()
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get("/account/devices")
            let words = FingerprintWords(hex: FakeService.fingerprint)
            #expect(words.words.count == 8 && page.text.contains(words.text))
            #expect(page.text.contains("You use this device now.") && page.text.contains("<option value=\"stolen\">"))
            let path = "/account/devices/name"
            let reply = try await browser.post(path, form(path, FakeService.fingerprint, [("name", "My <b>laptop")]))
            #expect(reply.status == 303 && reply.header("Location") == "/account/devices")
            let refused = try await browser.post(path, form(path, FakeService.fingerprint, [("name", "")]))
            #expect(refused.status == 400 && refused.text.contains("aria-invalid=\"true\""))
            #expect(refused.text.matches(of: /role="alert"/).count == 1)
        }
        #expect(
            await changes(service).first?.details
                == ["fingerprint": FakeService.fingerprint, "name": "My <b>laptop"])
    }

    @Test func `a revocation shows what is signed, and is sent with the signature`() async throws {
        var service = FakeService()
        service.decision = .signatureRequired(statement: Self.statement)
        let query = "request=\(FakeService.fingerprint)&action=revoke&reason=lost"
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get(decision(query, subject("revoke")))
            #expect(page.status == 200 && page.text.contains("loses access as 7 at Acme for good"))
            #expect(page.text.contains("data-tag=\"tenure/v1/key-revocation\"") && page.text.contains("I have lost it"))
            #expect(page.text.contains("value=\"\(Base64URL.encode(Self.statement))\""))
            #expect(page.text.contains("src=\"\(PageAsset.sign.path)\""))
            // A form that no script has filled in changes nothing.
            let path = "/account/decision", more = [(name: "action", value: "revoke"), ("reason", "lost")]
            #expect(try await browser.post(path, form(path, FakeService.fingerprint, more)).status == 303)
        }
        service.decision = FakeService().decision
        try await Browser.with(service) { (browser: Browser) async throws in
            let path = "/account/decision", more = [(name: "action", value: "revoke"), ("reason", "lost")]
            let armed = Browser.armed(path, subject("revoke", reason: "lost"))
            let reply = try await browser.post(path, form(path, FakeService.fingerprint, more + signature + armed))
            #expect(reply.status == 303 && reply.header("Location")?.hasPrefix("/account/devices?done=revoke") == true)
        }
        #expect(await changes(service).last?.details == ["fingerprint": FakeService.fingerprint, "reason": "lost"])
    }

    @Test(arguments: [("authorize", "none"), ("refuse", "unknown")])
    func `a key that waits is decided with a signature`(action: String, reason: String) async throws {
        let service = FakeService()
        let path = "/account/decision"
        try await Browser.with(service) { (browser: Browser) async throws in
            func armed(_ owner: String) -> [(name: String, value: String)] {
                let isApproval = action == "authorize"
                return Browser.armed(
                    path,
                    subject(
                        action, owner: owner, reason: isApproval ? "" : "unknown", isApproval ? "answered" : ""))
            }
            let own = form(path, FakeService.fingerprint, [("action", action)] + signature + armed(""))
            let done = try #require(try await browser.post(path, own).header("Location"))
            #expect(done.hasPrefix("/account/devices?done=\(action)&of=&token="))
            let said = action == "authorize" ? "Approved: the device may log in as 7 now." : "Refused: this device of 7"
            #expect(try await browser.get(done).text.contains(said))
            let other = form(
                path, FakeService.fingerprint, [("action", action), ("owner", "8")] + signature + armed("8"))
            let list = try #require(try await browser.post(path, other).header("Location"))
            #expect(list.hasPrefix("/account/approvals?done=\(action)&of=8&token=") && list.hasSuffix("&position=9"))
        }
        let decided = await changes(service)
        #expect(decided.map { $0.details["employee"] } == ["7", "8"])
        #expect(decided.allSatisfy { $0.details["action"] == action && $0.details["reason"] == reason })
    }

    @Test(arguments: [
        "", "request=ab&action=authorize", "request=\(FakeService.fingerprint)",
        "request=\(FakeService.fingerprint)&action=delete", "request=\(FakeService.fingerprint)&action=revoke",
        "request=\(FakeService.fingerprint)&action=revoke&reason=bored",
        "request=\(FakeService.fingerprint)&action=open", "request=\(FakeService.fingerprint)&action=approve&owner=8",
        "request=person&action=approve", "request=person&action=authorize&owner=8",
        "request=\(FakeService.fingerprint)&action=authorize&owner=7&owner=8",
    ])
    func `a decision that no page asks for is malformed`(query: String) async throws {
        let reply = try await Browser.with { try await $0.get("/account/decision?" + query) }
        #expect(reply.status == 400)
    }

    @Test func `other sessions end, one or all`() async throws {
        let service = FakeService(), path = "/account/sessions"
        try await Browser.with(service) { (browser: Browser) async throws in
            for request in [FakeService.appId.lowercased, "others"] {
                let reply = try await browser.post(path, form(path, request))
                #expect(reply.status == 303 && reply.header("Location") == path)
            }
            #expect(try await browser.post(path, form(path, "none")).status == 400)
        }
        #expect(await changes(service).map { $0.details["session"] } == [FakeService.appId.lowercased, "all"])
    }

    @Test func `a consent is withdrawn`() async throws {
        let service = FakeService(), path = "/account/consents"
        try await Browser.with(service) { (browser: Browser) async throws in
            let page = try await browser.get(path).text, time = "\(FakeService.time.description.prefix(10))"
            #expect(page.contains("your address, if it is verified") && page.contains("Allowed on \(time)"))
            #expect(page.contains("<h2 translate=\"no\">Mail</h2>") && page.contains("Stays logged in until \(time)"))
            #expect(page.ranges(of: "Allowed on").count == 1, "the other client asked nobody")
            let reply = try await browser.post(path, form(path, FakeService.appId.lowercased))
            #expect(reply.status == 303 && reply.header("Location") == path)
        }
        #expect(await changes(service).map { $0.details["client"] } == [FakeService.appId.lowercased])
    }

    @Test func `a recovery is shown, and cancelled with a signature`() async throws {
        let service = FakeService(), path = "/account/recovery"
        try await Browser.with(service) { (browser: Browser) async throws in
            #expect(try await browser.get("/account").text.contains("href=\"/account/recovery?token="))
            #expect(try await browser.post(path, form(path, "recovery", signature)).status == 303)
            let armed = Browser.armed(path, "recovery")
            let reply = try await browser.post(path, form(path, "recovery", signature + armed))
            #expect(reply.status == 303 && reply.header("Location") == "/account")
        }
        #expect(await changes(service).last?.details == ["isSigned": "true"])
    }

    @Test func `a log-out ends the session of the cookie, and deletes it`() async throws {
        let service = FakeService(), path = "/account/logout"
        try await Browser.with(service) { (browser: Browser) async throws in
            let reply = try await browser.post(path, form(path, "account"))
            #expect(reply.status == 200 && reply.text.contains("You are logged out."))
            #expect(
                reply.header("Set-Cookie") == "__Host-tenure=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure")
        }
        #expect(await changes(service).map(\.details) == [["cookie": FakeService.cookie]])
    }

    @Test func `a request of a page carries the browser's name, and one of the API none`() async throws {
        let service = FakeService(), agent = ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0")
        try await Browser.with(service) { (browser: Browser) async throws in
            let path = "/account/devices/name"
            _ = try await browser.post(
                path, form(path, FakeService.fingerprint, [("name", "x")]),
                [("Origin", "null"), ("Sec-Fetch-Site", "same-origin"), agent])
        }
        #expect(await changes(service).last?.call?.deviceName == "Firefox on Linux")
    }
}

extension API.Answer {
    fileprivate var setCookies: [String] { fields[values: .setCookie] }
}
