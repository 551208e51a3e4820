import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing
@testable import TenureClient

/// A device that has other credentials pinned than the service shows: a change on another device, or an attack.
@Suite struct ChangedElsewhereTests {
    private let pins = MemoryPinStore()
    private let keys = MemoryDeviceKeyStore()

    private func client(_ service: BlindService) -> TenureClient {
        TenureClient(
            baseURL: "https://id.example", appCredentials: AppCredentials(appId: "app", secret: "s"),
            transport: service, retries: RetryPolicy(attempts: 1), keyStore: keys,
            sessionStore: MemorySessionStore(), pinStore: pins)
    }

    private func service(_ cheat: BlindService.Cheat?) throws -> BlindService {
        let (account, other) = try BlindService.Account.pair.get()
        return BlindService(.login, account, other, cheat: cheat)
    }

    private func begin(_ service: BlindService) async throws -> AnswersStep {
        let step = try await client(service).login(companyName: "acme.example", companyEmployeeId: "7")
        guard case .validateAnswers(let step) = step else { throw StubTransport.Lost() }
        return step
    }

    private func answers(_ step: AnswersStep, of account: BlindService.Account) -> [SecurityAnswer] {
        zip(step.questions, account.questions).map { SecurityAnswer(questionId: $0.questionId, answer: $1.answer) }
    }

    private func pin() async throws -> CredentialPin? {
        await pins.pin(
            of: try PinnedAccount(baseURL: "https://id.example", company: "acme.example", employee: "7"))
    }

    private func evaluations(_ service: BlindService) async -> Int {
        await service.sent.count { $0.url.hasSuffix("/evaluations") }
    }

    /// Pins the first account.
    private func meet() async throws -> CredentialPin {
        let service = try service(nil), step = try await begin(service)
        #expect(step.credentialsChanged == nil)
        _ = try await step.submit(answers(step, of: service.account))
        return try #require(try await pin())
    }

    @Test func `nothing is evaluated before the person accepts, and then the new credential is pinned`() async throws {
        let old = try await meet()
        let service = try service(.replacedCredential), step = try await begin(service)
        let changed = try #require(step.credentialsChanged)
        #expect(changed.fingerprint == Hex.encode(service.other.record.hash) && changed.fingerprint != old.fingerprint)
        let given = answers(step, of: service.other)
        #expect(await code { _ = try await step.submit(given) } == "client.credentials_changed")
        #expect(await evaluations(service) == 0)
        #expect(try await pin() == old)
        await changed.accept()
        guard case .authorizationPending = try await step.submit(given) else {
            Issue.record("another outcome")
            return
        }
        #expect(try await pin()?.fingerprint == changed.fingerprint)
        let named = try await client(service).credentialsFingerprint(
            companyName: "acme.example", companyEmployeeId: "7")
        #expect(named == changed.fingerprint)
        #expect(try await begin(service).credentialsChanged == nil)
    }

    @Test func `a credential accepted by mistake does not open, and the old pin stays`() async throws {
        let old = try await meet()
        let service = try service(.replacedCredential), step = try await begin(service)
        await step.credentialsChanged?.accept()
        let given = answers(step, of: service.account)
        #expect(await code { _ = try await step.submit(given) } == "client.signing_refused")
        #expect(await service.proofs.isEmpty)
        #expect(try await pin() == old)
    }

    @Test func `accepting applies to one flow only`() async throws {
        _ = try await meet()
        let service = try service(.replacedCredential)
        await (try await begin(service)).credentialsChanged?.accept()
        let next = try await begin(service)
        let given = answers(next, of: service.other)
        #expect(next.credentialsChanged != nil)
        #expect(await code { _ = try await next.submit(given) } == "client.credentials_changed")
    }

    /// The same credential with another record, key or cost, and a credential that the challenge does not name.
    @Test(arguments: [BlindService.Cheat.otherRecord, .substitutedKey, .otherCost, .otherUser, .otherCredential])
    func `an inconsistent credential is refused without asking`(cheat: BlindService.Cheat) async throws {
        let old = try await meet()
        let service = try service(cheat), step = try await begin(service)
        #expect(step.credentialsChanged == nil)
        let given = answers(step, of: service.account)
        #expect(await code { _ = try await step.submit(given) } == "client.signing_refused")
        #expect(await evaluations(service) == 0)
        #expect(try await pin() == old)
    }

    @Test func `another tenant under the same name is refused, not accepted as a change`() async throws {
        let old = try await meet()
        var elsewhere = old
        elsewhere.tenant = UUID()
        try await pins.keep(
            elsewhere, of: PinnedAccount(baseURL: "https://id.example", company: "acme.example", employee: "7"))
        let service = try service(.replacedCredential), step = try await begin(service)
        #expect(step.credentialsChanged == nil)
        let given = answers(step, of: service.other)
        #expect(await code { _ = try await step.submit(given) } == "client.signing_refused")
    }

    @Test func `the low-level calls refuse it too and accept one credential only`() async throws {
        let old = try await meet()
        let service = try service(.replacedCredential), client = client(service), key = try EmployeeKey.generate()
        let flow = try await client.startLogin(company: "acme.example", employee: "7", key: key)
        let asked = try await client.proveKey(flow, key: key)
        let given = service.other.answers(asked), shown = try client.shownCredentials(flow, asked)
        var wrong = shown
        wrong.recordHash[0] ^= 1
        for accepted in [nil, old, wrong] {
            let refused = await code {
                _ = try await client.proveAnswers(flow, asked, answers: given, pins: pins, accepting: accepted)
            }
            #expect(refused == "client.credentials_changed")
        }
        #expect(await evaluations(service) == 0)
        _ = try await client.proveAnswers(flow, asked, answers: given, pins: pins, accepting: shown)
        #expect(try await pin() == shown)
    }

