import TenureAPI
import Testing

@testable import TenureClient

@Suite struct CallbackTests {
    private let recorder = Recorder()

    private func logIn(_ core: TenureCore, _ name: String = "login", asks: Bool = true) {
        let recorder = recorder
        let questions: @MainActor @Sendable ([SecurityQuestion]) -> Void = { _ in recorder.note(name + " questions") }
        let passphrase: @MainActor @Sendable () -> Void = { recorder.note(name + " passphrase") }
        core.login(
            withCompanyName: "A", companyEmployeeId: "7", securityQuestionsCallback: asks ? questions : nil,
            passphraseCallback: asks ? passphrase : nil, appCredentials: .test,
            authorizeEmployeeCallback: recorder.authorize(name), success: recorder.success(name),
            failure: recorder.failure(name))
    }

    private func answer(_ core: TenureCore, _ name: String, authorizes: Bool = true) {
        core.validateSecurityQuestions(
            threeAnswers, authorizeEmployeeCallback: authorizes ? recorder.authorize(name) : nil,
            success: recorder.success(name), failure: recorder.failure(name))
    }

    private func register(_ core: TenureCore) {
        let recorder = recorder
        core.register(
            withCompanyName: "A", companyEmployeeId: "7", email: "e@a.example", appCredentials: .test,
            newUserCredentialsCallback: { recorder.note("register credentials") },
            securityQuestionsCallback: { _ in recorder.note("register questions") },
            passphraseCallback: { recorder.note("register passphrase") }, authorizeEmployeeCallback: nil,
            success: recorder.success("register"), failure: recorder.failure("register"))
    }

