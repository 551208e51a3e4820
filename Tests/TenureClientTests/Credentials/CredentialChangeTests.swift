import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing
@testable import TenureClient

@Suite struct ChangeStepTests {
    private static let new = NewUserCredentials(questions: fiveQuestions, passphrase: "another passphrase")

    /// A client whose device has a key of the account.
    private func client(_ service: FakeService, mode: TenureClient.Mode = .automatic) async throws -> TenureClient {
        let client = TenureClient(service, mode: mode)
        _ = try await client.keyStore.makeKey(of: client.account(companyName: "A", companyEmployeeId: "7"))
        return client
    }

    private func begin(_ service: FakeService) async throws -> CurrentSecretStep {
        try await client(service).changeCredentials(companyName: "A", companyEmployeeId: "7")
    }

    private func bodies(_ service: FakeService) async throws -> [CredentialsChangeRequest] {
        try await service.sent("/credentials").map { try CredentialsChangeRequest(bytes: $0.body ?? []) }
    }

    @Test func `direct mode sends old and new in one call, and a wrong secret can be entered again`() async throws {
        let service = FakeService(asking: .asksForEither, [.problem("passphrase.incorrect"), .success()])
        let step = try await begin(service)
        #expect(step.asksForPassphrase && step.questions?.count == 5)
        let wrong = try await step.prove(.passphrase("wrong"))
        #expect(wrong.rules.passphraseMinimumLength == 8)
        #expect(await service.sent.count == 2, "nothing was asked of the service yet")
        #expect(await code { _ = try await wrong.submit(Self.new) } == "passphrase.incorrect")
        let right = try await step.prove(.answers(threeAnswers))
        guard case .success(let admission) = try await right.submit(Self.new) else {
            Issue.record("another outcome")
            return
        }
        #expect(try await admission.session.accessToken() == "access1")
        let sent = try await bodies(service)
        #expect(sent.map(\.credentials.passphrase) == ["another passphrase", "another passphrase"])
        #expect(sent[0].current == .passphrase("wrong"))
        #expect(sent[1].current == .answers(threeAnswers.map { .init(questionId: $0.questionId, answer: $0.answer) }))
        #expect(await code { _ = try await right.submit(Self.new) } == "flow.already_used")
        #expect(await code { _ = try await step.prove(.passphrase("x")) } == "flow.already_used")
    }

    @Test func `direct mode forgets the pin of the replaced credential`() async throws {
        let client = try await client(FakeService(asking: .asksForAnswers), mode: .direct)
        let account = try PinnedAccount(baseURL: "https://id.example", company: "A", employee: "7")
        try await client.pinStore.keep(
            CredentialPin(
                tenant: UUID(), credentialId: UUID(), recordHash: Array(repeating: 1, count: 32),
                contextHash: Array(repeating: 2, count: 32)), of: account)
        let step = try await client.changeCredentials(companyName: "A", companyEmployeeId: "7")
        _ = try await step.prove(.answers(threeAnswers)).submit(Self.new)
        #expect(try await client.pinStore.pin(of: account) == nil)
    }

    @Test func `a device without the account's key changes nothing and creates no key`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let client = TenureClient(service)
        let result = await code { _ = try await client.changeCredentials(companyName: "A", companyEmployeeId: "7") }
        #expect(result == "client.not_logged_in")
        #expect(await service.sent.isEmpty)
        let name = client.account(companyName: "A", companyEmployeeId: "7")
        #expect(try await client.keyStore.key(of: name) == nil)
    }

    @Test func `fewer than three answers are reported before anything is sent`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let step = try await begin(service)
        #expect(
            await code { _ = try await step.prove(.answers(Array(threeAnswers.dropLast()))) }
                == "answers.at_least_three_required")
        _ = try await step.prove(.answers(threeAnswers))
        #expect(await service.sent("/credentials").isEmpty)
    }

    @Test func `the person is asked again only for the refused entries`() async throws {
        let service = FakeService(
            asking: .asksForPassphrase,
            [.problem("passphrase.incorrect"), .problem("credentials.incomplete"), .success()])
        let client = try await client(service)
        let prompts = CountingPrompts(tries: 3)
        let step = try await client.changeCredentials(companyName: "A", companyEmployeeId: "7")
        guard case .success = try await client.complete(step, asking: prompts) else {
            Issue.record("another outcome")
            return
        }
        #expect(await prompts.passphrases == 2)
        #expect(await prompts.news == 2)
        #expect(try await bodies(service).map(\.current) == [1, 2, 2].map { .passphrase("passphrase \($0)") })
        #expect(try await bodies(service).map(\.credentials.passphrase) == [1, 1, 2].map { "new passphrase \($0)" })
    }

    @Test func `a permanent refusal is not asked again`() async throws {
        for refusal in ["authorization.not_permitted", "request.stale", "flow.expired"] {
            let service = FakeService(asking: .asksForPassphrase, [.problem(refusal)])
            let client = try await client(service)
            let prompts = CountingPrompts(tries: 3)
            let step = try await client.changeCredentials(companyName: "A", companyEmployeeId: "7")
            #expect(await code { _ = try await client.complete(step, asking: prompts) } == refusal)
            #expect(await prompts.refusals == 0)
            #expect(await code { _ = try await step.prove(.passphrase("x")) } == "flow.already_used")
        }
    }
}

