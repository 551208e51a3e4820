import Identity

/// Polls the position of a tenant's projections once for all readers that wait for it.
///
/// However many readers wait, each tenant has one query at a time, one pause between two queries, and one nudge of the
/// projector. Only tenants with waiting readers are kept.
actor PositionWatch {
    /// The longest pause between two polls.
    static let longestPause: Duration = .milliseconds(50)
    private static let shortestPause: Duration = .milliseconds(2)

    private struct Tenant {
        var waiting = 0
        var look: Task<Int64, any Error>?
        var nextLook: Task<Int64, any Error>?
        var pause = PositionWatch.shortestPause
        var nextNudge: ContinuousClock.Instant?
    }

    private var tenants: [TenantID: Tenant] = [:]
    private let read: @Sendable (TenantID) async throws -> Int64
    private let nudge: @Sendable () -> Void
    private let sleep: @Sendable (Duration) async throws -> Void
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        read: @escaping @Sendable (TenantID) async throws -> Int64, nudge: @escaping @Sendable () -> Void,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.read = read
        self.nudge = nudge
        self.sleep = sleep
        self.now = now
    }

    /// How many tenants have waiting readers.
    var watched: Int { tenants.count }

    /// Waits until all projections of a tenant have reached a position.
    ///
    /// - Returns: Whether they reached it within `patience`.
    func wait(for position: Int64, of tenant: TenantID, patience: Duration) async throws -> Bool {
        let deadline = now() + patience
        enter(tenant)
        defer { leave(tenant) }
        if try await look(tenant) >= position { return true }
        while now() < deadline {
            try Task.checkCancellation()
            if try await nextLook(tenant, within: deadline - now()) >= position { return true }
        }
        return false
    }

    private func enter(_ tenant: TenantID) {
        tenants[tenant, default: Tenant()].waiting += 1
        // A new reader usually waits for something that has just been written.
        tenants[tenant]?.pause = Self.shortestPause
    }

    private func leave(_ tenant: TenantID) {
        tenants[tenant]?.waiting -= 1
        if tenants[tenant]?.waiting == 0 { tenants[tenant] = nil }
    }

    /// Returns the present position, from the running query if there is one.
    private func look(_ tenant: TenantID) async throws -> Int64 {
        if let look = tenants[tenant]?.look { return try await look.value }
        let read = read
        // The task removes itself before its waiters resume. A waiter that found the finished task would poll again
        // without ever yielding the actor.
        let task = Task {
            defer { tenants[tenant]?.look = nil }
            return try await read(tenant)
        }
        tenants[tenant]?.look = task
        return try await task.value
    }

    /// Returns the position after a pause that all waiting readers share.
    private func nextLook(_ tenant: TenantID, within left: Duration) async throws -> Int64 {
        if let next = tenants[tenant]?.nextLook { return try await next.value }
        let sleep = sleep, pause = min(tenants[tenant]?.pause ?? Self.shortestPause, max(left, .zero))
        // Not every event makes the projector poll. Nudges are rare, because waiting for a stopped projection is in
        // vain.
        if tenants[tenant]?.nextNudge.map({ $0 <= now() }) ?? true {
            nudge()
            tenants[tenant]?.nextNudge = now() + PollPace.longest
        }
        tenants[tenant]?.pause = min(pause * 2, Self.longestPause)
        let task = Task {
            do {
                // As in `look`, the task removes itself before its waiters resume.
                defer { tenants[tenant]?.nextLook = nil }
                try await sleep(pause)
            }
            return try await look(tenant)
        }
        tenants[tenant]?.nextLook = task
        return try await task.value
    }
}
