import Foundation
import FoundationEssentials
import Synchronization

#if os(Linux)
import Glibc
#endif

/// Dedicated threads for work that costs tens of milliseconds of processor time.
///
/// scrypt and curve arithmetic never run on the cooperative pool: two such jobs would block every other request on a
/// machine with two cores. The number of admitted callers is bounded per app and tenant. Overload is answered with
/// `service.busy` before anything is charged, and only to the callers that cause it. Admitted callers take turns: see
/// ``TurnQueue``.
public final class ComputePool: Sendable {
    private let queue: WorkQueue
    private let quota: Mutex<AdmissionQuota>

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: The number of threads, at least 1.
    ///   - waiting: The number of admitted callers that may wait besides those that run. Known devices get further
    ///     places: a quarter as many, and one for each thread.
    ///   - yields: Whether the threads run at lower priority than others on this machine. Meant for work so long that a
    ///     call of a millisecond should not have to wait for it.
    public init(threads: Int, waiting: Int, yields: Bool = false) {
        self.queue = WorkQueue()
        let places = max(1, threads) + max(0, waiting)
        self.quota = Mutex(AdmissionQuota(places: places, kept: max(1, threads) + max(0, waiting) / 4))
        for index in 0..<max(1, threads) {
            let queue = self.queue
            // A name that a thread sets before `start()` has returned is lost, so the thread waits for that.
            let started = DispatchSemaphore(value: 0)
            let thread = Thread {
                started.wait()
                // The system keeps fifteen characters of the name.
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

    /// Sets the niceness of the calling thread to 10. On Linux niceness belongs to a thread (sched(7)). Elsewhere it
    /// belongs to the process, which is left alone.
    private static func yieldToOthers() {
        #if os(Linux)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }

    /// Admits a caller while `body` runs.
    ///
    /// - Throws: `service.busy` if the lane has no place, and the errors of `body`.
    func admitted<Result>(
        _ lane: AdmissionLane, _ body: (ComputeTurn) async throws -> Result
    ) async throws -> Result {
        guard quota.withLock({ $0.enter(lane) }) else { throw ServiceError(.serviceBusy, retryAfterSeconds: 1) }
        defer { quota.withLock { $0.leave(lane) } }
        return try await body(ComputeTurn(queue: queue, lane: lane))
    }
}

/// The right to run work in the pool, valid inside the body that received it.
struct ComputeTurn {
    fileprivate let queue: WorkQueue
    fileprivate let lane: AdmissionLane

    /// Runs `work` on one of the pool's threads when its lane has a turn.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
            queue.add({ continuation.resume(with: Swift.Result(catching: work)) }, in: lane)
        }
    }
}

/// The jobs of the compute threads, in the order of a ``TurnQueue``.
///
/// `@unchecked Sendable`: `jobs` and `isClosed` are read and written only between `lock()` and `unlock()` of
/// `condition`.
final class WorkQueue: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs = TurnQueue<@Sendable () -> Void>()
    private var isClosed = false

    /// Adds a job. The pool's quota bounds the number of jobs.
    func add(_ job: @escaping @Sendable () -> Void, in lane: AdmissionLane) {
        condition.lock()
        jobs.add(job, in: lane)
        condition.signal()
        condition.unlock()
    }

    /// Lets the workers end once the queue is empty.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    /// Runs jobs until the queue is closed and empty.
    func work() {
        while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty && !isClosed { condition.wait() }
        return jobs.next()
    }
}

/// A queue that serves known devices first, then apps in turns, and within each app its tenants in turns.
///
/// Tenants take turns within their app, because a caller can invent tenant names but not apps. However many names an
/// app asks about, it has one turn in each round. After ``knownInARow`` known devices one unknown device is served, so
/// log-ins never block registrations and new devices.
struct TurnQueue<Item: Sendable>: Sendable {
    private typealias Tenants = Rotation<UUID, [Item]>
    private typealias Apps = Rotation<UUID, Tenants>

    /// The number of known devices served in a row while unknown ones wait.
    static var knownInARow: Int { 3 }

    private var known = Apps()
    private var unknown = Apps()
    private var served = 0

    var isEmpty: Bool { known.isEmpty && unknown.isEmpty }

    /// Appends an item to its lane.
    mutating func add(_ item: Item, in lane: AdmissionLane) {
        if lane.isKnownDevice { Self.add(item, lane, &known) } else { Self.add(item, lane, &unknown) }
    }

    /// Removes and returns the next item.
    mutating func next() -> Item? {
        if known.isEmpty || (served >= Self.knownInARow && !unknown.isEmpty) {
            served = 0
            return Self.next(&unknown)
        }
        served = unknown.isEmpty ? 0 : served + 1
        return Self.next(&known)
    }

    private static func add(_ item: Item, _ lane: AdmissionLane, _ apps: inout Apps) {
        apps.change(lane.app, empty: Tenants()) { tenants in
            tenants.change(lane.tenant, empty: []) { $0.append(item) }
        }
    }

    private static func next(_ apps: inout Apps) -> Item? {
        apps.turn { tenants in
            let item = tenants.turn { items in
                (items.isEmpty ? nil : items.removeFirst(), items.isEmpty)
            }
            return (item, tenants.isEmpty)
        }
    }
}

/// Queues of waiting items by key, served round-robin.
struct Rotation<Key: Hashable & Sendable, Line: Sendable>: Sendable {
    /// The keys that have a queue, the next one first.
    private var order: [Key] = []
    private var lines: [Key: Line] = [:]

    var isEmpty: Bool { order.isEmpty }

    /// Changes the queue of a key. A key without a queue gets an empty one at the end of the order.
    mutating func change(_ key: Key, empty: @autoclosure () -> Line, _ body: (inout Line) -> Void) {
        if lines[key] == nil { order.append(key) }
        body(&lines[key, default: empty()])
    }

    /// Takes an item from the next key's queue. The key then moves to the end of the order or, if its queue is empty,
    /// is removed.
    mutating func turn<Item>(_ take: (inout Line) -> (item: Item?, isEmpty: Bool)) -> Item? {
        guard !order.isEmpty else { return nil }
        let key = order.removeFirst()
        guard var line = lines.removeValue(forKey: key) else { return nil }
        let taken = take(&line)
        if !taken.isEmpty {
            order.append(key)
            lines[key] = line
        }
        return taken.item
    }
}
