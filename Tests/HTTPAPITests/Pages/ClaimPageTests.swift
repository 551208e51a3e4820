import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// The page where somebody claims the address that they register with.
@Suite(.timeLimit(.minutes(5))) struct ClaimPageTests {
    private static func flow(_ purpose: FlowKind = .registration) throws -> BrowserFlow {
        try FakeService.flow(.flow(purpose, handle: "Zmxvdw"), request: "")
    }

    private func service(
        triesLeft: Int?, _ answer: ClaimAnswer = .proved, isProved: Bool = false
    ) -> FakeService {
        var service = FakeService(), view = FakeService.view(purpose: .registration)
        view.claim = FlowView.Claim(address: "zed@pier.example", triesLeft: triesLeft, isProved: isProved)
        service.view = view
        service.claimAnswer = answer
        return service
    }

    private func get(_ service: FakeService, _ path: String, _ purpose: FlowKind = .registration) async throws
        -> API.Answer
    {
        try await Registrant.with(service) { try await $0.get(Registrant.flowPath + path, in: Self.flow(purpose)) }
    }

    private func post(_ service: FakeService, _ path: String, _ fields: [(name: String, value: String)] = [])
        async throws -> API.Answer
    {
        try await Registrant.with(service) {
            try await $0.post(Registrant.flowPath + path, in: Self.flow(), fields)
        }
    }

    @Test func `is linked from the questions of a registration, and of no log-in`() async throws {
        let link = ">These are not my questions</a>"
        #expect(try await get(service(triesLeft: nil), "/answers").text.contains(link))
        var logIn = FakeService()
        logIn.view = FakeService.view()
        #expect(try await !get(logIn, "/answers", .login).text.contains(link))
        let page = try await get(logIn, "/address", .login)
        #expect(page.status == 303, "a log-in claims no address")
    }

    @Test func `asks for the mail, and then for its code`() async throws {
        let before = try await get(service(triesLeft: nil), "/address")
        #expect(before.status == 200 && before.text.contains("zed@pier.example"))
        #expect(before.text.contains("Send me a code") && !before.text.contains("name=\"code\""))
        let after = try await get(service(triesLeft: 3), "/address")
        #expect(after.text.contains("name=\"code\"") && after.text.contains("Tries left: 3"))
        let asked = service(triesLeft: nil, .awaited), sent = try await post(asked, "/address")
        #expect(sent.status == 303 && sent.header("Location") == Registrant.flowPath + "/address")
        #expect(await asked.recorder.entries.contains { $0.name == "claimAddress" && $0.details["flow"] == "Zmxvdw" })
    }

    @Test func `asks for no code if an invitation proved the mailbox`() async throws {
        let before = try await get(service(triesLeft: nil, isProved: true), "/address")
        #expect(before.text.contains("Take this address") && !before.text.contains("Send me a code"))
        let taken = try await post(service(triesLeft: nil, isProved: true), "/address")
        #expect(taken.status == 303 && taken.header("Location") == Registrant.flowPath + "/credentials")
        let kept = try await post(service(triesLeft: nil, .kept, isProved: true), "/address")
        #expect(kept.status == 403 && kept.text.contains("somebody vouched for that account"))
    }

    @Test func `goes on with new questions once the mailbox is proved`() async throws {
        let service = service(triesLeft: 5)
        let reply = try await post(service, "/address/code", [("code", "7kq2 m9xa")])
        #expect(reply.status == 303 && reply.header("Location") == Registrant.flowPath + "/credentials")
        let typed = await service.recorder.entries.last { $0.name == "proveClaimedAddress" }
        #expect(typed?.details["code"] == "7kq2 m9xa")
    }

    @Test(arguments: [
        (ClaimAnswer.kept, "somebody vouched for that account"), (.wrong(triesLeft: 2), "Tries left: 2"),
        (.wrong(triesLeft: 0), "No more codes are accepted"),
    ]) func `says what is wrong with a code`(answer: ClaimAnswer, text: String) async throws {
        let reply = try await post(service(triesLeft: 5, answer), "/address/code", [("code", "7KQ2-M9XA")])
        #expect(reply.status == 403 && reply.text.contains(text))
        #expect(reply.text.contains("value=\"7KQ2-M9XA\""), "what was typed is lost")
    }

    @Test func `asks again for a code that is missing`() async throws {
        let service = service(triesLeft: 5), reply = try await post(service, "/address/code")
        #expect(reply.status == 403 && reply.text.contains("Enter the code."))
        #expect(await !service.recorder.entries.contains { $0.name == "proveClaimedAddress" })
    }
}
