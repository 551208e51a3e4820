import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing
@testable import TenureClient

@Suite struct StepTests {
    private func registration(_ client: TenureClient) async throws -> RegistrationStep {
        try await client.register(companyName: "A", companyEmployeeId: "7", email: "e@a.example")
    }

    private func answers(_ service: FakeService, _ client: TenureClient? = nil) async throws -> AnswersStep {
        let client = client ?? TenureClient(service)
        let step = try await client.login(companyName: "A", companyEmployeeId: "7")
        guard case .validateAnswers(let step) = step else { throw StubTransport.Lost() }
        return step
    }

    @Test func `a new user sets credentials and is logged in`() async throws {
        let service = FakeService(asking: .asksForCredentials)
        guard case .setCredentials(let step) = try await registration(TenureClient(service)) else {
            Issue.record("another step")
            return
        }
        #expect(step.rules.passphraseMinimumLength == 8)
        let outcome = try await step.submit(NewUserCredentials(questions: fiveQuestions, passphrase: "long enough"))
        guard case .success(let admission) = outcome else {
            Issue.record("another outcome")
            return
        }
        #expect(admission.role == "employee")
        #expect(try await admission.session.accessToken() == "access1")
        let body = try #require(await service.sent("/credentials").first?.body)
        let request = try CredentialsRequest(bytes: body)
        #expect(request.securityQuestions.map(\.answer) == fiveQuestions.map(\.answer))
        #expect(request.passphrase == "long enough")
    }

    @Test(arguments: [nil, RegistrationRequest.Intent.join, .found])
    func `a registration says what the person means to do`(intent: RegistrationRequest.Intent?) async throws {
        let service = FakeService(asking: .asksForCredentials)
        _ = try await TenureClient(service).register(
            companyName: "A", companyEmployeeId: "7", email: "e@a.example", intent: intent)
        let body = try #require(await service.sent("/registrations").first?.body)
        #expect(try RegistrationRequest(bytes: body).intent == intent)
    }

