import Canonical
import ErrorCodes
import HTTPTypes
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// A browser in which somebody registers.
struct Registrant: Sendable {
    static let form = Base64URL.encode([UInt8](repeating: 7, count: 32))
    static let key = Base64URL.encode([4] + [UInt8](repeating: 1, count: 64))

    let browser: Browser

    static func with<Value: Sendable>(
        _ service: FakeService = FakeService(), _ work: @Sendable (Registrant) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.cookie = nil
            return try await work(Registrant(browser: browser))
        }
    }

    static let flowPath = "/flow/" + FakeService.flowID

    private func cookies(_ flow: BrowserFlow?) -> [(String, String)] {
        let pairs =
            ["__Host-tenure-form=\(Self.form)"] + (flow.map { ["__Host-tenure-flow-\($0.id)=\($0.text)"] } ?? [])
        return [("Cookie", pairs.joined(separator: "; "))]
    }

    func get(
        _ path: String, in flow: BrowserFlow? = nil, _ headers: [(String, String)] = []
    ) async throws -> API.Answer {
        try await browser.get(path, cookies(flow) + headers)
    }

    func post(
        _ path: String, in flow: BrowserFlow? = nil, _ fields: [(name: String, value: String)],
        _ headers: [(String, String)] = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]
    ) async throws -> API.Answer {
        let token = FormToken(cookie: Self.form, path: path, request: "").text
        return try await browser.post(
            path, [("token", token), ("once", "1")] + fields, cookies(flow) + headers)
    }

    /// Sends the form that begins a registration.
    func register(
        _ path: String, company: String = "Acme", email: String = "7@acme.example", code: String = "",
        in flow: BrowserFlow? = nil
    ) async throws -> API.Answer {
        try await post(
            path, in: flow,
            [("company", company), ("employee", "7"), ("email", email), ("code", code), ("key", Self.key)])
    }
}

extension API.Answer {
    fileprivate var setCookies: [String] { fields[values: .setCookie] }
}

