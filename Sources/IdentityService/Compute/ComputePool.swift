import Foundation
#if os(Linux)
import Glibc
#endif

/// Threads of its own for work that costs tens of milliseconds of processor time.
///
/// scrypt and curve arithmetic never run on the cooperative pool: two of them would stop every other request on a
/// two-core machine. The number of admitted callers is bounded, so that overload is answered with `service.busy` before
/// anything is charged, instead of growing a queue that nobody waits for any more.
public final class ComputePool: Sendable {
    private let queue: WorkQueue
    private let admissions: AdmissionCounter

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: How many run at once, at least 1.
    ///   - waiting: How many admitted callers may wait beside those that run.
    ///   - yields: Whether its threads stand behind the others of this machine: for work so long that a call which needs
    ///     a millisecond should not have to wait for a turn.
    public init(threads: Int, waiting: Int, yields: Bool = false) {
        self.queue = WorkQueue()
        self.admissions = AdmissionCounter(limit: max(1, threads) + max(0, waiting))
        for index in 0..<max(1, threads) {
            let queue = self.queue
            // A name that a thread gives itself before `start()` has returned is lost, so it waits for that.
            let started = DispatchSemaphore(value: 0)
            let thread = Thread {
                started.wait()
                // The system keeps fifteen characters of it.
                Thread.current.name = "tenure-compute\(index % 10)"
                if yields { Self.yieldToOthers() }
                queue.work()
            }
            thread.stackSize = 1 << 20
            thread.start()
            started.signal()
        }
    }

    deinit { queue.close() }

    /// Makes the calling thread one of niceness 10. On Linux niceness belongs to a thread (sched(7)); elsewhere to the
    /// process, which is left alone.
    private static func yieldToOthers() {
        #if os(Linux)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }

    /// Admits a caller for the length of `body`; throws `service.busy` when the pool is at its limit.
    func admitted<Result>(_ body: (Admission) async throws -> Result) async throws -> Result {
        guard admissions.enter() else { throw ServiceError(.serviceBusy, retryAfterSeconds: 1) }
        defer { admissions.leave() }
        return try await body(Admission(queue: queue))
    }
}

/// The right to run work in the pool, valid inside the body that received it.
struct Admission {
    fileprivate let queue: WorkQueue

    /// Runs `work` on one of the pool's threads.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
            queue.add { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }
}
