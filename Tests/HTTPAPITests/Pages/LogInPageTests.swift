import Canonical
import ErrorCodes
import HTTPTypes
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

/// A browser that keeps the cookies of the log-in pages.
private struct Visitor: Sendable {
    static let form = Base64URL.encode([UInt8](repeating: 7, count: 32))
    static func flow(_ request: String = "", stage: BrowserFlow.Stage? = nil) throws -> BrowserFlow {
        try FakeService.flow(stage ?? .flow(.login, handle: "Zmxvdw"), request: request)
    }

    var browser: Browser
    var formCookie: String? = Self.form
    var flowCookie: BrowserFlow?

    static func with<Value: Sendable>(
        _ service: FakeService = FakeService(), in flow: BrowserFlow? = nil,
        _ work: @Sendable (Visitor) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.cookie = nil
            return try await work(Visitor(browser: browser, flowCookie: try flow ?? Self.flow()))
        }
    }

    private var cookies: [(String, String)] {
        let pairs = [
            formCookie.map { "__Host-tenure-form=\($0)" }, flowCookie.map { "__Host-tenure-flow-\($0.id)=\($0.text)" },
        ].compactMap { $0 }
        return pairs.isEmpty ? [] : [("Cookie", pairs.joined(separator: "; "))]
    }

    func get(_ path: String, _ headers: [(String, String)] = []) async throws -> API.Answer {
        try await browser.get(path, cookies + headers)
    }

    func post(
        _ path: String, token: String? = nil, _ fields: [(name: String, value: String)] = [],
        _ headers: [(String, String)] = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]
    ) async throws -> API.Answer {
        let right = FormToken(cookie: Self.form, path: path, request: "").text
        return try await browser.post(
            path, [("token", token ?? right), ("once", "1")] + fields, cookies + headers)
    }

    /// Sends the form that begins a log-in.
    func begin(
        company: String = "Acme", employee: String = "7", key: String? = Self.key, path: String = "/login"
    ) async throws -> API.Answer {
        let fields = [(name: "company", value: company), ("employee", employee), ("key", key ?? "")]
        return try await post(path, fields)
    }

    static let key = Base64URL.encode([4] + [UInt8](repeating: 1, count: 64))
    static let answers = (0..<3).map { (name: "answer-Q\($0)", value: "a\($0)") }
}

extension API.Answer {
    fileprivate var setCookies: [String] { fields[values: .setCookie] }
}

