import Canonical
import ErrorCodes
import FoundationEssentials
import HTTPTypes
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// The pages of a log-in by an address.
@Suite(.timeLimit(.minutes(5))) struct LogInByAddressPageTests {
    private static let cookie = Base64URL.encode([UInt8](repeating: 7, count: 32))
    private static let flowPath = "/flow/" + FakeService.flowID
    private static let key = Base64URL.encode([4] + [UInt8](repeating: 1, count: 64))

    private func with<Value: Sendable>(
        _ service: FakeService = FakeService(), _ work: @Sendable (Browser) async throws -> Value
    ) async throws -> Value {
        try await Browser.with(service) { browser in
            var browser = browser
            browser.cookie = nil
            return try await work(browser)
        }
    }

    private func cookies(
        _ stage: BrowserFlow.Stage = .flow(.address, handle: "Zmxvdw"), request: String = ""
    ) throws -> [(String, String)] {
        let flow = try FakeService.flow(stage, request: request)
        return [("Cookie", "__Host-tenure-form=\(Self.cookie); __Host-tenure-flow-\(flow.id)=\(flow.text)")]
    }

    private func post(
        _ browser: Browser, _ path: String, _ fields: [(name: String, value: String)], request: String = ""
    ) async throws -> API.Answer {
        let token = FormToken(cookie: Self.cookie, path: path, request: "").text
        return try await browser.post(
            path, [("token", token), ("once", "1")] + fields,
            try cookies(request: request) + [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")])
    }

    /// A flow whose secret was proved, with two accounts.
    private var proved: FakeService {
        var service = FakeService(), view = FakeService.view(.account, purpose: .address, company: "", employee: "")
        view.address = "zoe@acme.example"
        view.accounts = ["7", "\"><b>8"].map { id in
            FlowView.Account(
                employeeId: FakeService.employeeId, companyName: "Acme & Sons", companyEmployeeId: id,
                challenge: Array("of \(id)".utf8))
        }
        service.view = view
        return service
    }

    @Test func `one page asks for the address, and below for company and user name`() async throws {
        var service = FakeService()
        service.pending = FakeService.pending(page: .logIn, loginHint: "zoe@acme.example")
        let flow = "/" + FakeService.flowID
        try await with(service) { browser in
            for path in ["/login/address", "/login"] {
                let page = try await browser.get(path + flow, try cookies(.request, request: FakeService.handle))
                #expect(page.status == 200 && page.text.contains("<h1>Log in to Wiki</h1>"), "\(page.text)")
                let email = "name=\"email\" value=\"zoe@acme.example\" autocomplete=\"username\""
                #expect(page.text.contains(email), "\(page.text)")
                #expect(page.text.contains("name=\"employee\" value=\"\""), "an address is no user name")
                for action in ["/login/address", "/login"] {
                    #expect(page.text.contains("action=\"\(action)\(flow)\""), "\(page.text)")
                }
                #expect(page.text.contains("<details>\n<summary>Use company and user name</summary>"))
            }
        }
    }

    @Test func `the only company of a client is not entered`() async throws {
        var service = FakeService(), pending = FakeService.pending(page: .logIn)
        pending.onlyTenant = "Acme & Sons"
        service.pending = pending
        let page = try await with(service) {
            try await $0.get("/login/" + FakeService.flowID, try cookies(.request, request: FakeService.handle))
        }
        #expect(
            page.text.contains("<input type=\"hidden\" name=\"company\" value=\"Acme &amp; Sons\">"), "\(page.text)")
        #expect(!page.text.contains("autocomplete=\"organization\""))
        #expect(page.text.contains("data-company=\"Acme &amp; Sons\" hidden"))
    }

    @Test func `one account is no choice`() async throws {
        for count in [1, 2] {
            var service = proved
            service.view.accounts = Array(service.view.accounts.prefix(count))
            let page = try await with(service) { try await $0.get(Self.flowPath + "/account", try cookies()) }
            #expect(page.text.contains("<ul class=\"plain\" id=\"only\" hidden>") == (count == 1), "\(page.text)")
            #expect(page.text.contains("<h1>Choose an account</h1>") == (count == 2))
        }
    }

    @Test func `the form begins a flow for the client that asks`() async throws {
        var service = FakeService()
        service.pending = FakeService.pending(page: .logIn)
        let reply = try await with(service) { browser in
            let fields = [(name: "email", value: "zoe@acme.example"), ("key", Self.key)]
            return try await post(
                browser, "/login/address/" + FakeService.flowID, fields, request: FakeService.handle)
        }
        #expect(reply.status == 303 && reply.header("Location") == Self.flowPath + "/key", "\(reply.text)")
        #expect(reply.fields[values: .setCookie].first?.contains("=1.login-address.") == true)
        let started = try #require(await service.recorder.last)
        #expect(started.name == "startAddressLogin")
        #expect(started.details == ["email": "zoe@acme.example", "client": FakeService.appId.lowercased])
    }

    @Test func `what is missing or malformed is told beside the field`() async throws {
        try await with { browser in
            let none = try await post(browser, "/login/address", [("email", " "), ("key", Self.key)])
            #expect(none.status == 400 && none.text.contains("id=\"email-error\">Enter your e-mail address.</p>"))
        }
        var service = FakeService()
        service.refusals["startAddressLogin"] = ServiceError(.emailInvalid)
        let wrong = try await with(service) {
            try await post($0, "/login/address", [("email", "zoe"), ("key", Self.key)])
        }
        #expect(wrong.status == 400 && wrong.text.contains("This is no e-mail address."), "\(wrong.text)")
    }

    @Test func `a right secret leads to the accounts`() async throws {
        let service = FakeService()
        let reply = try await with(service) {
            try await post($0, Self.flowPath + "/passphrase", [("passphrase", "a passphrase")])
        }
        #expect(reply.status == 303 && reply.header("Location") == Self.flowPath + "/account", "\(reply.text)")
        #expect(await service.recorder.last?.name == "proveAddress")
    }

    @Test func `each account is a form with a challenge of its own`() async throws {
        let page = try await with(proved) { try await $0.get(Self.flowPath + "/account", try cookies()) }
        #expect(page.status == 200, "\(page.text)")
        #expect(page.text.contains(">7 at Acme &amp; Sons</span></button>"))
        #expect(page.text.contains(">&quot;&gt;&lt;b&gt;8 at Acme &amp; Sons</span></button>"))
        for id in ["7", "\"><b>8"] {
            #expect(page.text.contains("data-pick=\"\(Base64URL.encode(Array("of \(id)".utf8)))\""))
        }
        #expect(page.text.contains("data-address=\"zoe@acme.example\""))
        #expect(page.text.contains("src=\"\(PageAsset.pick.path)\""))
    }

    @Test func `a picked account logs in`() async throws {
        var service = FakeService()
        service.outcome = FakeService.success
        let id = FakeService.employeeId.lowercased
        let reply = try await with(service) {
            try await post($0, Self.flowPath + "/account", [("account", id), ("proof", "AAAA")])
        }
        #expect(reply.status == 303 && reply.header("Location") == "/account", "\(reply.text)")
    }

    @Test func `whoever has no account to use here is told so`() async throws {
        var service = FakeService()
        service.refusals["proveAddress"] = ServiceError(.appNotLinked)
        let page = try await with(service) {
            try await post($0, Self.flowPath + "/passphrase", [("passphrase", "a passphrase")])
        }
        #expect(page.text.contains("<h1>No account to use here</h1>"), "\(page.text)")
    }
}
