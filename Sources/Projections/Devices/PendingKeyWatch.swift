import Identity
import ServiceLifecycle

/// Looks for pending device keys once for all callers that wait for one.
///
/// However many callers wait, in however many tenants, there is one query at a time and a pause between two. Nothing is
/// asked while nobody waits. A look compares positions, so a key that was presented between a caller's own read and the
/// beginning of the wait is found by the next look.
actor PendingKeyWatch {
    /// The pause between two looks.
    static let pause: Duration = .milliseconds(250)

    private struct Waiter {
        let tenant: TenantID
        let position: Int64
        let wake: CheckedContinuation<Void, Never>
    }

    private enum Wait {
        case beginning
        case waiting(Waiter)
        case ended
    }

    private var waits: [Int: Wait] = [:]
    private var number = 0
    private var isLooking = false
    private let read: @Sendable (Set<TenantID>) async throws -> [TenantID: Int64]
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter read: Returns the position at which the newest pending key of each tenant was presented. Tenants
    ///   without one may be missing.
    init(
        read: @escaping @Sendable (Set<TenantID>) async throws -> [TenantID: Int64],
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.read = read
        self.sleep = sleep
    }

    /// How many callers wait.
    var waiting: Int { waiters.count }

    private var waiters: [(id: Int, waiter: Waiter)] {
        waits.compactMap { id, wait in if case .waiting(let waiter) = wait { (id, waiter) } else { nil } }
    }

    /// Waits until a tenant has a pending key that was presented after a position, until a moment, or until the service
    /// shuts down. It returns at a look or at the end, never at once, so a caller may read and wait in a loop.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(in tenant: TenantID, after position: Int64, until deadline: ContinuousClock.Instant) async throws {
        number += 1
        let id = number
        waits[id] = .beginning
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            end(id)
        }
        defer {
            timer.cancel()
            waits[id] = nil
        }
        await withTaskCancellationOrGracefulShutdownHandler {
            await withCheckedContinuation { wake in
                guard case .beginning? = waits[id] else { return wake.resume() }
                waits[id] = .waiting(Waiter(tenant: tenant, position: position, wake: wake))
                beginLooking()
            }
        } onCancelOrGracefulShutdown: {
            Task { await self.end(id) }
        }
        try Task.checkCancellation()
    }

    private func end(_ id: Int) {
        guard let wait = waits[id] else { return }
        waits[id] = .ended
        if case .waiting(let waiter) = wait { waiter.wake.resume() }
    }

    private func beginLooking() {
        guard !isLooking else { return }
        isLooking = true
        // Detached: the task serves all waiters and must not inherit the limits of the first one.
        Task.detached { await self.look() }
    }

    private func look() async {
        while !waiters.isEmpty {
            try? await sleep(Self.pause)
            let tenants = Set(waiters.map(\.waiter.tenant))
            // Who waits for a database that is away learns so from the read at the end of the wait.
            guard !tenants.isEmpty, let newest = try? await read(tenants) else { continue }
            for (id, waiter) in waiters where newest[waiter.tenant].map({ $0 > waiter.position }) ?? false { end(id) }
        }
        isLooking = false
    }
}
