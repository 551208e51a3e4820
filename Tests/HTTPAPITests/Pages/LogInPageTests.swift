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
    static let flow = FlowCookie.Value(purpose: .login, flow: "Zmxvdw", request: "")

    let browser: Browser
    var formCookie: String? = Self.form
    var flowCookie: FlowCookie.Value? = Self.flow

    static func with<Value: Sendable>(
        _ service: FakeService = FakeService(), _ work: @Sendable (Visitor) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.cookie = nil
            return try await work(Visitor(browser: browser))
        }
    }

    private var cookies: [(String, String)] {
        let pairs = [
            formCookie.map { "__Host-tenure-form=\($0)" }, flowCookie.map { "__Host-tenure-flow=\($0.text)" },
        ].compactMap { $0 }
        return pairs.isEmpty ? [] : [("Cookie", pairs.joined(separator: "; "))]
    }

    func get(_ path: String, _ headers: [(String, String)] = []) async throws -> API.Answer {
        try await browser.get(path, cookies + headers)
    }

    func post(
        _ path: String, subject: String, token: String? = nil, _ fields: [(name: String, value: String)] = [],
        _ headers: [(String, String)] = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]
    ) async throws -> API.Answer {
        let right = FormToken(cookie: Self.form, path: path, request: subject).text
        return try await browser.post(
            path, [("subject", subject), ("token", token ?? right), ("once", "1")] + fields, cookies + headers)
    }

    /// Sends the form that begins a log-in.
    func begin(
        company: String = "Acme", employee: String = "7", key: String? = Self.key, request: String = ""
    ) async throws -> API.Answer {
        let fields = [(name: "company", value: company), ("employee", employee), ("key", key ?? "")]
        return try await post("/login", subject: request, fields)
    }

    static let key = Base64URL.encode([4] + [UInt8](repeating: 1, count: 64))
    static let answers = (0..<3).map { (name: "answer-Q\($0)", value: "a\($0)") }
}

extension API.Answer {
    fileprivate var setCookies: [String] { fields[values: .setCookie] }
}

