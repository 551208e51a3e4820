import FoundationEssentials
@testable import Identity
import Synchronization
import Testing

@testable import Projections

struct PositionWatchTests {
    /// Views that take one event at each pause.
    private final class Views: Sendable {
        let looks = Mutex(0), pauses = Mutex(0), nudges = Mutex(0)
        private let time = ContinuousClock.now

        var watch: PositionWatch {
            PositionWatch(
                read: { _ in
                    self.looks.withLock { $0 += 1 }
                    return Int64(self.pauses.withLock { $0 })
                }, nudge: { self.nudges.withLock { $0 += 1 } },
                sleep: { _ in
                    self.pauses.withLock { $0 += 1 }
                    // Whoever else waits comes before the next look.
                    for _ in 0..<100 { await Task.yield() }
                }, now: { self.time })
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(true)

        var isSet: Bool { value.withLock { $0 } }

        func clear() { value.withLock { $0 = false } }
    }

    @Test func `200 waiters for a tenant share its polls`() async throws {
        let views = Views(), watch = views.watch, tenant = TenantID(UUID())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask { try await watch.wait(for: 5, of: tenant, patience: .seconds(600)) }
            }
            for try await reached in group { #expect(reached) }
        }
        // One each would be 1,200.
        let looks = views.looks.withLock { $0 }
        #expect(looks < 100, "\(looks)")
        #expect(await watch.watched == 0)
    }

    @Test func `waits for different tenants are independent and bounded by the patience`() async throws {
        let views = Views(), watch = views.watch
        #expect(try await watch.wait(for: .max, of: TenantID(UUID()), patience: .zero) == false)
        #expect(try await watch.wait(for: 3, of: TenantID(UUID()), patience: .seconds(600)))
        #expect(views.nudges.withLock { $0 } == 1)
        #expect(await watch.watched == 0)
    }

    @Test func `an error reaches every waiter, and the next poll is a new one`() async throws {
        struct Gone: Error {}
        let fails = Flag()
        let watch = PositionWatch(
            read: { _ in
                if fails.isSet { throw Gone() }
                return 1
            }, nudge: {})
        let tenant = TenantID(UUID())
        for _ in 0..<2 {
            await #expect(throws: Gone.self) {
                _ = try await watch.wait(for: 1, of: tenant, patience: .seconds(600))
            }
        }
        fails.clear()
        #expect(try await watch.wait(for: 1, of: tenant, patience: .seconds(600)))
    }
}
