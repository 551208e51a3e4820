import Identity
import ServiceLifecycle

/// Looks for pending device keys once for all callers that wait for one in a tenant.
typealias PendingKeyWatch = NewestWatch<TenantID>

/// Looks for the decisions about device keys once for all callers that wait for one.
typealias KeyDecisionWatch = NewestWatch<WaitingKey>

/// Looks for what is new about some subjects once for all callers that wait for it.
///
/// However many callers wait, in however many tenants, there is one query at a time and a pause between two. Nothing is
/// asked while nobody waits. A look compares positions, so what happened between a caller's own read and the beginning
/// of the wait is found by the next look.
actor NewestWatch<Subject: Hashable & Sendable> {
    /// The pause between two looks.
    static var pause: Duration { .milliseconds(250) }

    private struct Waiter {
        let subject: Subject
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
    private let read: @Sendable (Set<Subject>) async throws -> [Subject: Int64]
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter read: Returns the position of the newest event about each subject. Subjects without one may be
    ///   missing.
    init(
        read: @escaping @Sendable (Set<Subject>) async throws -> [Subject: Int64],
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

    /// Waits until something about a subject is newer than a position, until a moment, or until the service shuts down.
    /// It returns at a look or at the end, never at once, so a caller may read and wait in a loop.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(in subject: Subject, after position: Int64, until deadline: ContinuousClock.Instant) async throws {
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
                waits[id] = .waiting(Waiter(subject: subject, position: position, wake: wake))
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
            let subjects = Set(waiters.map(\.waiter.subject))
            // Who waits for a database that is away learns so from the read at the end of the wait.
            guard !subjects.isEmpty, let newest = try? await read(subjects) else { continue }
            for (id, waiter) in waiters where newest[waiter.subject].map({ $0 > waiter.position }) ?? false { end(id) }
        }
        isLooking = false
    }
}