/// The pages on which people register.
@Suite(.timeLimit(.minutes(5))) struct RegistrationPageTests {
    private static let ways = ["/register/found", "/register/join", "/join"]

    @Test(arguments: FoundingRule.allCases) func `founding is offered as the operator permits`(rule: FoundingRule)
        async throws
    {
        var service = FakeService()
        service.founding = rule
        try await Registrant.with(service) { registrant in
            let id = FakeService.flowID
            let choice = try await registrant.get("/register/\(id)", in: try FakeService.flow())
            let path = "/register/found/\(id)"
            #expect(choice.text.contains("href=\"\(path)\"") == (rule != .off))
            #expect(choice.text.contains("href=\"/register/join/\(id)\""))
            let page = try await registrant.get("/register/found")
            #expect(page.status == 200 && page.text.contains("<form") == (rule != .off))
            #expect(page.text.contains("Code from the operator") == (rule == .code))
            let sent = try await registrant.register("/register/found")
            #expect(sent.status == (rule == .open ? 303 : rule == .off ? 200 : 400))
        }
        let names = await service.recorder.entries.map(\.name)
        #expect(names.contains("startRegistration") == (rule == .open))
    }

    @Test(arguments: [false, true]) func `a founder is told that the service sends no mails`(sendsMails: Bool)
        async throws
    {
        var service = FakeService()
        service.sendsMails = sendsMails
        try await Registrant.with(service) { registrant in
            for path in Self.ways {
                let isTold = try await registrant.get(path).text.contains("This service sends no mails")
                #expect(isTold == (!sendsMails && path == "/register/found"), "\(path)")
            }
        }
    }

    @Test(arguments: ways) func `each way has a page and a request of its own`(path: String) async throws {
        let service = FakeService()
        try await Registrant.with(service) { registrant in
            let page = try await registrant.get(path)
            #expect(page.status == 200 && page.text.contains("action=\"\(path)\" data-device-key=\"true\""))
            for words in ["organization", "email"] {
                #expect(page.text.contains("autocomplete=\"\(words)\""))
            }
            #expect(page.header("Referrer-Policy") == "no-referrer")
            let reply = try await registrant.register(
                path + "/" + FakeService.flowID, code: "c", in: try FakeService.flow())
            #expect(reply.status == 303 && reply.header("Location") == Registrant.flowPath + "/key")
            let cookie = "=1.registration.\(FakeService.started.flow).\(FakeService.handle)."
            #expect(reply.setCookies.first?.contains(cookie) == true)
        }
        let started = try #require(await service.recorder.last)
        #expect(started.name == "startRegistration")
        #expect(started.details["intent"] == (path == "/register/found" ? "found" : "join"))
        #expect(started.details["email"] == "7@acme.example" && started.details["owned"] == "false")
    }

    @Test(arguments: ways) func `a form of another site, or of another browser, registers nobody`(path: String)
        async throws
    {
        let service = FakeService()
        try await Registrant.with(service) { registrant in
            for headers in [[("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")]] {
                let foreign = try await registrant.post(path, [("company", "Acme")], headers)
                #expect(foreign.status == 403)
            }
            let tokenless = try await registrant.browser.post(path, [("company", "Ac\"me"), ("token", "x")])
            #expect(tokenless.status == 403 && tokenless.text.contains("value=\"Ac&quot;me\""))
            #expect(tokenless.text.contains("Send this form once more") && tokenless.setCookies.count == 1)
        }
        #expect(await service.recorder.entries.map(\.name).contains("startRegistration") == false)
    }

    @Test(arguments: ways) func `what is missing is told beside each field`(path: String) async throws {
        try await Registrant.with { registrant in
            let page = try await registrant.post(path, [("company", " "), ("key", Registrant.key)])
            #expect(page.status == 400 && page.text.contains("role=\"alert\" tabindex=\"-1\" autofocus"))
            for field in ["company", "employee", "email"] + (path == "/join" ? ["code"] : []) {
                #expect(page.text.contains("<a href=\"#\(field)\">"), "\(field)")
            }
        }
    }

    @Test(arguments: [
        (ErrorCode.companyUnknown, "company"), (.companyAlreadyFounded, "company"), (.appNotLinked, "company"),
        (.emailInvalid, "email"), (.invitationInvalid, "code"), (.registrationInvitationRequired, "code"),
        (.employeeKeyInvalid, "form"),
    ]) func `a refusal is told at its field, with what was entered`(code: ErrorCode, field: String) async throws {
        var service = FakeService()
        service.refusals["startRegistration"] = ServiceError(code)
        let page = try await Registrant.with(service) {
            try await $0.register("/register/join", company: "A\"><b>", code: "c0de")
        }
        #expect(page.status == code.status && page.text.contains("<a href=\"#\(field)\">"))
        #expect(page.text.contains("value=\"A&quot;&gt;&lt;b&gt;\"") && page.text.contains("value=\"c0de\""))
    }

    @Test func `a refusal to join is the same text for every reason`() async throws {
        var texts: Set<String> = []
        for company in ["unknown.example", "unlinked.example", "invited.example"] {
            var service = FakeService()
            service.refusals["startRegistration"] = ServiceError(.companyUnknown)
            let page = try await Registrant.with(service) { try await $0.register("/register/join", company: company) }
            texts.insert(page.text.replacing(company, with: "").replacing(/name="once" value="[^"]*"/, with: ""))
        }
        #expect(texts.count == 1)
    }

    @Test func `a link fills in the form, and its values are text`() async throws {
        try await Registrant.with { registrant in
            let page = try await registrant.get("/join?company=Acme&id=%22%3E7&email=7%40acme.example&invitation=c0de")
            for value in ["Acme", "&quot;&gt;7", "7@acme.example", "c0de"] {
                #expect(page.text.contains("value=\"\(value)\""), "\(value)")
            }
            #expect(page.text.contains("src=\"\(PageAsset.prefill.path)\""))
        }
    }

}

/// The page on which people choose questions and answers.
@Suite(.timeLimit(.minutes(5))) struct CredentialsPageTests {
    private static func flow(_ purpose: FlowKind = .registration) throws -> BrowserFlow {
        try FakeService.flow(.flow(purpose, handle: "Zmxvdw"), request: "")
    }
    private static let entries: [(name: String, value: String)] =
        (1...5).flatMap { [(name: "question\($0)", value: "\($0 * 7)"), ("answer\($0)", "answer \($0)")] }

    private func service(
        _ purpose: FlowKind = .registration, blindOnly: Bool = false, both: Bool = true, passkey: Bool = false
    ) -> FakeService {
        var service = FakeService()
        let view = FakeService.view(.credentials, purpose: purpose, questions: 0)
        service.view = FlowView(
            purpose: purpose, step: .credentials, challenge: view.challenge, companyName: view.companyName,
            companyEmployeeId: view.companyEmployeeId, employeePublicKey: view.employeePublicKey, questions: [],
            rules: CredentialRulesResponse(
                questions: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: both, blindOnly: blindOnly),
            passkey: passkey ? FlowView.NewPasskey(rpID: "id.example.com", handle: [1, 2, 3]) : nil,
            expiresAt: view.expiresAt)
        service.outcome = FakeService.success
        return service
    }

    private func post(_ service: FakeService, _ fields: [(name: String, value: String)]) async throws -> API.Answer {
        try await Registrant.with(service) {
            try await $0.post(Registrant.flowPath + "/credentials", in: Self.flow(), fields)
        }
    }

    @Test func `the listed questions are in the language of the browser`() async throws {
        try await Registrant.with(service()) { registrant in
            for language in PageLanguage.allCases {
                let page = try await registrant.get(
                    Registrant.flowPath + "/credentials", in: Self.flow(), [("Accept-Language", language.rawValue)])
                let list = QuestionListResponse(preferring: [language.rawValue])
                #expect(list.locale == language.rawValue)
                #expect(page.text.matches(of: /<option value="\d+">/).count == 5 * list.items.count)
                #expect(page.text.matches(of: /<label for="(question|answer)\d">/).count == 10)
                #expect(page.text.matches(of: /autocomplete="new-password"/).count == 2)
            }
        }
    }

    @Test func `questions, answers and passphrase are sent, and lead into the session`() async throws {
        let service = service()
        let fields = Self.entries + [("passphrase", "four random words"), ("repeated", "four random words")]
        let reply = try await post(service, fields + [("both", "true")])
        #expect(reply.status == 303 && reply.header("Location") == "/account")
        let set = try #require(await service.recorder.entries.first { $0.name == "setCredentials" })
        #expect(set.details["flow"] == "Zmxvdw" && set.details["passphrase"] == "four random words")
        #expect(set.details["questions"] == "#7=answer 1|#14=answer 2|#21=answer 3|#28=answer 4|#35=answer 5")
        #expect(set.details["both"] == "true" && set.call?.idempotencyKey?.count == 43)
    }

    @Test func `without a passphrase none is sent, and no wish for both`() async throws {
        let service = service()
        #expect(try await post(service, Self.entries + [("both", "true")]).status == 303)
        let set = try #require(await service.recorder.entries.first { $0.name == "setCredentials" })
        #expect(set.details["passphrase"] == "none" && set.details["both"] == "false")
    }

    @Test func `what is missing or twice is told at its field, and answers stay`() async throws {
        let service = service()
        let page = try await post(
            service,
            [
                ("question1", "7"), ("answer1", "blue \"whale\""), ("question2", "7"), ("answer2", "x"),
                ("question3", "9x"), ("passphrase", "one"), ("repeated", "other"),
            ])
        #expect(page.status == 400)
        for field in ["question2", "question3", "answer3", "question4", "repeated"] {
            #expect(page.text.contains("<a href=\"#\(field)\">"), "\(field)")
        }
        #expect(!page.text.contains("<a href=\"#question1\">") && page.text.contains("<option value=\"7\" selected>"))
        #expect(page.text.contains("value=\"blue &quot;whale&quot;\"") && !page.text.contains("value=\"other\""))
        #expect(await service.recorder.entries.map(\.name).contains("setCredentials") == false)
    }

    @Test(arguments: [
        (ErrorCode.credentialsTooWeak, "/securityQuestions/2/answer", "answer3"),
        (.credentialsIncomplete, "/securityQuestions/0/answer", "answer1"),
        (.credentialsFiveQuestionsRequired, "/securityQuestions/4/question", "question5"),
        (.requestInvalid, "/securityQuestions/1/number", "question2"),
        (.credentialsTooWeak, "/passphrase", "passphrase"),
        (.credentialsIncomplete, "/passphrase", "passphrase"), (.credentialsIncomplete, "/elsewhere", "form"),
    ]) func `a refusal is told at the field that it is about`(code: ErrorCode, pointer: String, field: String)
        async throws
    {
        var service = service()
        service.refusals["setCredentials"] = ServiceError(code, members: [.init(pointer: pointer, detail: "d")])
        let page = try await post(service, Self.entries)
        #expect(page.status == 400 && page.text.contains("<a href=\"#\(field)\">"), "\(page.text)")
        #expect(page.text.contains("value=\"answer 5\""))
    }

    @Test func `a passphrase that is not shown again is asked for again`() async throws {
        var service = service()
        service.refusals["setCredentials"] = ServiceError(
            .credentialsTooWeak, members: [.init(pointer: "/securityQuestions/0/answer", detail: "d")])
        let phrase = [(name: "passphrase", value: "heron on a wet roof"), ("repeated", "heron on a wet roof")]
        let page = try await post(service, Self.entries + phrase)
        #expect(page.text.contains("<a href=\"#passphrase\">") && !page.text.contains("heron"))
        #expect(try await !post(service, Self.entries).text.contains("<a href=\"#passphrase\">"))
    }

    @Test func `the blind mode alone is told before anything is typed`() async throws {
        let page = try await Registrant.with(service(blindOnly: true)) {
            try await $0.get(Registrant.flowPath + "/credentials", in: Self.flow())
        }
        #expect(page.text.contains("Another program is needed") && !page.text.contains("<form"))
    }

    @Test(arguments: [false, true]) func `a passkey is offered in place of questions, or alone where none are taken`(
        blindOnly: Bool
    ) async throws {
        for offers in [true, false] where offers || !blindOnly {
            let page = try await Registrant.with(service(blindOnly: blindOnly, passkey: offers)) {
                try await $0.get(Registrant.flowPath + "/credentials", in: Self.flow())
            }
            #expect(page.status == 200 && page.text.contains("Use a passkey instead") == offers, "\(page.text)")
            #expect(page.text.contains("data-handle=\"AQID\"") == offers)
            #expect(page.text.contains("data-path=\"\(Registrant.flowPath)/passkey/challenge\"") == offers)
            #expect(page.text.contains("src=\"\(PageAsset.withpasskey.path)\"") == offers)
            #expect(page.text.contains("name=\"question1\"") == !blindOnly)
            #expect(page.text.contains("data-only=\"true\"") == blindOnly)
        }
    }

    @Test func `a passkey is challenged and registered, and one that is refused leaves the page`() async throws {
        var service = service(passkey: true)
        let path = Registrant.flowPath + "/passkey"
        try await Registrant.with(service) { registrant in
            let challenge = try await registrant.post(path + "/challenge", in: Self.flow(), [("key", "AQID")])
            #expect(challenge.status == 200 && challenge.text == Base64URL.encode(Array("challenge".utf8)))
            let done = try await registrant.post(path, in: Self.flow(), [("spki", "AQID"), ("proof", "AQID")])
            #expect(done.status == 303 && done.header("Location") == "/account", "\(done.text)")
            for to in [path, path + "/challenge"] {
                let foreign = try await registrant.post(
                    to, in: Self.flow(), [("key", "AQID")],
                    [("Origin", "https://other.example"), ("Sec-Fetch-Site", "cross-site")])
                #expect(foreign.status == 403, "\(to)")
            }
        }
        let entries = await service.recorder.entries
        #expect(entries.count { $0.name == "challengeNewPasskey" && $0.details["key"] == "010203" } == 1)
        #expect(entries.count { $0.name == "registerByPasskey" && $0.details["spki"] == "010203" } == 1)
        service.refusals["registerByPasskey"] = ServiceError(.employeeKeyInvalid)
        service.refusals["challengeNewPasskey"] = ServiceError(.employeeKeyInvalid)
        try await Registrant.with(service) { registrant in
            let refused = try await registrant.post(path, in: Self.flow(), [("spki", "AQID")])
            #expect(refused.status == 400 && refused.text.contains("The passkey was not added"), "\(refused.text)")
            #expect(refused.text.contains("name=\"question1\"") && refused.text.contains("Use a passkey instead"))
            #expect(try await registrant.post(path + "/challenge", in: Self.flow(), []).status == 400)
        }
    }

    /// A registration that asks a known person for the passphrase.
    private func asking(signers: [[UInt8]]) -> FakeService {
        var service = FakeService()
        service.view = FakeService.view(.passphrase, purpose: .registration, questions: 0)
        if !signers.isEmpty {
            service.view.passkey = FlowView.NewPasskey(rpID: "id.example.com", handle: [1, 2, 3], signers: signers)
        }
        service.outcome = FakeService.success
        return service
    }

    @Test func `whoever has no passphrase is told to log in elsewhere first, and nobody is offered a passkey`()
        async throws
    {
        let service = asking(signers: [])
        let page = try await Registrant.with(service) {
            try await $0.get(Registrant.flowPath + "/passphrase", in: Self.flow())
        }
        #expect(page.status == 200 && page.text.contains("Log in there in this browser"), "\(page.text)")
        #expect(page.text.contains("<a href=\"/login\">") && !page.text.contains("data-handle"))
        #expect(await service.recorder.entries.last { $0.name == "readFlow" }?.details["visitor"] == "")
        // A log-in says nothing of it.
        var other = service
        other.view = FakeService.view(.passphrase, purpose: .login, questions: 0)
        let logIn = try await Registrant.with(other) {
            try await $0.get(Registrant.flowPath + "/passphrase", in: Self.flow(.login))
        }
        #expect(logIn.status == 200 && !logIn.text.contains("Log in there in this browser"), "\(logIn.text)")
    }

    @Test func `whoever is logged in by a passkey elsewhere registers with a new one, for which that one signs`()
        async throws
    {
        let service = asking(signers: [[4, 5, 6], [7, 8, 9]]), path = Registrant.flowPath
        try await Browser.with(service) { browser in
            let registrant = Registrant(browser: browser)
            let page = try await registrant.get(path + "/passphrase", in: Self.flow())
            #expect(page.status == 200 && page.text.contains("Your browser asks three times"), "\(page.text)")
            #expect(page.text.contains("data-handle=\"AQID\"") && page.text.contains("data-signers=\"BAUG BwgJ\""))
            #expect(page.text.contains("name=\"passphrase\"") && !page.text.contains("Log in there in this browser"))

            let asked = [(name: "key", value: "AQID"), (name: "joining", value: "true")]
            let challenge = try await registrant.post(path + "/passkey/challenge", in: Self.flow(), asked)
            #expect(challenge.status == 200 && challenge.text == Base64URL.encode(Array("joining".utf8)))
            let done = try await registrant.post(
                path + "/passkey", in: Self.flow(),
                [("spki", "AQID"), ("proof", "AQID"), ("challenge", "BAUG"), ("signed", "BwgJ")])
            #expect(done.status == 303 && done.header("Location") == "/account", "\(done.text)")
        }
        let entries = await service.recorder.entries, caller = FakeService.employeeId.lowercased
        #expect(entries.last { $0.name == "readFlow" }?.details["visitor"] == caller)
        #expect(entries.last { $0.name == "challengeJoining" }?.details["caller"] == caller)
        #expect(entries.last { $0.name == "registerByPasskey" }?.details["signed"] == "070809|040506")
    }

    @Test func `without a session no passkey signs, and a refused one leaves the passphrase`() async throws {
        var service = asking(signers: [[4, 5, 6]])
        let path = Registrant.flowPath + "/passkey", signed = [(name: "spki", value: "AQID"), ("signed", "BwgJ")]
        try await Registrant.with(service) { registrant in
            let challenge = try await registrant.post(
                path + "/challenge", in: Self.flow(), [("key", "AQID"), ("joining", "true")])
            #expect(challenge.status == 401, "\(challenge.text)")
            let refused = try await registrant.post(path, in: Self.flow(), signed)
            #expect(refused.status == 400 && refused.text.contains("The passkey was not added"), "\(refused.text)")
            #expect(refused.text.contains("name=\"passphrase\""))
        }
        #expect(await !service.recorder.entries.contains { $0.name == "registerByPasskey" })
        service.refusals["registerByPasskey"] = ServiceError(.authorizationNotPermitted)
        let denied = try await Browser.with(service) { browser in
            try await Registrant(browser: browser).post(path, in: Self.flow(), signed)
        }
        #expect(denied.status == 403, "\(denied.text)")
    }

    @Test func `a flow at another step goes there, and one that ended says so`() async throws {
        var service = service()
        service.view = FakeService.view(.answers, purpose: .registration)
        try await Registrant.with(service) { registrant in
            let other = try await registrant.get(Registrant.flowPath + "/credentials", in: Self.flow())
            #expect(other.header("Location") == Registrant.flowPath + "/answers")
            let ended = try await registrant.get(Registrant.flowPath + "/credentials")
            #expect(ended.status == 410)
        }
    }

    /// A change that asks for a secret, which five questions may stand in for.
    private func changing(_ step: FlowView.Step, questions: Int = 5) -> FakeService {
        var service = service(.change)
        service.view = FakeService.view(step, purpose: .change, questions: questions)
        return service
    }

    @Test(arguments: [FlowView.Step.answers, .passphrase])
    func `a change asks for the secret in force and for what replaces it`(step: FlowView.Step) async throws {
        try await Registrant.with(changing(step)) { registrant in
            let page = try await registrant.get(Registrant.flowPath + "/credentials", in: Self.flow(.change))
            #expect(page.status == 200 && page.text.contains("Change your answers or your passphrase"))
            #expect(page.text.contains("name=\"current\"") == (step == .passphrase))
            #expect(page.text.contains("Question 4?") && page.text.contains("name=\"answer-Q4\""))
            for other in ["answers", "passphrase", "key"] {
                let led = try await registrant.get(Registrant.flowPath + "/" + other, in: Self.flow(.change))
                #expect(led.header("Location") == Registrant.flowPath + "/credentials")
            }
        }
    }

    private static let current = (0..<3).map { (name: "answer-Q\($0)", value: "old \($0)") }

    private func change(
        _ service: FakeService, _ fields: [(name: String, value: String)]
    ) async throws -> API.Answer {
        try await Registrant.with(service) {
            try await $0.post(Registrant.flowPath + "/credentials", in: Self.flow(.change), fields)
        }
    }

    @Test func `a change sends both, and says what is now true`() async throws {
        for (fields, sent) in [(Self.current, "3 answers"), ([("current", "heron")] + Self.current, "passphrase")] {
            let service = changing(.passphrase)
            let reply = try await change(service, fields + Self.entries)
            #expect(reply.status == 303 && reply.header("Location") == "/account/credentials?changed")
            #expect(reply.setCookies.contains { $0.contains(FakeService.newCookie) })
            let call = try #require(await service.recorder.entries.first { $0.name == "changeCredentials" })
            #expect(call.details["current"] == sent && call.call?.idempotencyKey?.count == 43)
        }
    }

    @Test func `a change without the secret in force is told, and keeps what was typed`() async throws {
        let service = changing(.answers)
        let page = try await change(service, Array(Self.current.dropLast()) + Self.entries)
        #expect(page.status == 400 && page.text.contains("<a href=\"#answer-Q0\">"))
        #expect(page.text.contains("value=\"old 1\"") && page.text.contains("value=\"answer 5\""))
        let asked = try await change(changing(.passphrase), [("current", "")] + Self.entries)
        #expect(asked.status == 400 && asked.text.contains("<a href=\"#current\">"))
        #expect(await service.recorder.entries.map(\.name).contains("changeCredentials") == false)
    }

    @Test func `a wrong secret in force loses nothing, and its wait is told`() async throws {
        var service = changing(.answers)
        service.refusals["changeCredentials"] = ServiceError(.answersIncorrect)
        let page = try await change(service, Self.current + Self.entries)
        #expect(page.text.contains("<a href=\"#answer-Q0\">") && page.text.contains("value=\"answer 5\""))
        service.refusals["changeCredentials"] = ServiceError(.credentialsLocked, retryAfterSeconds: 120)
        #expect(try await change(service, Self.current + Self.entries).text.contains("Try again in"))
        service.refusals["changeCredentials"] = .keyEnded
        let ended = try await change(service, Self.current + Self.entries)
        #expect(ended.text.contains("href=\"/account/credentials\"") && !ended.text.contains("value=\"old"))
    }

    @Test func `a recovery replaces the credentials`() async throws {
        let service = service(.recovery)
        let reply = try await Registrant.with(service) {
            try await $0.post(Registrant.flowPath + "/credentials", in: Self.flow(.recovery), Self.entries)
        }
        #expect(reply.status == 303)
        #expect(await service.recorder.entries.map(\.name).contains("recoverCredentials"))
    }
}

/// The pages that lead back to an account.
@Suite(.timeLimit(.minutes(5))) struct WayBackTests {
    @Test(arguments: [("recovery", "startRecovery"), ("return", "startReturn")])
    func `each way begins its flow`(way: String, name: String) async throws {
        let service = FakeService()
        let reply = try await Registrant.with(service) {
            try await $0.post(
                "/recover", [("company", "Acme"), ("employee", "7"), ("way", way), ("key", Registrant.key)])
        }
        #expect(reply.status == 303 && reply.header("Location")?.hasSuffix("/key") == true)
        #expect(reply.setCookies.first?.contains(".\(way).") == true)
        #expect(await service.recorder.last?.name == name)
    }

    @Test func `what is missing is told, and an unknown way is none`() async throws {
        let page = try await Registrant.with { try await $0.post("/recover", [("way", "login")]) }
        #expect(page.status == 400)
        for field in ["company", "employee", "way-recovery"] { #expect(page.text.contains("<a href=\"#\(field)\">")) }
    }

    @Test func `a recovery that waits shows the words of the browser's key, and only to this browser`() async throws {
        var service = FakeService()
        service.outcome = .authorizationPending(
            employeePublicKey: [4], fingerprint: FakeService.fingerprint, position: nil)
        try await Registrant.with(service) { registrant in
            let flow = try FakeService.flow(.flow(.recovery, handle: "Zmxvdw"), request: "")
            let reply = try await registrant.post(
                Registrant.flowPath + "/key", in: flow, [("proof", Base64URL.encode([1, 2]))])
            let path = try #require(reply.header("Location"))
            #expect(reply.status == 303 && path.hasPrefix("/recover/waiting?"))
            #expect(reply.setCookies.contains { $0.contains("=1.ended...") })
            let page = try await registrant.get(path)
            #expect(page.status == 200 && page.text.contains(FakeService.fingerprint))
            for forged in [
                path.replacing(FakeService.fingerprint, with: String(repeating: "cd", count: 32)),
                path.replacing("way=recovery", with: "way=return"), path.replacing(/token=.*/, with: "token=x"),
                "/recover/waiting",
            ] {
                let other = try await registrant.get(forged)
                #expect(other.status == 303 && other.header("Location") == "/recover", "\(forged)")
            }
            #expect(try await registrant.browser.get(path).status == 303, "a stranger's browser was shown the page")
        }
    }

    @Test(arguments: [(ErrorCode.recoveryNotAvailable, FlowKind.recovery), (.returnNotAvailable, .returning)])
    func `a waiting time that is not over is told with its end`(code: ErrorCode, purpose: FlowKind) async throws {
        var service = FakeService(), refusal = ServiceError(code)
        refusal.availableAt = FakeService.time
        service.refusals["proveKey"] = refusal
        let flow = try FakeService.flow(.flow(purpose, handle: "Zmxvdw"), request: "")
        let page = try await Registrant.with(service) {
            try await $0.post(Registrant.flowPath + "/key", in: flow, [("proof", Base64URL.encode([1, 2]))])
        }
        #expect(page.status == code.status && page.text.contains(FakeService.time.forPeople))
        #expect(page.text.contains("href=\"/recover\""))
    }
}
