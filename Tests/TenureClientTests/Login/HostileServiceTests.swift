import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// Whatever a hostile service tries, the client refuses with one and the same error and signs nothing.
@Suite struct HostileServiceTests {
    private func client(_ service: BlindService) -> TenureClient {
        TenureClient(
            baseURL: "https://id.example", appCredentials: AppCredentials(appId: "app", secret: "s"),
            transport: service, retries: RetryPolicy(attempts: 1))
    }

    private func logIn(
        _ service: BlindService, _ pins: some PinStore, key: EmployeeKey, wrong: Bool = false
    ) async throws -> FlowOutcomeResponse {
        let client = client(service)
        let flow = try await client.startLogin(company: "ACME.example", employee: "7", key: key)
        let asked = try await client.proveKey(flow, key: key)
        var answers = service.account.answers(asked)
        if wrong { for place in answers.indices.dropFirst(2) { answers[place].answer = "wrong" } }
        return try await client.proveAnswers(flow, asked, answers: answers, pins: pins)
    }

    @Test func `an honest service gets two valid signatures and is pinned`() async throws {
        let (account, other) = try BlindService.Account.pair.get()
        let service = BlindService(.login, account, other)
        let pins = MemoryPinStore()
        let key = try EmployeeKey.generate()
        guard case .authorizationPending = try await logIn(service, pins, key: key) else {
            Issue.record("no outcome")
            return
        }
        let sent = await service.sent
        #expect(sent.map { $0.url.split(separator: "/").last } == ["logins", "key", "evaluations", "proof"])
        let proof = try #require(await service.proofs.first)
        let started = try #require(sent[1].body)
        _ = try KeyProofRequest(bytes: started)
        #expect(proof.credentials == nil && proof.userSignature.count == 64)
        let named = try PinnedAccount(baseURL: "https://id.example", company: "acme.EXAMPLE ", employee: "7")
        let pin = try #require(await pins.pin(of: named))
        #expect(pin.recordHash == account.record.hash && pin.tenant == account.tenant)
        // The pin fits the next time.
        _ = try await logIn(BlindService(.login, account, other), pins, key: key)
    }

    @Test func `three right answers open with the nine other elements, which hide how many were given`() async throws {
        let (account, other) = try BlindService.Account.pair.get()
        let key = try EmployeeKey.generate()
        for count in [4, 5] {
            let service = BlindService(.login, account, other)
            let client = client(service)
            let flow = try await client.startLogin(company: "acme.example", employee: "7", key: key)
            let asked = try await client.proveKey(flow, key: key)
            var answers = Array(account.answers(asked).suffix(count))
            answers[0].answer = "wrong"
            _ = try await client.proveAnswers(flow, asked, answers: answers, pins: MemoryPinStore())
            let bodies = try await service.sent.filter { $0.url.hasSuffix("/evaluations") }
                .map { try EvaluationsRequest(bytes: $0.body ?? []).elements }
            #expect(bodies.map(\.count) == [1, 9])
            #expect(Set(bodies.joined().map(\.slot)) == Set(0...9))
            #expect(bodies.joined().allSatisfy { $0.element.count == 49 })
        }
    }

    private static let cheatsAtLogin = BlindService.Cheat.allCases.filter {
        ![.otherRecord, .otherCost, .replacedCredential, .otherPrevious, .sameCredential].contains($0)
    }