/// The pages that log a person in.
@Suite(.timeLimit(.minutes(5))) struct LogInPageTests {
    private static let path = "/login/" + FakeService.flowID

    private func waiting(
        _ page: AuthorizationAnswer.Page = .logIn, hint: String? = nil, tenant: String? = nil
    ) -> FakeService {
        var service = FakeService()
        service.pending = FakeService.pending(page: page, loginHint: hint, tenant: tenant)
        return service
    }

    @Test func `the form says which client it is for, and what the client knows is text in its fields`() async throws {
        let service = waiting(hint: "\"><b>7", tenant: "Acme & Sons")
        try await Visitor.with(service, in: try Visitor.flow(FakeService.handle, stage: .request)) { visitor in
            let page = try await visitor.get(Self.path)
            #expect(page.status == 200 && page.text.contains("<h1>Log in to Wiki</h1>"))
            #expect(page.text.contains("value=\"Acme &amp; Sons\""))
            #expect(page.text.contains("value=\"&quot;&gt;&lt;b&gt;7\""))
            #expect(page.text.contains("href=\"/register/join/\(FakeService.flowID)\""))
            #expect(!page.text.contains(FakeService.handle), "a page shows the handle of the request")
            let plain = try await visitor.get("/login")
            #expect(plain.text.contains("<h1>Log in</h1>") && plain.text.contains("href=\"/register/join\""))
            for text in [page.text, plain.text] {
                #expect(text.contains("autocomplete=\"username\"") && text.contains("<noscript>"))
                #expect(text.contains("<script type=\"module\" src=\"\(PageAsset.device.path)\"></script>"))
            }
        }
    }

    @Test func `a browser without the form's cookie gets one`() async throws {
        try await Visitor.with { visitor in
            var visitor = visitor
            #expect(try await visitor.get("/login").setCookies.isEmpty)
            for cookie in [nil, "short", "a b"] {
                visitor.formCookie = cookie
                let set = try #require(try await visitor.get("/login").setCookies.first)
                #expect(
                    set.wholeMatch(
                        of: /__Host-tenure-form=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/) != nil)
            }
        }
    }

    @Test func `a request that needs no log-in goes on`() async throws {
        for (service, handle) in [(FakeService(), FakeService.handle), (waiting(), "gone")] {
            let flow = try Visitor.flow(handle, stage: .request)
            try await Visitor.with(service, in: flow) { visitor in
                for reply in [try await visitor.get(Self.path), try await visitor.begin(path: Self.path)] {
                    #expect(reply.status == 303 && reply.header("Location") == "/answer/" + FakeService.flowID)
                }
            }
        }
    }

    @Test func `the form begins a flow, whose cookie names the request`() async throws {
        let service = waiting(.chooseAccount)
        let reply = try await Visitor.with(service, in: try Visitor.flow(FakeService.handle, stage: .request)) {
            try await $0.begin(path: Self.path)
        }
        #expect(reply.status == 303 && reply.header("Location") == "/flow/\(FakeService.flowID)/key")
        let value = "1.login.\(FakeService.started.flow).\(FakeService.handle).\(FakeService.appId.lowercased)"
        #expect(
            reply.setCookies == [
                "__Host-tenure-flow-\(FakeService.flowID)=\(value); Max-Age=86400; Path=/; "
                    + "HttpOnly; SameSite=Lax; Secure"
            ])
        let started = try #require(await service.recorder.last)
        #expect(started.name == "startLogin")
        #expect(started.details == ["companyName": "Acme", "companyEmployeeId": "7"])
        #expect(started.call?.idempotencyKey?.count == 43)
    }

    @Test func `what is missing is told beside the field, and nothing begins`() async throws {
        let service = FakeService()
        try await Visitor.with(service) { visitor in
            let none = try await visitor.begin(company: "", employee: " \t")
            #expect(none.status == 400 && none.text.contains("<div class=\"problems\""))
            for (field, text) in [
                ("company", "Enter the name of your company."), ("employee", "Enter your user name."),
            ] {
                #expect(none.text.contains("<a href=\"#\(field)\">\(text)</a>"))
                #expect(none.text.contains("id=\"\(field)-error\">\(text)</p>"))
            }
            for key in [nil, "not base64url!"] {
                let answer = try await visitor.begin(key: key)
                #expect(answer.status == 400 && answer.text.contains("This browser sent no key."))
                #expect(answer.text.contains("value=\"Acme\""))
            }
        }
        #expect(await service.recorder.steps.isEmpty)
    }

    @Test(arguments: [
        ("/companyName", "company"), ("/companyEmployeeId", "employee"),
    ]) func `a name that cannot be one is told beside its field`(pointer: String, field: String) async throws {
        var service = FakeService()
        service.refusals["startLogin"] = ServiceError(
            .requestInvalid, members: [.init(pointer: pointer, detail: "a name is expected")])
        let answer = try await Visitor.with(service) { try await $0.begin(company: "a\u{202E}b") }
        #expect(answer.status == 400 && answer.text.contains("<a href=\"#\(field)\">"))
    }

    @Test(
        arguments: [
            "/login", "/flow/\(FakeService.flowID)/key", "/flow/\(FakeService.flowID)/answers",
            "/flow/\(FakeService.flowID)/passphrase",
        ],
        [
            [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
            [("Origin", "null"), ("Sec-Fetch-Site", "none")],
            // A frame that another site has sandboxed.
            [("Origin", "null"), ("Sec-Fetch-Site", "cross-site")],
            [("Origin", "null"), ("Sec-Fetch-Site", "same-site")], [("Origin", "null"), ("Origin", "null")],
        ])
    func `a form of another site logs nobody in`(path: String, headers: [(String, String)]) async throws {
        let service = FakeService()
        let reply = try await Visitor.with(service) {
            try await $0.post(path, [], headers)
        }
        #expect(reply.status == 403 && reply.text.contains("sent by another site"))
        #expect(await service.recorder.steps.isEmpty)
    }

    @Test(
        arguments: [
            "/login", "/flow/\(FakeService.flowID)/key", "/flow/\(FakeService.flowID)/answers",
            "/flow/\(FakeService.flowID)/passphrase",
        ], [[], [("Origin", "null")]])
    func `without a word about the site the form's token decides`(path: String, headers: [(String, String)])
        async throws
    {
        var service = FakeService()
        service.view = FakeService.view(path.hasSuffix("passphrase") ? .passphrase : .answers)
        let stranger = FormToken(
            cookie: Base64URL.encode([UInt8](repeating: 8, count: 32)), path: path, request: ""
        ).text
        try await Visitor.with(service) { [service] visitor in
            for token in ["", "x", stranger] {
                _ = try await visitor.post(path, token: token, [], headers)
                #expect(await service.recorder.steps.allSatisfy { $0.name == "readFlow" }, "\(token) was taken")
            }
            let own = try await visitor.post(path, [], headers)
            #expect(!own.text.contains("sent by another site"))
        }
    }

    @Test(arguments: [
        "/login", "/flow/\(FakeService.flowID)/key", "/flow/\(FakeService.flowID)/answers",
        "/flow/\(FakeService.flowID)/passphrase",
    ])
    func `a form belongs to its browser, its path and what it is about`(path: String) async throws {
        var service = FakeService()
        service.view = FakeService.view(path.hasSuffix("passphrase") ? .passphrase : .answers)
        func token(_ cookie: String, _ path: String, _ subject: String = "") -> String {
            FormToken(cookie: cookie, path: path, request: subject).text
        }
        let wrong = [
            token(Base64URL.encode([UInt8](repeating: 8, count: 32)), path), token(Visitor.form, "/x"),
            token(Visitor.form, path + "/flow-of-another-tab-22"),
            token(Visitor.form, path, "x"), "x",
        ]
        try await Visitor.with(service) { [service] visitor in
            for token in wrong {
                let reply = try await visitor.post(
                    path, token: token, Visitor.answers + [("company", "Acme"), ("passphrase", "four words")])
                // A page whose module sends the form is made anew.
                let isShown = reply.status == 403 && reply.text.contains("Send this form once more")
                #expect(path.hasSuffix("key") ? reply.status == 303 : isShown, "\(token)")
                #expect(!reply.text.contains("value=\"a0\"") && !reply.text.contains("four words"))
                guard isShown else { continue }
                #expect(path != "/login" || reply.text.contains("value=\"Acme\""), "what was typed is lost")
                #expect(reply.text.contains(FormToken(cookie: Visitor.form, path: path, request: "").text))
            }
            var without = visitor
            without.formCookie = nil
            let reply = try await without.post(path, Visitor.answers)
            #expect(reply.status == 403 && (reply.setCookies.count == 1 || path.hasSuffix("key")))
            #expect(await service.recorder.steps.allSatisfy { $0.name == "readFlow" })
        }
    }

    @Test func `a path of a flow without its cookie opens nobody's flow`() async throws {
        let service = FakeService(), flow = try Visitor.flow()
        try await Visitor.with(service) { visitor in
            var visitor = visitor
            visitor.flowCookie = nil
            let name = "__Host-tenure-flow-\(flow.id)"
            for cookie in [
                "", "\(name)=x", "\(name)=1.login.Zmxvdw.", "\(name)=1.other.Zmxvdw..", "\(name)=1.login.a b..",
                "\(name)=\(flow.text); \(name)=\(flow.text)", "__Host-tenure-flow-flow-of-another-tab-22=\(flow.text)",
            ] {
                for path in ["/login/\(flow.id)", "/flow/\(flow.id)/answers", "/answer/\(flow.id)"] {
                    let page = try await visitor.get(path, [("Cookie", cookie)])
                    #expect(page.status == 410 && page.text.contains("<h1>Begin again here</h1>"), "\(cookie)")
                    #expect(page.text.contains("href=\"/login\""))
                }
                let sent = try await visitor.post(
                    "/flow/\(flow.id)/answers", Visitor.answers, [("Cookie", cookie), ("Origin", "https://id.example")])
                #expect(sent.status == 410)
            }
        }
        #expect(await service.recorder.steps.isEmpty)
    }
}

