import Foundation
import Testing

@testable import TenureClient

@Suite struct ModeTests {
    private func answers(_ client: TenureClient) async throws -> AnswersStep {
        let step = try await client.login(companyName: "A", companyEmployeeId: "7")
        guard case .validateAnswers(let step) = step else { throw StubTransport.Lost() }
        return step
    }

    @Test func `a client that is told to be blind sends nothing to a service that is not`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let step = try await answers(TenureClient(service, mode: .blind))
        #expect(await code { _ = try await step.submit(threeAnswers) } == "client.mode_unavailable")
        #expect(await service.sent("/answers").isEmpty)
    }

    @Test func `an account whose credentials are pinned never goes back to the direct mode`() async throws {
        let pins = MemoryPinStore()
        let account = try PinnedAccount(baseURL: "https://id.example", company: "a", employee: "7")
        await pins.keep(
            CredentialPin(tenant: .init(), credentialId: .init(), recordHash: [1], contextHash: [2]), of: account)
        let service = FakeService(asking: .asksForAnswers)
        let step = try await answers(TenureClient(service, pinStore: pins))
        #expect(await code { _ = try await step.submit(threeAnswers) } == "client.mode_unavailable")
        #expect(await service.sent("/answers").isEmpty)
        _ = try await answers(TenureClient(service)).submit(threeAnswers)
        #expect(await service.sent("/answers").count == 1)
    }
}