    @Test(arguments: cheatsAtLogin) func `without a pin every manipulation and a wrong answer give the same error`(
        cheat: BlindService.Cheat
    ) async throws {
        let (account, other) = try BlindService.Account.pair.get()
        let service = BlindService(.login, account, other, cheat: cheat)
        let pins = MemoryPinStore()
        let key = try EmployeeKey.generate()
        let error = await #expect(throws: TenureClientError.self) { try await logIn(service, pins, key: key) }
        let wrong = await #expect(throws: TenureClientError.self) {
            try await logIn(BlindService(.login, account, other), pins, key: key, wrong: true)
        }
        #expect(error?.description == "client.signing_refused")
        #expect(wrong?.description == error?.description)
        #expect(await service.proofs.isEmpty)
        let account7 = try PinnedAccount(baseURL: "https://id.example", company: "acme.example", employee: "7")
        #expect(await pins.pin(of: account7) == nil)
        if [.statement, .otherTenant, .otherEmployee].contains(cheat) {
            #expect(await service.keyProofs == 0, "the device signed nothing")
        }
    }

    @Test(arguments: [
        BlindService.Cheat.substitutedKey, .otherUser, .otherCost, .otherRecord, .otherCredential,
    ])
    func `with a pin another context is refused before anything is evaluated`(cheat: BlindService.Cheat) async throws {
        let (account, other) = try BlindService.Account.pair.get()
        let pins = MemoryPinStore()
        let key = try EmployeeKey.generate()
        _ = try await logIn(BlindService(.login, account, other), pins, key: key)
        let service = BlindService(.login, account, other, cheat: cheat)
        let error = await #expect(throws: TenureClientError.self) { try await logIn(service, pins, key: key) }
        #expect(error?.description == "client.signing_refused")
        #expect(await service.sent.allSatisfy { !$0.url.hasSuffix("/evaluations") })
    }

    private func setUp(_ service: BlindService) async throws -> FlowOutcomeResponse {
        let client = client(service)
        let key = try EmployeeKey.generate()
        let flow = try await client.startRegistration(
            company: "acme.example", employee: "7", email: "a@b.example", key: key)
        let asked = try await client.proveKey(flow, key: key)
        return try await client.setBlindCredentials(
            flow, asked, questions: (1...5).map { .init(question: "Q\($0)?", answer: "secret \($0)") },
            passphrase: "a passphrase", questionsWithPassphrase: true, key: key, pins: MemoryPinStore())
    }

    private func registration(_ cheat: BlindService.Cheat?) throws -> BlindService {
        let (account, other) = try BlindService.Account.pair.get()
        return BlindService(
            .registration, account, other, cheat: cheat,
            plan: try SetUpPlan(
                credentialId: UUID(), userId: UUID(), mode: .blind, seed: account.seed,
                kdf: try ScryptParameters(log2N: 14)))
    }

    @Test func `a set-up hands in a record that the service accepts`() async throws {
        let service = try registration(nil)
        _ = try await setUp(service)
        let proof = try #require(await service.proofs.first)
        let credentials = try #require(proof.credentials)
        let record = try CredentialsRecord(bytes: credentials.record)
        try record.require(try #require(service.plan))
        try record.require(
            questions: try credentials.questions.map { try QuestionText(Question($0.choice), salt: $0.salt) })
        let bodies = await service.sent.map { String(decoding: $0.body ?? [], as: UTF8.self) }.joined()
        #expect(!bodies.contains("secret") && !bodies.contains("passphrase\""))
    }

    /// Another user's key at set-up is proofs under that user's VOPRF key, or that user's credential id.
    @Test(arguments: [
        BlindService.Cheat.otherEvaluationKey, .otherUser, .otherCost, .zeroProof, .shortEvaluation,
        .fewerEvaluations, .otherSlots, .nonsense, .statement, .otherTenant, .otherEmployee, .otherCredential,
    ])
    func `every manipulation of a set-up gives the same error`(cheat: BlindService.Cheat) async throws {
        let service = try registration(cheat)
        let error = await #expect(throws: TenureClientError.self) { try await setUp(service) }
        #expect(error?.description == "client.signing_refused")
        #expect(await service.proofs.isEmpty)
    }

    @Test func `invalid entries are reported before anything is sent`() async throws {
        let service = try registration(nil)
        let client = client(service)
        let key = try EmployeeKey.generate()
        let flow = try await client.startRegistration(
            company: "acme.example", employee: "7", email: "a@b.example", key: key)
        let asked = try await client.proveKey(flow, key: key)
        let four = (1...4).map { NewSecurityQuestion(question: "Q\($0)?", answer: "a") }
        let error = await #expect(throws: TenureClientError.self) {
            try await client.setBlindCredentials(flow, asked, questions: four, key: key, pins: MemoryPinStore())
        }
        #expect(error?.code.rawValue == "credentials.five_questions_required")
        #expect(await service.sent.count == 2)
    }
}
