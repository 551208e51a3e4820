import Canonical
import Foundation
import TenureClient
import Testing

/// The callback layer of the client library against the service: `register`, `login` and the calls that continue.
@Suite(.onServer, .sharedWorld)
struct `The callbacks of the client library` {
    @Test(.timeLimit(.minutes(10)), arguments: [TenureClient.Mode.direct, .blind])
    func `register, then log in by security questions after a wrong attempt`(mode: TenureClient.Mode) async throws {
        let company = "callbacks-\(mode.rawValue).example"
        let person = Person.withQuestions("founder", at: company)
        let phone = try CallbackDevice(try sharedWorld(), mode)
        phone.register(person)
        #expect(try await phone.next() == .newCredentials)
        phone.setCredentials(of: person)
        #expect(try await phone.next() == .success)
        let founded = try #require(phone.core.session)
        #expect(try await founded.openSessions().count == 1)

        phone.logIn(person)
        let shown = try questions(try await phone.next())
        #expect(shown.count == 5)
        phone.validate(
            answers(of: person, to: shown).map { SecurityAnswer(questionId: $0.questionId, answer: "wrong") })
        #expect(try await phone.next() == .failure(mode == .direct ? .answersIncorrect : .signingRefused))
        // The flow goes on: the person tries again, and the service opens a second session.
        phone.validate(answers(of: person, to: shown))
        #expect(try await phone.next() == .success)
        let session = try #require(phone.core.session)
        #expect(try await session.openSessions().count == 2)
        // Nothing is open any more.
        phone.validate(answers(of: person, to: shown))
        #expect(try await phone.next() == .failure(.wrongStep))
    }

    @Test(.timeLimit(.minutes(10)))
    func `tell a second device its key, and log it in once the key is authorized`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "callbacks-device.example"
        let person = Person.withQuestions("second", at: company)
        _ = try await client.found(company)
        _ = try await client.join(person)
        let tablet = try CallbackDevice(world, .direct)
        tablet.logIn(person)
        tablet.validate(answers(of: person, to: try questions(try await tablet.next())))
        guard case .authorize(let key) = try await tablet.next() else {
            throw Flow.Unexpected(description: "no authorization was asked for")
        }
        #expect(tablet.core.session == nil)
        let waiting = try await client.get(
            client.path(company, "/authorizations"), at: try await client.events(company).last?["position"]?.number)
        let pending = try #require(waiting["items"]?.items.first?["key"])
        #expect(pending["employeePublicKey"]?.text == key)
        let fingerprint = try #require(pending["fingerprint"]?.text)
        expectOutcome(try await client.post(client.path(person, "/keys/\(fingerprint)/authorization")), "done")

        tablet.logIn(person)
        tablet.validate(answers(of: person, to: try questions(try await tablet.next())))
        #expect(try await tablet.next() == .success)
        let session = try #require(tablet.core.session)
        #expect(try await session.openSessions().count >= 1)
    }

    private func questions(_ told: CallbackDevice.Told) throws -> [SecurityQuestion] {
        guard case .questions(let shown) = told else { throw Flow.Unexpected(description: "\(told)") }
        return shown
    }

    private func answers(of person: Person, to shown: [SecurityQuestion]) -> [SecurityAnswer] {
        shown.map { question in
            SecurityAnswer(
                questionId: question.questionId,
                answer: person.questions.first { $0.question == question.questionText }?.answer ?? "")
        }
    }
}

/// An app on a device that uses callbacks, and what they told it, in the order in which they were called.
private struct CallbackDevice {
    enum Told: Sendable, Equatable {
        case newCredentials
        case questions([SecurityQuestion])
        case passphrase
        case authorize(String)
        case success
        case failure(TenureClientError.Kind)
    }

    let core: TenureCore
    private let app: AppCredentials
    private let stream: AsyncStream<Told>
    private let tell: AsyncStream<Told>.Continuation

    init(_ world: TenureWorld, _ mode: TenureClient.Mode) throws {
        app = AppCredentials(
            appId: world.app.appId, appSecret: world.app.secret, appSalt: world.app.salt,
            baseURL: world.baseURL.absoluteString)
        core = TenureCore(
            configuration: TenureCore.Configuration(
                mode: mode, keyStore: MemoryDeviceKeyStore(), sessionStore: MemorySessionStore(),
                pinStore: MemoryPinStore()))
        (stream, tell) = AsyncStream.makeStream(of: Told.self)
    }

    /// What the next callback tells.
    func next() async throws -> Told {
        for await told in stream { return told }
        throw Flow.Unexpected(description: "no callback")
    }

    func register(_ person: Person) {
        let tell = tell
        core.register(
            withCompanyName: person.company, companyEmployeeId: person.id, email: person.email, appCredentials: app,
            newUserCredentialsCallback: { tell.yield(.newCredentials) },
            securityQuestionsCallback: { tell.yield(.questions($0)) },
            passphraseCallback: { tell.yield(.passphrase) },
            authorizeEmployeeCallback: { tell.yield(.authorize($0)) },
            success: { tell.yield(.success) }, failure: { tell.yield(.failure($0.kind)) })
    }

    func logIn(_ person: Person) {
        let tell = tell
        core.login(
            withCompanyName: person.company, companyEmployeeId: person.id,
            securityQuestionsCallback: { tell.yield(.questions($0)) },
            passphraseCallback: { tell.yield(.passphrase) }, appCredentials: app,
            authorizeEmployeeCallback: { tell.yield(.authorize($0)) },
            success: { tell.yield(.success) }, failure: { tell.yield(.failure($0.kind)) })
    }

    func setCredentials(of person: Person) {
        let tell = tell
        core.setNewUserCredentials(
            person.questions.map { SecurityQuestionAnswer(question: $0.question, answer: $0.answer) },
            passphrase: person.passphrase, authorizeEmployeeCallback: { tell.yield(.authorize($0)) },
            success: { tell.yield(.success) }, failure: { tell.yield(.failure($0.kind)) })
    }

    func validate(_ answers: [SecurityAnswer]) {
        let tell = tell
        core.validateSecurityQuestions(
            answers, authorizeEmployeeCallback: { tell.yield(.authorize($0)) },
            success: { tell.yield(.success) }, failure: { tell.yield(.failure($0.kind)) })
    }
}