/// The pages of a flow's steps.
@Suite(.timeLimit(.minutes(5))) struct FlowPageTests {

    private func service(_ step: FlowView.Step, questions: Int = 5) -> FakeService {
        var service = FakeService()
        service.view = FakeService.view(step, questions: questions)
        service.pending = FakeService.pending(page: .logIn)
        return service
    }

    @Test(arguments: [
        (FlowView.Step.key, "/flow/\(FakeService.flowID)/key"), (.answers, "/flow/\(FakeService.flowID)/answers"),
        (.passphrase, "/flow/\(FakeService.flowID)/passphrase"),
        (.credentials, "/flow/\(FakeService.flowID)/credentials"),
    ]) func `each page of a flow leads to the step that the flow waits for`(step: FlowView.Step, path: String)
        async throws
    {
        let paths = [
            "/flow/\(FakeService.flowID)/key", "/flow/\(FakeService.flowID)/answers",
            "/flow/\(FakeService.flowID)/passphrase",
        ]
        try await Visitor.with(service(step, questions: step == .answers ? 5 : 0)) { visitor in
            for asked in paths {
                let page = try await visitor.get(asked)
                #expect(page.status == (asked == path ? 200 : 303), "\(asked)")
                #expect(page.header("Location") == (asked == path ? nil : path), "\(asked)")
            }
        }
    }

    @Test func `a step shows the texts of its request, whatever session the browser has`() async throws {
        let service = service(.answers)
        try await Visitor.with(service, in: try Visitor.flow(FakeService.handle)) { visitor in
            var visitor = visitor
            visitor.browser.cookie = FakeService.cookie
            #expect(try await visitor.get("/flow/\(FakeService.flowID)/answers").status == 200)
            _ = try await visitor.get("/login/\(FakeService.flowID)")
        }
        let reads = await service.recorder.steps.filter { $0.name == "readAuthorization" }
        #expect(reads.map { $0.details["cookie"] } == ["", FakeService.cookie], "only the log-in asks what is next")
    }

    @Test func `the page of the key gives the challenge to its module`() async throws {
        var service = service(.key, questions: 0)
        service.view = FakeService.view(.key, company: "\" onload=\"x", employee: "<7>", questions: 0)
        let page = try await Visitor.with(service) { try await $0.get("/flow/\(FakeService.flowID)/key") }
        #expect(page.text.contains("data-challenge=\"\(Base64URL.encode(Array("challenge".utf8)))\""))
        #expect(page.text.contains("data-company=\"&quot; onload=&quot;x\" data-employee=\"&lt;7&gt;\""))
        #expect(page.text.contains("<script type=\"module\" src=\"\(PageAsset.flow.path)\"></script>"))
        #expect(page.text.contains("<noscript>") && page.text.contains("does not have the key"))
    }

    @Test func `a signature goes to the flow of the form`() async throws {
        let service = service(.key), signature = [UInt8](repeating: 9, count: 64)
        let reply = try await Visitor.with(service) { visitor in
            // Another tab has begun another flow since.
            let other = try FakeService.flow(.flow(.login, handle: "b3RoZXI"), id: "flow-of-another-tab-22")
            return try await visitor.post(
                "/flow/\(FakeService.flowID)/key", [("proof", Base64URL.encode(signature))],
                [("Cookie", "__Host-tenure-flow-\(other.id)=\(other.text)"), ("Origin", "https://id.example")])
        }
        #expect(reply.status == 303 && reply.header("Location") == "/flow/\(FakeService.flowID)/answers")
        #expect(
            await service.recorder.last?.details
                == ["purpose": "login", "flow": "Zmxvdw", "proof": Hex.encode(signature)])
    }

    @Test func `the questions are labelled fields that browsers do not fill in`() async throws {
        let page = try await Visitor.with(service(.answers), in: try Visitor.flow(FakeService.handle)) {
            try await $0.get("/flow/\(FakeService.flowID)/answers")
        }
        for number in 0..<5 {
            #expect(page.text.contains("<label for=\"answer-Q\(number)\">Question \(number)?</label>"))
            #expect(page.text.contains("name=\"answer-Q\(number)\" autocomplete=\"off\""))
        }
        #expect(page.text.contains("7 at Acme") && !page.text.contains("onpaste"))
        #expect(page.text.contains("href=\"/answer/\(FakeService.flowID)\""))
    }

    @Test func `the passphrase is for password managers, and the questions are offered if they may be answered`()
        async throws
    {
        for count in [0, 5] {
            let page = try await Visitor.with(service(.passphrase, questions: count)) {
                try await $0.get("/flow/\(FakeService.flowID)/passphrase")
            }
            #expect(page.text.contains("type=\"password\"") && page.text.contains("autocomplete=\"current-password\""))
            #expect(page.text.contains("href=\"/flow/\(FakeService.flowID)/answers\"") == (count > 0))
        }
        let questions = try await Visitor.with(service(.passphrase)) {
            try await $0.get("/flow/\(FakeService.flowID)/answers")
        }
        #expect(questions.status == 200 && questions.text.contains("Question 4?"))
    }

    @Test func `right answers open a session with a new cookie, and the tokens stay here`() async throws {
        for request in ["", FakeService.handle] {
            let location = request.isEmpty ? "/account" : "/answer/" + FakeService.flowID
            var service = service(.answers)
            service.outcome = FakeService.success
            let reply = try await Visitor.with(service, in: try Visitor.flow(request)) {
                try await $0.post("/flow/\(FakeService.flowID)/answers", Visitor.answers + [("answer-Q4", "  ")])
            }
            #expect(reply.status == 303 && reply.header("Location") == location)
            #expect(
                reply.setCookies == [
                    "__Host-tenure-flow-\(FakeService.flowID)=1.\(request.isEmpty ? "done" : "request")..\(request)."
                        + "\(FakeService.appId.lowercased); Max-Age=86400; Path=/; HttpOnly; SameSite=Lax; Secure",
                    "__Host-tenure=\(FakeService.newCookie); Path=/; HttpOnly; SameSite=Lax; Secure",
                    "__Host-tenure-known=known; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax; Secure",
                ])
            #expect(!reply.text.contains(FakeService.token) && !"\(reply.fields)".contains(FakeService.token))
            let steps = await service.recorder.steps.filter { $0.name != "readAuthorization" },
                names = steps.map(\.name)
            #expect(names == ["validateAnswers", "takeBrowserCookie"])
            #expect(steps.last?.details["request"] == request, "the account is chosen for it")
            #expect(steps.first?.details["answers"] == "Q0=a0|Q1=a1|Q2=a2")
            // The step opens the browser session itself, and takes the cookie that the browser had.
            let browser = try #require(steps.first?.call?.browser)
            #expect(steps.dropFirst().first?.details["form"] == browser.form && browser.form.utf8.count == 43)
        }
    }

    @Test func `fewer than three answers are told before anything is asked of the service`() async throws {
        let service = service(.answers)
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/\(FakeService.flowID)/answers", [Visitor.answers[0], Visitor.answers[1]])
        }
        #expect(reply.status == 400 && reply.text.contains("id=\"answers-error\">Answer at least three"))
        #expect(await service.recorder.steps.map(\.name) == ["readFlow"])
        #expect(!reply.text.contains("value=\"a0\""), "an answer came back")
    }

    private static let refusals: [(ServiceError, Int, String, String?)] = [
        (ServiceError(.answersIncorrect), 403, "That did not match.", nil),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 45), 429, "Try again in 45 seconds.", "45"),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 601), 429, "Try again in 11 minutes.", "601"),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 7_201), 429, "Try again in 3 hours.", "7201"),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 0), 429, "no more are possible", nil),
        (ServiceError(.requestInvalid), 400, "cannot read this text", nil),
        (ServiceError(.serviceBusy, retryAfterSeconds: 1), 503, "your turn did not come", "1"),
    ]

    @Test(arguments: refusals) func `a refused answer is told beside the form, with the time to wait`(
        error: ServiceError, status: Int, text: String, wait: String?
    ) async throws {
        var service = service(.answers)
        service.refusals["validateAnswers"] = error
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/\(FakeService.flowID)/answers", Visitor.answers)
        }
        #expect(reply.status == status && reply.header("Retry-After") == wait)
        #expect(reply.text.contains(text) && reply.text.contains("Question 0?"), "\(reply.text)")
        #expect(reply.text.contains("<div class=\"problems\" role=\"alert\" tabindex=\"-1\" autofocus>"))
    }

    @Test func `a module gets the problems, or the next page, and keeps what was typed`() async throws {
        let path = "/flow/\(FakeService.flowID)/answers"
        let headers = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin"), ("Accept", "application/json")]
        var wrong = service(.answers)
        wrong.refusals["validateAnswers"] = ServiceError(.answersIncorrect)
        let refused = try await Visitor.with(wrong) { try await $0.post(path, Visitor.answers, headers) }
        #expect(refused.status == 403 && refused.header("Content-Type") == "application/json", "\(refused.text)")
        #expect(refused.text.contains("\"fields\":{\"answers\":\"That did not match."), "\(refused.text)")
        #expect(refused.text.contains("\"id\":\"answer-Q0\"") && refused.text.contains("\"once\":\""))
        #expect(!refused.text.contains("<"), "a page")
        var right = service(.answers)
        right.outcome = FakeService.success
        let taken = try await Visitor.with(right) { try await $0.post(path, Visitor.answers, headers) }
        #expect(
            taken.status == 200 && taken.text.contains("{\"next\":\"/answer/")
                || taken.text == "{\"next\":\"/account\"}")
        #expect(taken.header("Location") == nil && taken.setCookies.count == 3, "\(taken.text)")
        #expect(!taken.text.contains(FakeService.token))
        // A page the module cannot show. The browser sends the form itself, and gets the same one.
        var closed = service(.answers)
        closed.refusals["validateAnswers"] = ServiceError(.employeeInactive)
        try await Visitor.with(closed) { visitor in
            let page = try await visitor.post(path, Visitor.answers, headers)
            #expect(page.header("Content-Type")?.hasPrefix("text/html") == true && page.setCookies.isEmpty)
            #expect(try await visitor.post(path, Visitor.answers).text.contains("<h1>This account is closed</h1>"))
        }
    }

    @Test func `a wrong passphrase is told beside the field, and a missing one too`() async throws {
        var service = service(.passphrase, questions: 0)
        service.refusals["validatePassphrase"] = ServiceError(.passphraseIncorrect)
        try await Visitor.with(service) { visitor in
            let wrong = try await visitor.post(
                "/flow/\(FakeService.flowID)/passphrase", [("passphrase", "wrong horse")])
            #expect(wrong.status == 403 && wrong.text.contains("That did not match."))
            #expect(!wrong.text.contains("wrong horse"))
            let none = try await visitor.post("/flow/\(FakeService.flowID)/passphrase")
            #expect(none.status == 400 && none.text.contains("<a href=\"#passphrase\">Enter your passphrase.</a>"))
        }
    }

    @Test(arguments: [
        (ServiceError(.policyBlindOnly), "Another program is needed"),
        (ServiceError(.employeeInactive), "This account is closed"),
        (ServiceError(.employeeNotApproved), "Not approved yet"),
        (ServiceError(.employeePasskeyRequired), "A passkey is needed"),
        (ServiceError.keyEnded, "The key of this browser has ended"),
        (ServiceError.tooManyPendingKeys, "Not approved"),
        (ServiceError(.flowExpired), "This log-in has ended"),
        (ServiceError(.flowAlreadyUsed), "This log-in has ended"),
        (ServiceError(.requestStale), "This log-in has ended"),
    ]) func `a flow that ends says what is next, and begins again at the same client`(
        error: ServiceError, title: String
    ) async throws {
        var service = service(.answers)
        service.refusals["validateAnswers"] = error
        try await Visitor.with(service, in: try Visitor.flow(FakeService.handle)) { visitor in
            let reply = try await visitor.post("/flow/\(FakeService.flowID)/answers", Visitor.answers)
            #expect(reply.status == error.code.status && reply.text.contains("<h1>\(title)</h1>"))
            #expect(reply.text.contains("<a href=\"/answer/\(FakeService.flowID)\">Start again</a>"))
            #expect(reply.setCookies.first?.contains("=1.request..\(FakeService.handle).") == true)
        }
    }

    @Test func `a wrong signature ends the flow with a way to begin again`() async throws {
        var service = service(.key)
        service.refusals["proveKey"] = ServiceError(.employeeKeyInvalid)
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/\(FakeService.flowID)/key", [("proof", "AAAA")])
        }
        #expect(reply.status == 400 && reply.text.contains("could not be recognized"))
        #expect(reply.text.contains("<a href=\"/login\">Start again</a>"))
    }

    @Test func `a form of a step that is over leads to the step that is next`() async throws {
        var service = service(.answers)
        service.refusals["proveKey"] = ServiceError(.flowWrongStep)
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/\(FakeService.flowID)/key", [("proof", "AAAA")])
        }
        #expect(reply.status == 303 && reply.header("Location") == "/flow/\(FakeService.flowID)/key")
    }

    /// What the button of the browser or a reload brings back says what is true.
    @Test(arguments: [true, false]) func `a page of a flow that is over leads on`(isLoggedIn: Bool) async throws {
        for (stage, client) in [(BrowserFlow.Stage.done, true), (.ended, true), (.done, false)] {
            var flow = try FakeService.flow(stage, request: "")
            if !client { flow = try #require(BrowserFlow(id: flow.id, "1.done...")) }
            try await Visitor.with(service(.answers), in: flow) { [flow] visitor in
                var visitor = visitor
                visitor.browser.cookie = isLoggedIn ? FakeService.cookie : nil
                for path in [
                    "/flow/\(flow.id)/answers", "/login/\(flow.id)", "/answer/\(flow.id)", "/consent/\(flow.id)",
                ] {
                    let page = try await visitor.get(path)
                    #expect(page.status == (isLoggedIn ? 200 : 410))
                    #expect(page.text.contains(isLoggedIn ? "You are logged in" : "This log-in has ended"))
                    let link =
                        client
                        ? "https://wiki.example/\">\(isLoggedIn ? "Go on to" : "Begin again at") Wiki"
                        : isLoggedIn ? "/account\">Go to your account" : "/login\">Start again"
                    #expect(page.text.contains("<a href=\"\(link)</a>"), "\(page.text)")
                }
            }
        }
    }

    @Test(arguments: [(nil, 7), (BrowserFlow.Stage.request, 2), (.done, 2)])
    func `a ninth flow ends the oldest one, and what is over or unanswered first`(
        third: BrowserFlow.Stage?, gone: Int
    ) async throws {
        let others = try (1...8).map { number in
            let stage = number == 3 ? third ?? .wait("d2FpdA") : .wait("d2FpdA")
            return try FakeService.flow(stage, id: "flow-of-another-tab--\(number)", began: Int64(100 - number))
        }
        let cookies = others.map { "__Host-tenure-flow-\($0.id)=\($0.text)" }.joined(separator: "; ")
        try await Visitor.with { visitor in
            var visitor = visitor
            visitor.flowCookie = nil
            let reply = try await visitor.post(
                "/login", [("company", "Acme"), ("employee", "7"), ("key", Visitor.key)],
                [("Cookie", cookies), ("Origin", "https://id.example")])
            #expect(reply.status == 303 && reply.setCookies.count == 2)
            #expect(reply.setCookies.last?.hasPrefix("__Host-tenure-flow-\(others[gone].id)=; Max-Age=0;") == true)
        }
    }

    @Test func `a busy service shows the form again, without secrets, and a form that waits says so`() async throws {
        var service = service(.passphrase)
        service.refusals["validatePassphrase"] = ServiceError(.serviceBusy, retryAfterSeconds: 3)
        service.refusals["startLogin"] = ServiceError(.serviceBusy, retryAfterSeconds: 1)
        try await Visitor.with(service) { visitor in
            let path = "/flow/\(FakeService.flowID)/passphrase"
            let reply = try await visitor.post(path, [("passphrase", "correct horse battery")])
            #expect(reply.status == 503 && reply.header("Retry-After") == "3")
            #expect(reply.text.contains("your turn did not come") && reply.text.contains("action=\"\(path)\""))
            #expect(!reply.text.contains("correct horse battery"))
            #expect(reply.text.contains("<p id=\"turn\" hidden>Many people log in at this moment."))
            #expect(reply.text.contains("src=\"\(PageAsset.turn.path)\""))
            let begun = try await visitor.begin(company: "Acme & Sons")
            #expect(begun.status == 503 && begun.text.contains("value=\"Acme &amp; Sons\""))
            #expect(begun.text.contains("your turn did not come"))
        }
    }

    @Test func `the same form has one key, and another input has another`() async throws {
        let service = service(.answers)
        try await Visitor.with(service) { visitor in
            for fields in [Visitor.answers, Visitor.answers, Visitor.answers + [("answer-Q3", "x")]] {
                _ = try await visitor.post("/flow/\(FakeService.flowID)/answers", fields)
            }
        }
        let keys = await service.recorder.steps.compactMap { $0.call?.idempotencyKey }
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[1] != keys[2])
    }
}

