import Canonical
import Foundation
import TenureAPI
import TenureClient
import Testing

/// Changing credentials by the client library.
@Suite(.onServer, .sharedWorld)
struct `A change by the client library` {
    private struct Device {
        let client: TenureClient
        let keys = MemoryDeviceKeyStore()
        let pins = MemoryPinStore()

        init(_ mode: TenureClient.Mode) throws {
            let world = try sharedWorld()
            let app = AppCredentials(
                appId: world.app.appId, appSecret: world.app.secret, appSalt: world.app.salt,
                baseURL: world.baseURL.absoluteString)
            client = try TenureClient(
                appCredentials: app, issuer: "tenure", mode: mode, keyStore: keys,
                sessionStore: MemorySessionStore(), pinStore: pins)
        }

        func register(_ person: Person) async throws {
            let step = try await client.register(
                companyName: person.company, companyEmployeeId: person.id, email: person.email)
            guard case .setCredentials(let step) = step else { throw Flow.Unexpected(description: "\(step)") }
            _ = try await step.submit(
                NewUserCredentials(
                    questions: person.questions.map {
                        SecurityQuestionAnswer(question: $0.question, answer: $0.answer)
                    }, passphrase: person.passphrase, questionsWithPassphrase: false))
        }

        func logIn(_ person: Person) async throws -> FlowOutcome {
            let step = try await client.login(companyName: person.company, companyEmployeeId: person.id)
            guard case .validatePassphrase(let step) = step else { throw Flow.Unexpected(description: "\(step)") }
            return try await step.submit(person.passphrase ?? "")
        }
    }

    @Test(arguments: [TenureClient.Mode.blind, .direct])
    func `pins the new credential on its device, and on others after the person agrees`(
        mode: TenureClient.Mode
    ) async throws {
        let person = Person("founder", at: "library-change-\(mode.rawValue).example")
        let device = try Device(mode), client = device.client
        try await device.register(person)
        let account = try PinnedAccount(
            baseURL: try sharedWorld().baseURL.absoluteString, company: person.company, employee: person.id)
        let before = await device.pins.pin(of: account)
        let name = client.account(companyName: person.company, companyEmployeeId: person.id)
        let kept = await device.keys.key(of: name)
        let key = try #require(kept)
        var new = person
        new.passphrase = "another passphrase altogether"
        let entries = CredentialsRequest(
            securityQuestions: new.questions.map { .init(question: $0.question, answer: $0.answer) },
            passphrase: new.passphrase)
        let flow = try await client.startChange(company: person.company, employee: person.id, key: key)
        let asked = try await client.proveKey(flow, key: key)
        let current = CredentialsChangeRequest.Current.passphrase(person.passphrase ?? "")
        let outcome =
            mode == .blind
            ? try await client.changeBlindCredentials(
                flow, asked, current: current, to: entries, key: key, pins: device.pins)
            : try await client.changeCredentials(flow, current: current, to: entries, pins: device.pins)
        guard case .success = outcome else { throw Flow.Unexpected(description: "\(outcome)") }
        let after = await device.pins.pin(of: account)
        #expect((after != nil) == (mode == .blind))
        #expect(after != before || mode == .direct)
        guard case .success = try await device.logIn(new) else { throw Flow.Unexpected(description: "no login") }
        if mode == .direct { return }
        let former = try #require(before)
        // A device that still has the old pin asks the person, who may compare, before anything is evaluated.
        await device.pins.keep(former, of: account)
        let step = try await client.login(companyName: person.company, companyEmployeeId: person.id)
        guard case .validatePassphrase(let step) = step, let changed = step.credentialsChanged else {
            throw Flow.Unexpected(description: "\(step)")
        }
        #expect(changed.fingerprint == after?.fingerprint)
        let error = await #expect(throws: TenureClientError.self) { _ = try await step.submit(new.passphrase ?? "") }
        #expect(error?.kind == .credentialsChanged)
        #expect(await device.pins.pin(of: account) == former)
        await changed.accept()
        guard case .success = try await step.submit(new.passphrase ?? "") else {
            throw Flow.Unexpected(description: "no login")
        }
        #expect(await device.pins.pin(of: account) == after)
        guard case .success = try await device.logIn(new) else { throw Flow.Unexpected(description: "no login") }
    }
}
