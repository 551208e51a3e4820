import Canonical
import Credentials
import ErrorCodes
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// The person who lost everything, by steps.
@Suite struct RecoveryStepTests {
    private static let new = NewUserCredentials(questions: fiveQuestions, passphrase: "another passphrase")

    private func begin(_ service: FakeService, mode: TenureClient.Mode = .automatic) async throws -> RecoveryStep {
        try await TenureClient(service, mode: mode).recover(companyName: "A", companyEmployeeId: "7")
    }

    private func approved(_ step: RecoveryStep) throws -> RecoveredCredentialsStep {
        guard case .setCredentials(let step) = step else { throw StubTransport.Lost() }
        return step
    }

    private func waiting(_ step: RecoveryStep) throws -> PendingRecovery {
        guard case .approvalPending(let pending) = step else { throw StubTransport.Lost() }
        return pending
    }

    private func presented(_ service: FakeService) async throws -> Set<[UInt8]> {
        Set(
            try await service.sent("/v1/recoveries").map { try LoginRequest(bytes: $0.body ?? []).employeePublicKey })
    }

    @Test func `repeated requests keep one pending key, whose fingerprint is shown`() async throws {
        let service = FakeService(asking: .asksForCredentials)
        await service.ask([.pending, .pending, .outcome(.asksForCredentials)])
        let client = TenureClient(service)
        let pending = try waiting(try await client.recover(companyName: "A", companyEmployeeId: "7"))
        // The same device comes back later, another program of it included.
        let again = try waiting(try await client.recover(companyName: "a", companyEmployeeId: " 7"))
        #expect(again.fingerprint == pending.fingerprint)
        let step = try approved(try await pending.ask())
        #expect(step.rules.questionCount == 5)
        let keys = try await presented(service)
        #expect(keys.count == 1)
        let key = try EmployeePublicKey(bytes: try #require(keys.first))
        #expect(key.fingerprint == pending.fingerprint)
        #expect(pending.readableFingerprint.filter { $0 != " " } == pending.fingerprint)
    }

    @Test func `an approved device learns when to return, and continues then`() async throws {
        let time = Timestamp(microseconds: 1_700_000_000_000_000)
        var problem = Problem(.recoveryNotAvailable, requestId: "r")
        problem.availableAt = time
        let early = WireResponse(status: problem.status, headers: ["retry-after": "3600"], body: problem.bytes)
        let service = FakeService(asking: .asksForCredentials)
        await service.ask([.response(early), .response(early), .outcome(.asksForCredentials)])
        guard case .availableLater(let pending, at: let told) = try await begin(service) else {
            throw StubTransport.Lost()
        }
        #expect(told == time)
        // The time is over by this device's clock, and the service's is a little late.
        _ = try await pending.approval(askingEvery: .milliseconds(1))
        #expect(try await presented(service).count == 1)
    }

    @Test func `the fingerprint of another key is never shown`() async throws {
        let other = try EmployeeKey.generate().publicKey
        let service = FakeService(
            asking: .authorizationPending(employeePublicKey: other.bytes, fingerprint: other.fingerprint, position: nil)
        )
        #expect(await code { _ = try await begin(service) } == "client.response_invalid")
    }

    @Test func `a step of another flow is refused in a recovery`() async throws {
        for asked in [FlowOutcomeResponse.asksForAnswers, .asksForPassphrase] {
            #expect(await code { _ = try await begin(FakeService(asking: asked)) } == "client.response_invalid")
        }
    }

    @Test func `waiting polls until both decisions exist, even while the service is down`() async throws {
        let service = FakeService(asking: .asksForCredentials)
        await service.ask([
            .pending, .pending, .problem("service.busy", retryAfter: 0), .lose, .lose, .outcome(.asksForCredentials),
        ])
        let pending = try waiting(try await begin(service))
        _ = try await pending.approval(askingEvery: .milliseconds(1))
        #expect(try await presented(service).count == 1)
    }

    @Test func `waiting ends with its task or when the app loses access`() async throws {
        let service = FakeService(asking: .asksForCredentials)
        await service.ask([.pending, .problem("app.secret_invalid")])
        let pending = try waiting(try await begin(service))
        #expect(
            await code { _ = try await pending.approval(askingEvery: .milliseconds(1)) } == "app.secret_invalid")
        let task = Task { _ = try await pending.approval(askingEvery: .seconds(3600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `direct mode sends the new credentials to the recovery and forgets pin and session`() async throws {
        let service = FakeService(asking: .asksForCredentials, [.pending])
        let client = TenureClient(service, mode: .direct)
        let name = client.account(companyName: "A", companyEmployeeId: "7")
        let account = try PinnedAccount(baseURL: "https://id.example", company: "A", employee: "7")
        try await client.pinStore.keep(
            CredentialPin(tenant: UUID(), credentialId: UUID(), recordHash: [1], contextHash: [2]), of: account)
        try await client.sessions.keeper(of: name).begin(
            SessionTokens(accessToken: "old", expiresAt: .now(), refreshToken: "old"))
        let step = try approved(try await client.recover(companyName: "A", companyEmployeeId: "7"))
        guard case .authorizationPending(let pending) = try await step.submit(Self.new) else {
            throw StubTransport.Lost()
        }
        #expect(try await client.fingerprint(of: name) == pending.fingerprint)
        let sent = await service.sent("/credentials")
        #expect(sent.count == 1 && sent.allSatisfy { $0.url.contains("/v1/recoveries/") })
        #expect(try CredentialsRequest(bytes: sent.first?.body ?? []).passphrase == "another passphrase")
        #expect(try await client.pinStore.pin(of: account) == nil)
        #expect(try await client.session(companyName: "A", companyEmployeeId: "7") == nil)
        #expect(await code { _ = try await step.submit(Self.new) } == "flow.already_used")
    }

    @Test func `blind mode refuses a plan without approvals`() async throws {
        let key = [UInt8](repeating: 2, count: 49)
        let plan = SetUpPlanResponse(
            credentialId: UUID(), userId: UUID(), oprfAnswers: key, oprfPassphrase: key,
            kdf: .init(log2N: 14, r: 8, p: 1))
        let service = FakeService(asking: .setCredentials(challenge: [1], rules: FakeService.rules, setUp: plan))
        let step = try approved(try await begin(service))
        #expect(await code { _ = try await step.submit(Self.new) } == "client.signing_refused")
        #expect(await service.sent.count == 2, "nothing was evaluated")
    }

    @Test func `entries are kept and sent again if the flow expires during typing`() async throws {
        let service = FakeService(asking: .asksForCredentials, [.problem("flow.expired"), .pending])
        let client = TenureClient(service, mode: .direct)
        let prompts = OnePrompt()
        let step = try approved(try await client.recover(companyName: "A", companyEmployeeId: "7"))
        guard case .authorizationPending = try await client.complete(step, asking: prompts) else {
            throw StubTransport.Lost()
        }
        #expect(await prompts.asked == 1)
        let sent = await service.sent("/credentials")
        #expect(Set(sent.map(\.url)).count == 2 && Set(sent.compactMap(\.body)).count == 1)
    }

    @Test func `an ended approval is reported, and flows that keep expiring are not restarted for ever`()
        async throws
    {
        let ended = FakeService(asking: .asksForCredentials, [.problem("flow.expired")])
        await ended.ask([.outcome(.asksForCredentials), .pending])
        let client = TenureClient(ended, mode: .direct)
        let step = try approved(try await client.recover(companyName: "A", companyEmployeeId: "7"))
        #expect(await code { _ = try await client.complete(step, asking: OnePrompt()) } == "recovery.unknown")
        let always = FakeService(asking: .asksForCredentials, [.problem("flow.expired")])
        let other = TenureClient(always, mode: .direct)
        let next = try approved(try await other.recover(companyName: "A", companyEmployeeId: "7"))
        #expect(await code { _ = try await other.complete(next, asking: OnePrompt()) } == "flow.expired")
        #expect(await always.sent("/credentials").count == 2)
    }

    @Test func `refused entries are asked for again, and permanent refusals are not`() async throws {
        let wanting = FakeService(asking: .asksForCredentials, [.problem("credentials.incomplete"), .pending])
        let client = TenureClient(wanting, mode: .direct)
        let prompts = OnePrompt()
        _ = try await client.complete(
            try approved(try await client.recover(companyName: "A", companyEmployeeId: "7")), asking: prompts)
        #expect(await prompts.asked == 2)
        let stale = FakeService(asking: .asksForCredentials, [.problem("request.stale")])
        let other = TenureClient(stale, mode: .direct)
        let step = try approved(try await other.recover(companyName: "A", companyEmployeeId: "7"))
        let unasked = OnePrompt()
        #expect(await code { _ = try await other.complete(step, asking: unasked) } == "request.stale")
        #expect(await unasked.asked == 1)
    }
}

/// Enters the same each time, and counts how often it was asked.
private actor OnePrompt: PromptProvider {
    private(set) var asked = 0

    func newCredentials(rules: CredentialRules) -> NewUserCredentials {
        asked += 1
        return NewUserCredentials(questions: fiveQuestions, passphrase: "a new passphrase")
    }

    func answers(to questions: [SecurityQuestion]) throws -> [SecurityAnswer] { throw StubTransport.Lost() }
    func passphrase(questionsAllowed: Bool) throws -> PassphraseReply { throw StubTransport.Lost() }
    func wasRefused(_ error: TenureClientError) -> Bool { asked < 3 }
}