/// Enters another thing each time, and counts how often it was asked.
private actor CountingPrompts: PromptProvider {
    private let tries: Int
    private(set) var passphrases = 0
    private(set) var news = 0
    private(set) var refusals = 0

    init(tries: Int) { self.tries = tries }

    func newCredentials(rules: CredentialRules) -> NewUserCredentials {
        news += 1
        return NewUserCredentials(questions: fiveQuestions, passphrase: "new passphrase \(news)")
    }
    func answers(to questions: [SecurityQuestion]) -> [SecurityAnswer] { threeAnswers }
    func passphrase(questionsAllowed: Bool) -> PassphraseReply {
        passphrases += 1
        return .passphrase("passphrase \(passphrases)")
    }
    func wasRefused(_ error: TenureClientError) -> Bool {
        refusals += 1
        return refusals < tries
    }
}

/// A change in blind mode: what an honest service gets, and that a hostile one gets nothing.
@Suite struct HostileChangeTests {
    private static let new = CredentialsRequest(
        securityQuestions: (1...5).map { .init(question: "N\($0)?", answer: "secret \($0)") },
        passphrase: "a passphrase")

    private func service(_ cheat: BlindService.Cheat?) throws -> BlindService {
        let (account, other) = try BlindService.Account.pair.get()
        return BlindService(
            .change, account, other, cheat: cheat,
            plan: try SetUpPlan(
                credentialId: UUID(), userId: account.record.sealed.context.userId, mode: .blind, seed: account.seed,
                previous: PreviousCredentials(account.record), kdf: try ScryptParameters(log2N: 14)))
    }

    private func change(
        _ service: BlindService, _ pins: some PinStore, key: EmployeeKey
    ) async throws -> FlowOutcomeResponse {
        let client = TenureClient(
            baseURL: "https://id.example", appCredentials: AppCredentials(appId: "app", secret: "s"),
            transport: service, retries: RetryPolicy(attempts: 1))
        let flow = try await client.startChange(company: "acme.example", employee: "7", key: key)
        let asked = try await client.proveKey(flow, key: key)
        return try await client.changeBlindCredentials(
            flow, asked, current: .answers(service.account.answers(asked)), to: Self.new, key: key, pins: pins)
    }

    @Test func `the client sends a record that the old key signed, and pins it`() async throws {
        let service = try service(nil), pins = MemoryPinStore(), key = try EmployeeKey.generate()
        _ = try await change(service, pins, key: key)
        let proofs = await service.proofs
        #expect(proofs.map { $0.credentials == nil } == [true, false])
        let record = try CredentialsRecord(bytes: try #require(proofs.last?.credentials?.record))
        try record.verify(employeeKey: key.publicKey, previous: PreviousCredentials(service.account.record))
        try record.require(try #require(service.plan))
        let account = try PinnedAccount(baseURL: "https://id.example", company: "acme.example", employee: "7")
        #expect(await pins.pin(of: account)?.recordHash == record.hash)
        let bodies = await service.sent.map { String(decoding: $0.body ?? [], as: UTF8.self) }.joined()
        #expect(!bodies.contains("secret") && !bodies.contains("passphrase\""))
    }

    @Test(arguments: [BlindService.Cheat.otherPrevious, .sameCredential])
    func `the client signs no record that follows another one or replaces itself`(
        cheat: BlindService.Cheat
    ) async throws {
        let service = try service(cheat), pins = MemoryPinStore()
        let error = await #expect(throws: TenureClientError.self) {
            try await change(service, pins, key: try EmployeeKey.generate())
        }
        #expect(error?.description == "client.signing_refused")
        #expect(await service.proofs.allSatisfy { $0.credentials == nil }, "no record was handed in")
        let account = try PinnedAccount(baseURL: "https://id.example", company: "acme.example", employee: "7")
        #expect(await pins.pin(of: account)?.recordHash == service.account.record.hash, "what was opened is pinned")
    }
}