/// The pages that log a person in.
@Suite(.timeLimit(.minutes(5))) struct LogInPageTests {
    private static let request = "/login?request=" + FakeService.handle

    private func waiting(
        _ page: AuthorizationAnswer.Page = .logIn, hint: String? = nil, tenant: String? = nil
    ) -> FakeService {
        var service = FakeService()
        service.pending = FakeService.pending(page: page, loginHint: hint, tenant: tenant)
        return service
    }

    @Test func `the form says which client it is for, and what the client knows is text in its fields`() async throws {
        let service = waiting(hint: "\"><b>7", tenant: "Acme & Sons")
        try await Visitor.with(service) { visitor in
            let page = try await visitor.get(Self.request)
            #expect(page.status == 200 && page.text.contains("<h1>Log in to Wiki</h1>"))
            #expect(page.text.contains("value=\"Acme &amp; Sons\""))
            #expect(page.text.contains("value=\"&quot;&gt;&lt;b&gt;7\""))
            #expect(page.text.contains("href=\"/register?request=\(FakeService.handle)\""))
            let plain = try await visitor.get("/login")
            #expect(plain.text.contains("<h1>Log in</h1>") && plain.text.contains("href=\"/register\""))
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
            let page = try await Visitor.with(service) { try await $0.get("/login?request=" + handle) }
            #expect(page.status == 303 && page.header("Location") == "/authorize?continue=" + handle)
        }
    }

    @Test func `the form begins a flow, whose cookie names the request`() async throws {
        let service = waiting(.chooseAccount)
        let reply = try await Visitor.with(service) { try await $0.begin(request: FakeService.handle) }
        #expect(reply.status == 303 && reply.header("Location") == "/flow/key")
        #expect(
            reply.setCookies == [
                "__Host-tenure-flow=login.\(FakeService.started.flow).\(FakeService.handle); Max-Age=600; Path=/; "
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
                ("company", "Enter the name of your company."), ("employee", "Enter your id at the company."),
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
        arguments: ["/login", "/flow/key", "/flow/answers", "/flow/passphrase"],
        [
            [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
            [("Origin", "null")], [("Origin", "null"), ("Sec-Fetch-Site", "none")],
        ])
    func `a form of another site logs nobody in`(path: String, headers: [(String, String)]) async throws {
        let service = FakeService()
        let reply = try await Visitor.with(service) {
            try await $0.post(path, subject: path == "/login" ? "" : Visitor.flow.text, [], headers)
        }
        #expect(reply.status == 403 && reply.text.contains("sent by another site"))
        #expect(await service.recorder.steps.isEmpty)
    }

    @Test(arguments: ["/login", "/flow/key", "/flow/answers", "/flow/passphrase"])
    func `a form belongs to its browser, its path and what it is about`(path: String) async throws {
        let service = FakeService(), subject = path == "/login" ? "" : Visitor.flow.text
        let other = FlowCookie.Value(purpose: .login, flow: "b3RoZXI", request: "").text
        func token(_ cookie: String, _ path: String, _ subject: String) -> String {
            FormToken(cookie: cookie, path: path, request: subject).text
        }
        let wrong = [
            token(Base64URL.encode([UInt8](repeating: 8, count: 32)), path, subject),
            token(Visitor.form, "/x", subject), token(Visitor.form, path, other), "x",
        ]
        try await Visitor.with(service) { visitor in
            for token in wrong {
                let reply = try await visitor.post(path, subject: subject, token: token, Visitor.answers)
                #expect(reply.status == 403 && reply.text.contains("Allow cookies"), "\(token)")
            }
            var without = visitor
            without.formCookie = nil
            #expect(try await without.post(path, subject: subject, Visitor.answers).status == 403)
        }
        #expect(await service.recorder.steps.isEmpty)
    }

    @Test func `a form without a flow begins nothing`() async throws {
        let service = FakeService()
        try await Visitor.with(service) { visitor in
            for subject in ["", "login", "login.a", "other.Zmxvdw.", "login.a b.", "login.Zmxvdw.; Domain=a.example"] {
                let reply = try await visitor.post("/flow/answers", subject: subject, Visitor.answers)
                #expect(reply.status == 400)
            }
        }
        #expect(await service.recorder.steps.isEmpty)
    }
}

/// The pages of a flow's steps.
@Suite(.timeLimit(.minutes(5))) struct FlowPageTests {
    private static let atClient = FlowCookie.Value(purpose: .login, flow: "Zmxvdw", request: FakeService.handle)

    private func service(_ step: FlowView.Step, questions: Int = 5) -> FakeService {
        var service = FakeService()
        service.view = FakeService.view(step, questions: questions)
        service.pending = FakeService.pending(page: .logIn)
        return service
    }

    @Test(arguments: [
        (FlowView.Step.key, "/flow/key"), (.answers, "/flow/answers"), (.passphrase, "/flow/passphrase"),
        (.credentials, "/flow/credentials"),
    ]) func `each page of a flow leads to the step that the flow waits for`(step: FlowView.Step, path: String)
        async throws
    {
        let paths = ["/flow/key", "/flow/answers", "/flow/passphrase"]
        try await Visitor.with(service(step, questions: step == .answers ? 5 : 0)) { visitor in
            for asked in paths {
                let page = try await visitor.get(asked)
                #expect(page.status == (asked == path ? 200 : 303), "\(asked)")
                #expect(page.header("Location") == (asked == path ? nil : path), "\(asked)")
            }
        }
    }

    @Test func `the page of the key gives the challenge to its module`() async throws {
        var service = service(.key, questions: 0)
        service.view = FakeService.view(.key, company: "\" onload=\"x", employee: "<7>", questions: 0)
        let page = try await Visitor.with(service) { try await $0.get("/flow/key") }
        #expect(page.text.contains("data-challenge=\"\(Base64URL.encode(Array("challenge".utf8)))\""))
        #expect(page.text.contains("data-company=\"&quot; onload=&quot;x\" data-employee=\"&lt;7&gt;\""))
        #expect(page.text.contains("<script type=\"module\" src=\"\(PageAsset.flow.path)\"></script>"))
        #expect(page.text.contains("<noscript>") && page.text.contains("does not have the key"))
    }

    @Test func `a signature goes to the flow of the form`() async throws {
        let service = service(.key), signature = [UInt8](repeating: 9, count: 64)
        let reply = try await Visitor.with(service) { visitor in
            var visitor = visitor
            // Another tab has begun another flow since.
            visitor.flowCookie = FlowCookie.Value(purpose: .login, flow: "b3RoZXI", request: "")
            return try await visitor.post(
                "/flow/key", subject: Self.atClient.text, [("proof", Base64URL.encode(signature))])
        }
        #expect(reply.status == 303 && reply.header("Location") == "/flow/answers")
        #expect(reply.setCookies.first?.contains("login.Zmxvdw.\(FakeService.handle);") == true)
        #expect(
            await service.recorder.last?.details
                == ["purpose": "login", "flow": "Zmxvdw", "proof": Hex.encode(signature)])
    }

    @Test func `the questions are labelled fields that browsers do not fill in`() async throws {
        let page = try await Visitor.with(service(.answers)) { visitor in
            var visitor = visitor
            visitor.flowCookie = Self.atClient
            return try await visitor.get("/flow/answers")
        }
        for number in 0..<5 {
            #expect(page.text.contains("<label for=\"answer-Q\(number)\">Question \(number)?</label>"))
            #expect(page.text.contains("name=\"answer-Q\(number)\" autocomplete=\"off\""))
        }
        #expect(page.text.contains("7 at Acme") && !page.text.contains("onpaste"))
        #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' https://wiki.example;") == true)
        #expect(page.text.contains("href=\"/authorize?continue=\(FakeService.handle)\""))
    }

    @Test func `the passphrase is for password managers, and the questions are offered if they may be answered`()
        async throws
    {
        for count in [0, 5] {
            let page = try await Visitor.with(service(.passphrase, questions: count)) {
                try await $0.get("/flow/passphrase")
            }
            #expect(page.text.contains("type=\"password\"") && page.text.contains("autocomplete=\"current-password\""))
            #expect(page.text.contains("href=\"/flow/answers\"") == (count > 0))
        }
        let questions = try await Visitor.with(service(.passphrase)) { try await $0.get("/flow/answers") }
        #expect(questions.status == 200 && questions.text.contains("Question 4?"))
    }

    @Test func `right answers open a session with a new cookie, and the tokens stay here`() async throws {
        for request in ["", FakeService.handle] {
            let location = request.isEmpty ? "/account" : "/authorize?continue=" + request
            var service = service(.answers)
            service.outcome = FakeService.success
            let flow = FlowCookie.Value(purpose: .login, flow: "Zmxvdw", request: request)
            let reply = try await Visitor.with(service) {
                try await $0.post("/flow/answers", subject: flow.text, Visitor.answers + [("answer-Q4", "  ")])
            }
            #expect(reply.status == 303 && reply.header("Location") == location)
            #expect(
                reply.setCookies == [
                    "__Host-tenure=\(FakeService.newCookie); Path=/; HttpOnly; SameSite=Lax; Secure",
                    "__Host-tenure-flow=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure",
                ])
            #expect(!reply.text.contains(FakeService.token) && !"\(reply.fields)".contains(FakeService.token))
            let names = await service.recorder.steps.map(\.name)
            let noted = request.isEmpty ? [] : ["noteChosenAccount"]
            #expect(names == ["validateAnswers", "takeBrowserCookie"] + noted)
            let steps = await service.recorder.steps
            #expect(steps.first?.details["answers"] == "Q0=a0|Q1=a1|Q2=a2")
            // The step opens the browser session itself, and takes the cookie that the browser had.
            let browser = try #require(steps.first?.call?.browser)
            #expect(steps.dropFirst().first?.details["form"] == browser.form && browser.form.utf8.count == 43)
        }
    }

    @Test func `fewer than three answers are told before anything is asked of the service`() async throws {
        let service = service(.answers)
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/answers", subject: Visitor.flow.text, [Visitor.answers[0], Visitor.answers[1]])
        }
        #expect(reply.status == 400 && reply.text.contains("id=\"answers-error\">Answer at least three"))
        #expect(await service.recorder.steps.map(\.name) == ["readFlow"])
        #expect(!reply.text.contains("value=\"a0\""), "an answer came back")
    }

    private static let refusals: [(ServiceError, Int, String, String?)] = [
        (ServiceError(.answersIncorrect), 403, "Fewer than three answers are right.", nil),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 45), 429, "Try again in 45 seconds.", "45"),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 601), 429, "Try again in 11 minutes.", "601"),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 7_201), 429, "Try again in 3 hours.", "7201"),
        (ServiceError(.credentialsLocked, retryAfterSeconds: 0), 429, "no more are possible", nil),
        (ServiceError(.requestInvalid), 400, "cannot read this text", nil),
    ]

    @Test(arguments: refusals) func `a refused answer is told beside the form, with the time to wait`(
        error: ServiceError, status: Int, text: String, wait: String?
    ) async throws {
        var service = service(.answers)
        service.refusals["validateAnswers"] = error
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/answers", subject: Visitor.flow.text, Visitor.answers)
        }
        #expect(reply.status == status && reply.header("Retry-After") == wait)
        #expect(reply.text.contains(text) && reply.text.contains("Question 0?"), "\(reply.text)")
        #expect(reply.text.contains("<div class=\"problems\" role=\"alert\" tabindex=\"-1\" autofocus>"))
    }

    @Test func `a wrong passphrase is told beside the field, and a missing one too`() async throws {
        var service = service(.passphrase, questions: 0)
        service.refusals["validatePassphrase"] = ServiceError(.passphraseIncorrect)
        try await Visitor.with(service) { visitor in
            let wrong = try await visitor.post(
                "/flow/passphrase", subject: Visitor.flow.text, [("passphrase", "wrong horse")])
            #expect(wrong.status == 403 && wrong.text.contains("The passphrase is not right."))
            #expect(!wrong.text.contains("wrong horse"))
            let none = try await visitor.post("/flow/passphrase", subject: Visitor.flow.text)
            #expect(none.status == 400 && none.text.contains("<a href=\"#passphrase\">Enter your passphrase.</a>"))
        }
    }

    @Test(arguments: [
        (ServiceError(.policyBlindOnly), "Another program is needed"),
        (ServiceError(.employeeInactive), "This account is closed"),
        (ServiceError(.employeeNotApproved), "Not approved yet"),
        (ServiceError.keyEnded, "The key of this browser has ended"),
        (ServiceError.tooManyPendingKeys, "Not permitted"),
        (ServiceError(.flowExpired), "This log-in has ended"),
        (ServiceError(.flowAlreadyUsed), "This log-in has ended"),
        (ServiceError(.requestStale), "This log-in has ended"),
    ]) func `a flow that ends says what is next, and begins again at the same client`(
        error: ServiceError, title: String
    ) async throws {
        var service = service(.answers)
        service.refusals["validateAnswers"] = error
        try await Visitor.with(service) { visitor in
            var visitor = visitor
            visitor.flowCookie = Self.atClient
            let reply = try await visitor.post("/flow/answers", subject: Self.atClient.text, Visitor.answers)
            #expect(reply.status == error.code.status && reply.text.contains("<h1>\(title)</h1>"))
            #expect(reply.text.contains("<a href=\"/authorize?continue=\(FakeService.handle)\">Start again</a>"))
            #expect(reply.setCookies.first?.hasPrefix("__Host-tenure-flow=; Max-Age=0;") == true)
        }
    }

    @Test func `a wrong signature ends the flow with a way to begin again`() async throws {
        var service = service(.key)
        service.refusals["proveKey"] = ServiceError(.employeeKeyInvalid)
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/key", subject: Visitor.flow.text, [("proof", "AAAA")])
        }
        #expect(reply.status == 400 && reply.text.contains("could not be recognized"))
        #expect(reply.text.contains("<a href=\"/login\">Start again</a>"))
    }

    @Test func `a form of a step that is over leads to the step that is next`() async throws {
        var service = service(.answers)
        service.refusals["proveKey"] = ServiceError(.flowWrongStep)
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/key", subject: Self.atClient.text, [("proof", "AAAA")])
        }
        #expect(reply.status == 303 && reply.header("Location") == "/flow/key")
        #expect(reply.setCookies.first?.contains("login.Zmxvdw.\(FakeService.handle);") == true)
    }

    @Test func `a page of a flow without its cookie, or with two, says that it has ended`() async throws {
        try await Visitor.with(service(.answers)) { visitor in
            var visitor = visitor
            visitor.flowCookie = nil
            let two = [("Cookie", "__Host-tenure-flow=\(Visitor.flow.text); __Host-tenure-flow=\(Visitor.flow.text)")]
            for headers in [[], two, [("Cookie", "__Host-tenure-flow=login.x")]] {
                let page = try await visitor.get("/flow/answers", headers)
                #expect(page.status == 409 && page.text.contains("This log-in has ended"))
            }
        }
    }

    @Test func `a busy service is told as a page`() async throws {
        var service = service(.answers)
        service.refusals["validateAnswers"] = ServiceError(.serviceBusy, retryAfterSeconds: 3)
        let reply = try await Visitor.with(service) {
            try await $0.post("/flow/answers", subject: Visitor.flow.text, Visitor.answers)
        }
        #expect(reply.status == 503 && reply.header("Retry-After") == "3" && reply.text.contains("in a few minutes"))
    }

    @Test func `the same form has one key, and another input has another`() async throws {
        let service = service(.answers)
        try await Visitor.with(service) { visitor in
            for fields in [Visitor.answers, Visitor.answers, Visitor.answers + [("answer-Q3", "x")]] {
                _ = try await visitor.post("/flow/answers", subject: Visitor.flow.text, fields)
            }
        }
        let keys = await service.recorder.steps.compactMap { $0.call?.idempotencyKey }
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[1] != keys[2])
    }
}