    @Test func `the result goes to the callbacks of the latest call`() async throws {
        let core = TenureCore(FakeService(asking: .asksForAnswers, [.problem("answers.incorrect"), .success()]))
        logIn(core)
        await recorder.wait(for: 1)
        answer(core, "first")
        await recorder.wait(for: 2)
        #expect(core.session == nil)
        answer(core, "second")
        #expect(
            await recorder.settled(3) == ["login questions", "first answers.incorrect", "second success"])
        let token = try await core.session?.accessToken()
        #expect(token == "access1")
    }

    @Test func `a registration asks for credentials, and refused ones can be set again`() async throws {
        let service = FakeService(asking: .asksForCredentials, [.problem("credentials.incomplete"), .pending])
        let core = TenureCore(service)
        register(core)
        await recorder.wait(for: 1)
        for name in ["first", "second"] {
            core.setNewUserCredentials(
                fiveQuestions, passphrase: "long enough", authorizeEmployeeCallback: recorder.authorize(name),
                success: recorder.success(name), failure: recorder.failure(name))
            await recorder.wait(for: name == "first" ? 2 : 3)
        }
        #expect(
            await recorder.settled(3) == ["register credentials", "first credentials.incomplete", "second authorize"])
        #expect(await service.sent("/credentials").count == 2)
    }

    @Test func `a flow that fails before it asks reports to its own callback`() async {
        let pending = FlowOutcomeResponse.authorizationPending(employeePublicKey: [], fingerprint: "", position: nil)
        let core = TenureCore(FakeService(asking: pending))
        logIn(core)
        #expect(await recorder.settled(1) == ["login client.response_invalid"])
        let nowhere = AppCredentials(appId: "app", secret: "s")
        core.login(
            withCompanyName: "A", companyEmployeeId: "7", appCredentials: nowhere, success: recorder.success("nowhere"),
            failure: recorder.failure("nowhere"))
        #expect(await recorder.settled(2).last == "nowhere client.base_url_missing")
    }

    @Test func `without a callback for it, a pending key is a failure`() async {
        let core = TenureCore(FakeService(asking: .asksForAnswers, [.pending]))
        logIn(core)
        await recorder.wait(for: 1)
        answer(core, "answers", authorizes: false)
        #expect(await recorder.settled(2).last == "answers client.authorization_pending")
    }

    @Test func `without callbacks and prompts nothing can be asked`() async {
        let core = TenureCore(FakeService(asking: .asksForAnswers))
        logIn(core, asks: false)
        #expect(await recorder.settled(1) == ["login client.prompt_required"])
    }

    @Test func `prompts replace callbacks, and the first call gets the result`() async {
        let prompts = ScriptedPrompts(tries: 2)
        let service = FakeService(asking: .asksForEither, [.problem("passphrase.incorrect"), .pending])
        logIn(TenureCore(service, prompts: prompts), asks: false)
        #expect(await recorder.settled(1) == ["login authorize"])
        #expect(await service.sent("/passphrase").count == 1)
        #expect(await service.sent("/answers").count == 1, "the second time the person chose the questions")
    }

    @Test func `prompts that give up end the flow with the refusal`() async {
        let prompts = ScriptedPrompts(tries: 1)
        let service = FakeService(asking: .asksForAnswers, [.problem("answers.incorrect")])
        logIn(TenureCore(service, prompts: prompts), asks: false)
        #expect(await recorder.settled(1) == ["login answers.incorrect"])
    }

    @Test func `a step that is not open is refused, and the open one continues`() async {
        let core = TenureCore(FakeService(asking: .asksForAnswers))
        answer(core, "early")
        await recorder.wait(for: 1)
        logIn(core)
        await recorder.wait(for: 2)
        core.validatePassphrase("p", success: recorder.success("other"), failure: recorder.failure("other"))
        await recorder.wait(for: 3)
        answer(core, "right")
        await recorder.wait(for: 4)
        answer(core, "late")
        #expect(
            await recorder.settled(5) == [
                "early flow.wrong_step", "login questions", "other flow.wrong_step", "right success",
                "late flow.wrong_step",
            ])
    }

    @Test func `a flow abandoned during a prompt ends with its own callback`() async {
        let core = TenureCore(FakeService(asking: .asksForAnswers))
        logIn(core)
        await recorder.wait(for: 1)
        core.cancel()
        core.cancel()
        #expect(await recorder.settled(2) == ["login questions", "login client.cancelled"])
        answer(core, "late")
        #expect(await recorder.settled(3).last == "late flow.wrong_step")
    }

    @Test func `a running call is cancelled once, even if its reply never comes`() async {
        let service = FakeService(asking: .asksForAnswers, [.hang])
        let core = TenureCore(service)
        logIn(core)
        await recorder.wait(for: 1)
        answer(core, "answers")
        while await service.sent("/answers").isEmpty { await Task.yield() }
        core.cancel()
        #expect(await recorder.settled(2) == ["login questions", "answers client.cancelled"])
    }

    @Test func `beginning another flow abandons the open one`() async {
        let core = TenureCore(FakeService(asking: .asksForAnswers))
        logIn(core, "old")
        await recorder.wait(for: 1)
        logIn(core, "new")
        await recorder.wait(for: 3)
        answer(core, "answers")
        let calls = await recorder.settled(4)
        #expect(calls.contains("old client.cancelled"))
        #expect(calls.last == "answers success")
        #expect(calls.count == 4)
    }

    @Test func `a released instance abandons its flow`() async {
        do {
            let core = TenureCore(FakeService(asking: .asksForAnswers))
            logIn(core)
            await recorder.wait(for: 1)
        }
        #expect(await recorder.settled(2).last == "login client.cancelled")
    }
}

/// Enters wrong things, then wants the questions.
actor ScriptedPrompts: PromptProvider {
    private let tries: Int
    private var asked = 0

    init(tries: Int) { self.tries = tries }

    func newCredentials(rules: CredentialRules) -> NewUserCredentials { NewUserCredentials(questions: fiveQuestions) }
    func answers(to questions: [SecurityQuestion]) -> [SecurityAnswer] { threeAnswers }
    func passphrase(questionsAllowed: Bool) -> PassphraseReply { asked == 0 ? .passphrase("wrong") : .questions }
    func wasRefused(_ error: TenureClientError) -> Bool {
        asked += 1
        return asked < tries
    }
}
