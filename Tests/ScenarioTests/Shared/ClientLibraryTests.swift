import Canonical
import Foundation
import TenureAPI
import TenureClient
import Testing

/// The client library against the service.
@Suite(.onServer, .sharedWorld)
struct `The client library` {
    /// One device: a client with stores of its own.
    private func device(
        _ mode: TenureClient.Mode = .automatic, _ store: MemorySessionStore = MemorySessionStore()
    ) throws -> TenureClient {
        let world = try sharedWorld()
        let app = AppCredentials(
            appId: world.app.appId, appSecret: world.app.secret, appSalt: world.app.salt,
            baseURL: world.baseURL.absoluteString)
        return try TenureClient(
            appCredentials: app, issuer: "tenure", mode: mode, keyStore: MemoryDeviceKeyStore(), sessionStore: store,
            pinStore: MemoryPinStore())
    }

    private func credentials(_ person: Person) -> NewUserCredentials {
        NewUserCredentials(
            questions: person.questions.map { SecurityQuestionAnswer(question: $0.question, answer: $0.answer) },
            passphrase: person.passphrase, questionsWithPassphrase: person.questionsWithPassphrase ?? false)
    }

    private func register(_ person: Person, _ client: TenureClient) async throws -> FlowOutcome {
        let step = try await client.register(
            companyName: person.company, companyEmployeeId: person.id, email: person.email)
        guard case .setCredentials(let step) = step else { throw Flow.Unexpected(description: "\(step)") }
        return try await step.submit(credentials(person))
    }

    private func logIn(_ person: Person, _ client: TenureClient) async throws -> FlowOutcome {
        let step = try await client.login(companyName: person.company, companyEmployeeId: person.id)
        guard case .validatePassphrase(let step) = step else { throw Flow.Unexpected(description: "\(step)") }
        return try await step.submit(person.passphrase ?? "")
    }

    private func admission(_ outcome: FlowOutcome) throws -> Admission {
        guard case .success(let admission) = outcome else { throw Flow.Unexpected(description: "\(outcome)") }
        return admission
    }

    private func pending(_ outcome: FlowOutcome) throws -> PendingAuthorization {
        guard case .authorizationPending(let pending) = outcome else {
            throw Flow.Unexpected(description: "\(outcome)")
        }
        return pending
    }

    @Test(arguments: TenureClient.Mode.allCases)
    func `founds a tenant and lets the admin authorize a second employee, who logs in`(
        mode: TenureClient.Mode
    ) async throws {
        let company = "library-\(mode.rawValue).example"
        let (founder, second) = (Person("founder", at: company), Person("second", at: company))
        let (office, phone) = (try device(mode), try device(mode))
        let admin = try admission(try await register(founder, office))
        #expect(admin.role == "securityAdmin")
        let waiting = try pending(try await register(second, phone))

        let step = try await office.authorize(
            employeePublicKey: waiting.employeePublicKey, companyName: second.company, companyEmployeeId: second.id,
            as: admin.session)
        guard case .confirm(let confirmation) = step else {
            Issue.record("no signature was asked for: \(step)")
            return
        }
        #expect(confirmation.fingerprint == waiting.fingerprint)
        let position = try await confirmation.sign()
        #expect(position != nil)
        let again = try await office.authorize(
            employeePublicKey: waiting.employeePublicKey, companyName: second.company, companyEmployeeId: second.id)
        guard case .authorized(position: nil) = again else {
            Issue.record("authorizing twice is the same as once: \(again)")
            return
        }
        guard case .validatePassphrase(let login) = try await waiting.logIn() else {
            throw Flow.Unexpected(description: "the passphrase was not asked for")
        }
        let wrong = await #expect(throws: TenureClientError.self) { try await login.submit("wrong passphrase") }
        #expect(wrong?.kind == (mode == .direct ? .passphraseIncorrect : .signingRefused))
        #expect(try admission(try await login.submit(second.passphrase ?? "")).companyEmployeeId == "second")
        let twice = await #expect(throws: TenureClientError.self) { try await login.submit(second.passphrase ?? "") }
        #expect(twice?.kind == .flowEnded)
    }

    @Test func `logs in with three of five answers instead of the passphrase`() async throws {
        var person = Person("answers", at: "places.example")
        person.questionsWithPassphrase = true
        let client = try device()
        _ = try await register(person, client)
        let step = try await client.login(companyName: person.company, companyEmployeeId: person.id)
        guard case .validatePassphrase(let passphrase) = step, let questions = passphrase.alternative else {
            Issue.record("another step: \(step)")
            return
        }
        let answers = questions.questions.map { shown in
            SecurityAnswer(
                questionId: shown.questionId,
                answer: person.questions.first { $0.question == shown.questionText }?.answer ?? "")
        }
        let few = await #expect(throws: TenureClientError.self) { try await questions.submit(Array(answers.prefix(2))) }
        #expect(few?.kind == .atLeastThreeAnswersRequired)
        _ = try admission(try await questions.submit(Array(answers.shuffled().prefix(3))))
    }

    @Test func `renews a session once for fifty callers, and the session continues`() async throws {
        let store = MemorySessionStore()
        let client = try device(.automatic, store)
        let session = try admission(try await register(Person("renewer", at: "renewal.example"), client)).session
        for _ in 0..<3 {
            var old = try #require(await store.tokens(of: session.account))
            old.expiresAt = Timestamp(microseconds: 0)
            await store.keep(old, of: session.account)
            let tokens = try await concurrently(50) { _ in try await session.accessToken() }
            #expect(Set(tokens).count == 1)
            #expect(tokens.first != old.accessToken)
            #expect(try await session.openSessions().count == 1)
        }
        try await session.logOut()
        let gone = await #expect(throws: TenureClientError.self) { try await session.openSessions() }
        #expect(gone?.kind == .notLoggedIn)
        #expect(try await client.session(companyName: "renewal.example", companyEmployeeId: "renewer") == nil)
    }

    @Test func `asks an unknown employee like a known one`() async throws {
        let step = try await device().login(companyName: "nowhere.example", companyEmployeeId: "nobody")
        // A decoy asks for either kind of credential.
        let wrong: TenureClientError?
        switch step {
        case .validateAnswers(let step):
            let answers = step.questions.map { SecurityAnswer(questionId: $0.questionId, answer: "anything") }
            wrong = await #expect(throws: TenureClientError.self) { try await step.submit(answers) }
        case .validatePassphrase(let step):
            wrong = await #expect(throws: TenureClientError.self) { try await step.submit("anything at all") }
        }
        #expect(wrong?.kind == .signingRefused)
    }
}