/// The page that asks which account a client gets.
@Suite(.timeLimit(.minutes(5))) struct AccountChoiceTests {
    private static let path = "/accounts?request=" + FakeService.handle

    private var service: FakeService {
        var service = FakeService()
        service.pending = FakeService.pending(page: .chooseAccount)
        return service
    }

    @Test func `the account of the session is offered, and another one`() async throws {
        let service = service
        let reply = try await Browser.with(service) { browser in
            let page = try await browser.get(Self.path)
            #expect(page.status == 200 && page.text.contains("You are logged in as 7 at Acme."))
            #expect(page.text.contains("href=\"/login?request=\(FakeService.handle)\""))
            #expect(page.header("Content-Security-Policy")?.contains("https://wiki.example") == true)
            return try await browser.post(
                "/accounts",
                [("request", FakeService.handle), ("token", Browser.token(in: page))]
                    + Browser.armed("/accounts", FakeService.handle))
        }
        #expect(reply.status == 303 && reply.header("Location") == FakeService.clientOrigin + "/callback?code=c")
        #expect(
            await service.recorder.last?.details == ["handle": FakeService.handle, "cookie": FakeService.cookie])
    }

    @Test func `an account that the client does not take can only be changed`() async throws {
        var service = service
        service.pending?.accountSuits = false
        let page = try await Browser.with(service) { try await $0.get(Self.path) }
        #expect(page.text.contains("Wiki does not take this account") && !page.text.contains("<form"))
        #expect(page.text.contains("href=\"/login?request=\(FakeService.handle)\""))
    }

    @Test func `without a session, or with nothing to choose, the browser goes on`() async throws {
        let gone = try await Browser.with(service) { browser in
            var browser = browser
            browser.cookie = nil
            return try await browser.get(Self.path)
        }
        #expect(gone.status == 303 && gone.header("Location") == "/login?request=" + FakeService.handle)
        var logIn = FakeService()
        logIn.pending = FakeService.pending(page: .logIn)
        let other = try await Browser.with(logIn) { try await $0.get(Self.path) }
        #expect(other.status == 303 && other.header("Location") == "/authorize?continue=" + FakeService.handle)
        #expect(try await Browser.with(service) { try await $0.get("/accounts") }.status == 400)
    }
}