    @Test func `an existing user answers in a registration and in a log-in`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        guard case .validateAnswers(let step) = try await registration(TenureClient(service)) else {
            Issue.record("another step")
            return
        }
        #expect(step.questions.map(\.questionText) == FakeService.questions.map(\.question))
        _ = try await step.submit(threeAnswers)
        _ = try await answers(service).submit(threeAnswers)
        let sent = await service.sent("/answers").map(\.url)
        #expect(sent.count == 2 && sent[0].contains("/v1/registrations/") && sent[1].contains("/v1/logins/"))
    }

    @Test func `the questions accompany the passphrase only if the user allowed them`() async throws {
        for (asked, allowed) in [(FlowOutcomeResponse.asksForPassphrase, false), (.asksForEither, true)] {
            let client = TenureClient(FakeService(asking: asked))
            guard case .validatePassphrase(let step) = try await client.login(companyName: "A", companyEmployeeId: "7")
            else {
                Issue.record("another step")
                return
            }
            #expect((step.alternative != nil) == allowed)
        }
    }

    @Test func `a flow ends once`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let step = try await answers(service)
        _ = try await step.submit(threeAnswers)
        #expect(await code { _ = try await step.submit(threeAnswers) } == "flow.already_used")
        #expect(await service.sent("/answers").count == 1)
    }

    @Test func `only one of several concurrent submissions is sent`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let step = try await answers(service)
        let codes = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { await code { _ = try await step.submit(threeAnswers) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.allSatisfy { [nil, "flow.wrong_step", "flow.already_used"].contains($0) })
        #expect(await service.sent("/answers").count == 1)
    }

    @Test func `wrong answers keep the step open, an expired flow closes it`() async throws {
        let service = FakeService(
            asking: .asksForAnswers, [.problem("answers.incorrect"), .problem("flow.expired"), .success()])
        let step = try await answers(service)
        #expect(await code { _ = try await step.submit(threeAnswers) } == "answers.incorrect")
        #expect(await code { _ = try await step.submit(threeAnswers) } == "flow.expired")
        #expect(await code { _ = try await step.submit(threeAnswers) } == "flow.already_used")
        let keys = await service.sent("/answers").compactMap { $0.headers["Idempotency-Key"] }
        #expect(Set(keys).count == 2, "a second attempt is another request")
    }

    @Test func `a lost submission is repeated unchanged, and changed entries make a new request`()
        async throws
    {
        let service = FakeService(asking: .asksForAnswers, [.lose, .lose, .lose, .lose, .success()])
        let step = try await answers(service)
        for _ in 0..<2 { #expect(await code { _ = try await step.submit(threeAnswers) } == "client.connection_lost") }
        _ = try await step.submit(Array(threeAnswers.reversed()))
        let keys = await service.sent("/answers").compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 5)
        #expect(Set(keys[0..<4]).count == 1)
        #expect(keys[4] != keys[0])
    }

    @Test func `a cancelled submission keeps the step open for the same request`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.hang, .success()])
        let step = try await answers(service)
        let task = Task { await code { _ = try await step.submit(threeAnswers) } }
        while await service.sent("/answers").isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value == "CancellationError")
        _ = try await step.submit(threeAnswers)
        let keys = await service.sent("/answers").compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test func `a device keeps an account's key for every spelling of the names`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let client = TenureClient(service)
        _ = try await client.login(companyName: "Pier.Example", companyEmployeeId: "Ada")
        _ = try await client.login(companyName: " pier.example", companyEmployeeId: "ADA")
        _ = try await client.login(companyName: "pier.example", companyEmployeeId: "bo")
        let keys = try await service.sent("/v1/logins").map { try LoginRequest(bytes: $0.body ?? []).employeePublicKey }
        #expect(keys[0] == keys[1])
        #expect(keys[0] != keys[2])
    }

    @Test func `a pending key is this device's own and can be used later`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.pending, .success()])
        guard case .authorizationPending(let pending) = try await answers(service).submit(threeAnswers) else {
            Issue.record("another outcome")
            return
        }
        #expect(pending.readableFingerprint.count == 64 + 15)
        guard case .validateAnswers(let step) = try await pending.logIn() else {
            Issue.record("another step")
            return
        }
        guard case .success = try await step.submit(threeAnswers) else {
            Issue.record("another outcome")
            return
        }
        let keys = try await service.sent("/v1/logins").map { try LoginRequest(bytes: $0.body ?? []).employeePublicKey }
        #expect(Set(keys).count == 1)
        #expect(pending.employeePublicKey == Base64.encode(keys[0]))
    }

    @Test func `a key or fingerprint of another device is not shown`() async throws {
        let other = try EmployeeKey.generate().publicKey
        for reply in [
            FlowOutcomeResponse.authorizationPending(
                employeePublicKey: other.bytes, fingerprint: other.fingerprint, position: nil),
            .asksForCredentials, .asksForAnswers,
        ] {
            let step = try await answers(FakeService(asking: .asksForAnswers, [.outcome(reply)]))
            #expect(await code { _ = try await step.submit(threeAnswers) } == "client.response_invalid")
            #expect(await code { _ = try await step.submit(threeAnswers) } == "flow.already_used")
        }
    }

    @Test func `no flow ends before a challenge was passed, and no login sets credentials`() async {
        let pending = FlowOutcomeResponse.authorizationPending(employeePublicKey: [], fingerprint: "", position: nil)
        for asked in [pending, .asksForCredentials] {
            let client = TenureClient(FakeService(asking: asked))
            let result = await code { _ = try await client.login(companyName: "A", companyEmployeeId: "7") }
            #expect(result == "client.response_invalid")
        }
        let client = TenureClient(FakeService(asking: pending))
        #expect(await code { _ = try await registration(client) } == "client.response_invalid")
    }

    @Test func `a challenge of another issuer is not signed`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let client = TenureClient(service, issuer: "https://other.example")
        let result = await code { _ = try await client.login(companyName: "A", companyEmployeeId: "7") }
        #expect(result == "client.signing_refused")
        #expect(await service.sent("/key").isEmpty)
        _ = try await TenureClient(service, issuer: "tenure").login(companyName: "A", companyEmployeeId: "7")
    }
}

@Suite struct ModeTests {
    private func answers(_ client: TenureClient) async throws -> AnswersStep {
        let step = try await client.login(companyName: "A", companyEmployeeId: "7")
        guard case .validateAnswers(let step) = step else { throw StubTransport.Lost() }
        return step
    }

    @Test func `a blind-only client sends nothing to a service without blind mode`() async throws {
        let service = FakeService(asking: .asksForAnswers)
        let step = try await answers(TenureClient(service, mode: .blind))
        #expect(await code { _ = try await step.submit(threeAnswers) } == "client.mode_unavailable")
        #expect(await service.sent("/answers").isEmpty)
    }

    @Test func `an account with pinned credentials never returns to direct mode`() async throws {
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
