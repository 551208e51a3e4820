import Testing

@testable import TenureClient

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
