import ErrorCodes
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// The page that offers the mail which confirms the address that a client asks for.
@Suite(.timeLimit(.minutes(5))) struct AddressOfferPageTests {
    private static let path = "/address/" + FakeService.flowID

    private func service(_ page: AuthorizationAnswer.Page = .address) -> FakeService {
        var service = FakeService()
        service.pending = FakeService.pending(page: page)
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

    private func fields(_ answer: String, cookie: String = FakeService.cookie) -> [(name: String, value: String)] {
        let token = FormToken(cookie: cookie, path: "/address/{flow}", request: FakeService.flowID).text
        return [("request", FakeService.flowID), ("token", token), ("answer", answer)]
    }

    @Test func `names the client, and offers the mail and the way without`() async throws {
        try await with(service()) { (browser: Browser) async throws in
            let page = try await browser.get(Self.path)
            #expect(page.status == 200 && page.text.contains("Wiki asks for your e-mail address"), "\(page.text)")
            #expect(page.text.contains("Go on without") && !page.text.contains("on its way"))
            let mailed = try await browser.get(Self.path + "?mailed")
            #expect(
                mailed.text.contains("on its way") && mailed.text.contains("href=\"/answer/\(FakeService.flowID)\""))
        }
    }

    @Test func `sends the mail, and goes on at the client without the address`() async throws {
        let service = service()
        try await with(service) { (browser: Browser) async throws in
            let sent = try await browser.post(Self.path, fields("mail"))
            #expect(sent.status == 303 && sent.header("Location") == Self.path + "?mailed")
            #expect(try await browser.post(Self.path, fields("without")).isAnswer)
            #expect(try await browser.post(Self.path, fields("other")).status == 400)
        }
        let work = await service.recorder.work
        #expect(work.count { $0.name == "verifyMyEmail" } == 1)
        let last = try #require(work.last { $0.name == "goOnWithoutAddress" })
        #expect(last.details == ["handle": FakeService.handle, "cookie": FakeService.cookie])
    }

    @Test(arguments: [ErrorCode.mailUnavailable, .requestRateLimited, .emailInvalid])
    func `says why no mail was sent, and still leads on`(code: ErrorCode) async throws {
        var service = service()
        service.refusals["verifyMyEmail"] = ServiceError(code)
        try await with(service) { (browser: Browser) async throws in
            let page = try await browser.post(Self.path, fields("mail"))
            #expect(page.status == code.status && page.text.contains("There is a problem"))
            #expect(page.text.contains("Go on without"))
        }
    }

    @Test func `is for the browser's own form and for a request that waits for it`() async throws {
        let service = service()
        try await with(service) { (browser: Browser) async throws in
            #expect(try await browser.post(Self.path, fields("mail", cookie: "other")).status == 303)
            let headers = [("Origin", "https://evil.example")]
            #expect(try await browser.post(Self.path, fields("mail"), headers).status == 403)
        }
        #expect(await service.recorder.work.contains { $0.name == "verifyMyEmail" } == false)
        try await with(self.service(.consent)) { (browser: Browser) async throws in
            let elsewhere = try await browser.get(Self.path)
            #expect(elsewhere.status == 303 && elsewhere.header("Location") == "/answer/" + FakeService.flowID)
        }
    }
}