    @Test func `prompts that cannot ask do not agree, and the person is asked before the secret`() async throws {
        let old = try await meet()
        let service = try service(.replacedCredential), client = client(service)
        let login = { try await client.login(companyName: "acme.example", companyEmployeeId: "7") }
        let silent = await code { _ = try await client.complete(login(), asking: ScriptedPrompts(tries: 1)) }
        #expect(silent == "client.credentials_changed")
        let no = AgreeingPrompts(agrees: false, account: service.other)
        #expect(await code { _ = try await client.complete(login(), asking: no) } == "client.credentials_changed")
        #expect(await no.asked == ["changed"])
        #expect(await evaluations(service) == 0)
        #expect(try await pin() == old)
        let yes = AgreeingPrompts(agrees: true, account: service.other)
        _ = try await client.complete(login(), asking: yes)
        #expect(await yes.asked == ["changed", "answers"])
        #expect(try await pin()?.fingerprint == Hex.encode(service.other.record.hash))
    }

    @Test func `callbacks fail before they ask unless prompts handle changed credentials`() async throws {
        _ = try await meet()
        let service = try service(.replacedCredential)
        for prompts in [nil, AgreeingPrompts(agrees: true, account: service.other)] {
            let recorder = Recorder()
            let core = TenureCore(
                configuration: .init(
                    transport: service, retries: RetryPolicy(attempts: 1), keyStore: keys,
                    sessionStore: MemorySessionStore(), pinStore: pins, prompts: prompts))
            core.login(
                withCompanyName: "acme.example", companyEmployeeId: "7",
                securityQuestionsCallback: { _ in recorder.note("questions") }, appCredentials: .test,
                authorizeEmployeeCallback: recorder.authorize("login"), success: recorder.success("login"),
                failure: recorder.failure("login"))
            #expect(
                await recorder.settled(1) == [prompts == nil ? "login client.credentials_changed" : "questions"])
        }
        #expect(await evaluations(service) == 0)
    }
}

/// Answers for an account, and says whether its credentials were changed.
private actor AgreeingPrompts: PromptProvider {
    private let agrees: Bool
    private let account: BlindService.Account
    private(set) var asked: [String] = []

    init(agrees: Bool, account: BlindService.Account) {
        self.agrees = agrees
        self.account = account
    }

    func newCredentials(rules: CredentialRules) -> NewUserCredentials { NewUserCredentials(questions: []) }
    func answers(to questions: [SecurityQuestion]) -> [SecurityAnswer] {
        asked.append("answers")
        return zip(questions, account.questions).map {
            SecurityAnswer(questionId: $0.questionId, answer: $1.answer)
        }
    }
    func passphrase(questionsAllowed: Bool) -> PassphraseReply { .questions }
    func credentialsWereChanged(_ changed: UnfamiliarCredentials) -> Bool {
        asked.append("changed")
        return agrees
    }
    func wasRefused(_ error: TenureClientError) -> Bool { false }
}

@Suite struct PinStoreTests {
    private let pin = CredentialPin(
        tenant: UUID(), credentialId: UUID(), recordHash: [UInt8](repeating: 1, count: 32),
        contextHash: [UInt8](repeating: 2, count: 32))

    private func check(_ store: some PinStore) async throws {
        let account = try PinnedAccount(baseURL: "https://id.example", company: "Acme", employee: "7")
        #expect(try await store.pin(of: account) == nil)
        try await store.keep(pin, of: account)
        let spelled = try PinnedAccount(baseURL: "https://id.example", company: " ACME ", employee: "7")
        #expect(try await store.pin(of: spelled) == pin)
        for other in [
            try PinnedAccount(baseURL: "https://id.example", company: "Acme", employee: "8"),
            try PinnedAccount(baseURL: "https://id2.example", company: "Acme", employee: "7"),
        ] { #expect(try await store.pin(of: other) == nil) }
        try await store.forget(account)
        try await store.forget(account)
        #expect(try await store.pin(of: account) == nil)
    }

    @Test func `pins in memory belong to one account`() async throws { try await check(MemoryPinStore()) }

    @Test func `pins in files belong to one account and are readable by the owner only`() async throws {
        let path = NSTemporaryDirectory() + "pins-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = FilePinStore(path: path)
        try await check(store)
        let account = try PinnedAccount(baseURL: "b", company: "c", employee: "e")
        try await store.keep(pin, of: account)
        let file = path + "/" + account.name + ".pin"
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
        #expect(try await FilePinStore(path: path).pin(of: account) == pin)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
        #expect(await code { _ = try await store.pin(of: account) } == "client.pin_invalid")
    }

    @Test func `a pin that others can access, and a link to one, are refused and kept`() async throws {
        let path = NSTemporaryDirectory() + "pins-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = FilePinStore(path: path)
        let account = try PinnedAccount(baseURL: "b", company: "c", employee: "e")
        let other = try PinnedAccount(baseURL: "b", company: "c", employee: "f")
        try await store.keep(pin, of: account)
        let file = path + "/" + account.name + ".pin", link = path + "/" + other.name + ".pin"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(await code { _ = try await store.pin(of: other) } == "client.pin_invalid")
        #expect(await code { try await store.keep(pin, of: other) } == "client.pin_invalid")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: file)
        #expect(await code { _ = try await store.pin(of: account) } == "client.pin_invalid")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try await store.pin(of: account) == pin)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        #expect(await code { try await store.keep(pin, of: account) } == "client.pin_invalid")
    }
}