/// The page that asks which account a client gets.
@Suite(.timeLimit(.minutes(5))) struct AccountChoiceTests {
    private static let path = "/accounts/" + FakeService.flowID

    private var service: FakeService {
        var service = FakeService()
        service.pending = FakeService.pending(page: .chooseAccount)
        return service
    }

    private func with<Value: Sendable>(
        _ service: FakeService, _ work: @Sendable (Browser) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.flow = try FakeService.flow()
            return try await work(browser)
        }
    }

    @Test func `the account of the session is offered, and another one`() async throws {
        let service = service
        let reply = try await with(service) { browser in
            let page = try await browser.get(Self.path)
            #expect(page.status == 200 && page.text.contains("You are logged in as 7 at Acme."))
            #expect(page.text.contains("href=\"/login/\(FakeService.flowID)\""))
            return try await browser.post(
                Self.path,
                [("request", FakeService.flowID), ("token", Browser.token(in: page))]
                    + Browser.armed("/accounts/{flow}", FakeService.flowID))
        }
        #expect(reply.isAnswer)
        #expect(
            await service.recorder.work.last { $0.name == "chooseAccount" }?.details
                == ["handle": FakeService.handle, "cookie": FakeService.cookie])
    }

    @Test(arguments: AwaitedAuthorization.Unsuitability.allCases)
    func `an account that the client does not take can only be changed, and the person reads why`(
        why: AwaitedAuthorization.Unsuitability
    ) async throws {
        var service = service
        service.pending?.unsuitable = why
        let page = try await with(service) { try await $0.get(Self.path) }
        let words =
            switch why {
            case .otherPerson: "Wiki asked for another person."
            case .otherCompany: "Wiki asked for an account of another company."
            case .companyNotTaken: "Wiki takes no accounts of your company."
            case .companyNotLinked: "Your company has not linked Wiki."
            case .linkWithoutAccess: "Your company has linked Wiki, but not for logging in"
            }
        #expect(page.text.contains(words) && !page.text.contains("<form"), "\(page.text)")
        #expect(page.text.contains("href=\"/login/\(FakeService.flowID)\""))
    }

    @Test func `without a session, or with nothing to choose, the browser goes on`() async throws {
        let gone = try await with(service) { browser in
            var browser = browser
            browser.cookie = nil
            return try await browser.get(Self.path)
        }
        #expect(gone.status == 303 && gone.header("Location") == "/login/" + FakeService.flowID)
        var logIn = FakeService()
        logIn.pending = FakeService.pending(page: .logIn)
        let other = try await with(logIn) { try await $0.get(Self.path) }
        #expect(other.status == 303 && other.header("Location") == "/answer/" + FakeService.flowID)
    }
}
