import FoundationEssentials
@testable import Identity
import Synchronization
import Testing

@testable import Projections

struct PendingKeyWatchTests {
    /// Tenants with their newest pending keys, which a watch looks at after each pause that the test grants.
    private final class Keys: Sendable {
        let looks = Mutex<[Set<TenantID>]>([])
        let newest = Mutex<[TenantID: Int64]>([:])
        private let pauses = AsyncStream<Void>.makeStream()

        func makeWatch() -> PendingKeyWatch {
            let stream = pauses.stream
            return PendingKeyWatch(
                read: { tenants in
                    self.looks.withLock { $0.append(tenants) }
                    return self.newest.withLock { $0 }
                }, sleep: { _ in for await _ in stream { return } })
        }

        /// Lets the watch look once.
        func look() { pauses.continuation.yield() }
    }

    /// Waits until a number of callers wait.
    private func settle(_ watch: PendingKeyWatch, _ count: Int) async {
        while await watch.waiting != count { await Task.yield() }
    }

    private static var far: ContinuousClock.Instant { .now + .seconds(600) }

    @Test func `100 callers in several tenants share each look, and only those with a new key return`() async throws {
        let keys = Keys(), watch = keys.makeWatch()
        let tenants = (0..<5).map { _ in TenantID(UUID()) }
        try await withThrowingTaskGroup(of: TenantID.self) { group in
            for number in 0..<100 {
                let tenant = tenants[number % 5]
                group.addTask {
                    try await watch.wait(in: tenant, after: 7, until: Self.far)
                    return tenant
                }
            }
            await settle(watch, 100)
            // The key that the callers have seen is no new one.
            keys.newest.withLock { $0 = [tenants[0]: 7, tenants[1]: 8] }
            keys.look()
            for _ in 0..<20 { #expect(try await group.next() == tenants[1]) }
            await settle(watch, 80)
            keys.newest.withLock { $0 = Dictionary(uniqueKeysWithValues: tenants.map { ($0, 9) }) }
            keys.look()
            try await group.waitForAll()
        }
        #expect(keys.looks.withLock { $0.map(\.count) } == [5, 4])
        #expect(await watch.waiting == 0)
    }

    @Test func `a caller that leaves, and one whose time is over, end their wait without a look`() async throws {
        let keys = Keys(), watch = keys.makeWatch(), tenant = TenantID(UUID())
        let leaving = Task { try await watch.wait(in: tenant, after: 0, until: Self.far) }
        await settle(watch, 1)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        // One that had left before.
        let gone = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await watch.wait(in: tenant, after: 0, until: Self.far)
        }
        await #expect(throws: CancellationError.self) { try await gone.value }
        try await watch.wait(in: tenant, after: 0, until: .now)
        try await watch.wait(in: tenant, after: 0, until: .now + .milliseconds(5))
        #expect(await watch.waiting == 0)
        #expect(keys.looks.withLock { $0.isEmpty })
    }

    @Test func `a look that fails ends no wait`() async throws {
        struct Gone: Error {}
        let fails = Mutex(3)
        let watch = PendingKeyWatch(
            read: { tenants in
                let left = fails.withLock { left in
                    left -= 1
                    return left
                }
                if left >= 0 { throw Gone() }
                return Dictionary(uniqueKeysWithValues: tenants.map { ($0, 1) })
            }, sleep: { _ in await Task.yield() })
        try await watch.wait(in: TenantID(UUID()), after: 0, until: Self.far)
        #expect(fails.withLock { $0 } == -1)
    }
}
