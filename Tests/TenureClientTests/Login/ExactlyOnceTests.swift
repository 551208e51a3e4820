import TenureAPI
import Testing
@testable import TenureClient

/// The contract of the callbacks, under random services and impatient callers.
@Suite struct ExactlyOnceTests {
    private static let outcomes: [FlowOutcomeResponse] = [
        .asksForCredentials, .asksForAnswers, .asksForPassphrase, .asksForEither,
    ]
    private static let replies: [FakeService.Reply] = [
        .success(), .pending, .lose, .hang, .problem("answers.incorrect"), .problem("passphrase.incorrect"),
        .problem("flow.expired"), .problem("credentials.locked", retryAfter: 60), .problem("employee.inactive"),
    ]

    /// Which calls were made, and how often each was answered with one of its ending callbacks.
    @MainActor final class Tally {
        var answered: [Int: Int] = [:]
        var asked: [Int: Int] = [:]
        nonisolated init() {}

        nonisolated func success(_ id: Int) -> @MainActor @Sendable () -> Void {
            { self.answered[id, default: 0] += 1 }
        }
        nonisolated func failure(_ id: Int) -> @MainActor @Sendable (TenureClientError) -> Void {
            { _ in self.answered[id, default: 0] += 1 }
        }
        nonisolated func authorize(_ id: Int) -> @MainActor @Sendable (String) -> Void {
            { _ in self.answered[id, default: 0] += 1 }
        }
        nonisolated func ask(_ id: Int) -> @MainActor @Sendable () -> Void { { self.asked[id, default: 0] += 1 } }
    }

    @Test(arguments: 0..<150) func `every call is answered exactly once`(round: Int) async throws {
        let service = FakeService(
            asking: try #require(Self.outcomes.randomElement()),
            (0..<4).compactMap { _ in Self.replies.randomElement() })
        let core = TenureCore(service)
        let tally = Tally()
        var flows: [Int] = []
        var calls: [Int] = []
        for id in 0..<12 {
            switch Int.random(in: 0..<6) {
            case 0:
                flows.append(id)
                begin(core, id, tally)
            case 1: core.cancel()
            case 2:
                calls.append(id)
                core.setNewUserCredentials(
                    fiveQuestions, authorizeEmployeeCallback: tally.authorize(id), success: tally.success(id),
                    failure: tally.failure(id))
            case 3:
                calls.append(id)
                core.validatePassphrase(
                    "passphrase", authorizeEmployeeCallback: tally.authorize(id), success: tally.success(id),
                    failure: tally.failure(id))
            default:
                calls.append(id)
                core.validateSecurityQuestions(
                    threeAnswers, authorizeEmployeeCallback: tally.authorize(id), success: tally.success(id),
                    failure: tally.failure(id))
            }
            for _ in 0..<Int.random(in: 0..<30) { await Task.yield() }
        }
        core.cancel()
        // Every call that continues is answered once. A flow is answered once, unless a continuing call ended it.
        for _ in 0..<10_000 {
            let open = await MainActor.run { calls.contains { tally.answered[$0] == nil } }
            if !open { break }
            try? await Task.sleep(for: .milliseconds(1))
        }
        for _ in 0..<200 { await Task.yield() }
        let (answered, asked) = await MainActor.run { (tally.answered, tally.asked) }
        for id in calls { #expect(answered[id] == 1, "call \(id) of round \(round)") }
        for id in flows {
            #expect(answered[id, default: 0] <= 1, "flow \(id) of round \(round)")
            #expect(asked[id, default: 0] <= 1)
            if asked[id] == nil { #expect(answered[id] == 1, "flow \(id) of round \(round) asked nothing") }
        }
    }

    private func begin(_ core: TenureCore, _ id: Int, _ tally: Tally) {
        let ask = tally.ask(id)
        core.register(
            withCompanyName: "A", companyEmployeeId: "7", email: "e@a.example", appCredentials: .test,
            newUserCredentialsCallback: ask, securityQuestionsCallback: { _ in ask() }, passphraseCallback: ask,
            authorizeEmployeeCallback: tally.authorize(id), success: tally.success(id), failure: tally.failure(id))
    }
}

/// Notes which callbacks were called, in order. All run on the main actor.
@MainActor final class Recorder {
    private(set) var calls: [String] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    func note(_ call: String) {
        calls.append(call)
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }

    /// Waits until so many callbacks were called.
    func wait(for count: Int) async {
        while calls.count < count { await withCheckedContinuation { waiting.append($0) } }
    }

    /// The calls after everything that is under way has had time to go wrong.
    func settled(_ count: Int) async -> [String] {
        await wait(for: count)
        for _ in 0..<50 { await Task.yield() }
        return calls
    }

    nonisolated func success(_ name: String) -> @MainActor @Sendable () -> Void { { self.note(name + " success") } }
    nonisolated func failure(_ name: String) -> @MainActor @Sendable (TenureClientError) -> Void {
        { self.note(name + " " + $0.code.rawValue) }
    }
    nonisolated func authorize(_ name: String) -> @MainActor @Sendable (String) -> Void {
        { _ in self.note(name + " authorize") }
    }
}

extension TenureCore {
    /// A core that calls a fake service, with stores in memory.
    convenience init(_ service: FakeService, prompts: (any PromptProvider)? = nil) {
        self.init(
            configuration: Configuration(
                transport: service, retries: RetryPolicy(attempts: 1), keyStore: MemoryDeviceKeyStore(),
                sessionStore: MemorySessionStore(), pinStore: MemoryPinStore(), prompts: prompts))
    }
}

extension AppCredentials {
    static let test = AppCredentials(appId: "app", appSecret: "s", appSalt: "salt", baseURL: "https://id.example")
}
