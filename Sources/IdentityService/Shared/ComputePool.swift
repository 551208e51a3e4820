import ErrorCodes
import Foundation
import FoundationEssentials
import Postgres
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
package final class ComputePool: Sendable {
    private let queue: WorkQueue
    private let quota: Mutex<AdmissionQuota>
    private let patience: Duration
    private let waits = ComputeWaits()

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: The number of threads, at least 1.
    ///   - waiting: The number of admitted callers that may wait besides those that run.
    ///   - known: The number of further places, for known devices; `nil` for a quarter as many, and one for each thread.
    ///   - patience: The longest time that work waits for a thread.
    ///   - yields: Whether the threads run at lower priority than others on this machine. Meant for work so long that a
    ///     call of a millisecond should not have to wait for it. One further thread then keeps the normal priority and
    ///     serves known devices only, so that a busy machine does not delay them.
    package init(
        threads: Int, waiting: Int, known: Int? = nil, patience: Duration = .seconds(60), yields: Bool = false
    ) {
        self.queue = WorkQueue()
        self.patience = patience
        let places = max(1, threads) + max(0, waiting)
        self.quota = Mutex(AdmissionQuota(places: places, kept: known ?? max(1, threads) + max(0, waiting) / 4))
        for index in 0..<max(1, threads) {
            // The system keeps fifteen characters of the name.
            start(named: "tenure-compute\(index % 10)", yields: yields, share: yields ? .rest : .all)
        }
        if yields { start(named: "tenure-known", yields: false, share: .knownDevices) }
    }

    deinit { queue.close() }

    /// How many callers are admitted, how many of their computations wait for a thread, and how many callers found no
    /// place so far.
    var load: (known: Int, unknown: Int, queued: Int, refused: Int) {
        let (known, unknown, refused) = quota.withLock { ($0.known, $0.unknown, $0.refused) }
        return (known, unknown, queue.count, refused)
    }

    /// How many callers may be admitted at once, and how many of them from unknown devices.
    var places: (all: Int, unknown: Int) { quota.withLock { ($0.places + $0.kept, $0.places) } }

    /// How many computations got a thread so far, how long they waited for it together, and how many gave up.
    var waited: (count: Int, together: Duration, givenUp: Int) { waits.state.withLock { $0 } }

    private func start(named name: String, yields: Bool, share: ComputeShare) {
        // A name that a thread sets before `start()` has returned is lost, so the thread waits for that.
        let started = DispatchSemaphore(value: 0)
        let thread = Thread { [queue] in
            started.wait()
            Thread.current.name = name
            if yields { Self.yieldToOthers() }
            queue.work(share)
        }
        thread.stackSize = 1 << 20
        thread.start()
        started.signal()
    }

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
        return try await body(ComputeTurn(queue: queue, lane: lane, patience: patience, waits: waits))
    }
}

/// Counts what waited for a thread.
private final class ComputeWaits: Sendable {
    let state = Mutex<(count: Int, together: Duration, givenUp: Int)>((0, .zero, 0))
}

/// The right to run work in the pool, valid inside the body that received it.
struct ComputeTurn {
    fileprivate let queue: WorkQueue
    fileprivate let lane: AdmissionLane
    fileprivate let patience: Duration
    fileprivate let waits: ComputeWaits

    /// Runs `work` on one of the pool's threads when its lane has a turn.
    ///
    /// Work that waits ends with its caller: when the task is cancelled, and when ``CallerPresence/current`` says that
    /// nobody waits for the answer any more. Work that has begun ends by itself.
    ///
    /// - Throws: `service.busy` with its cause for work that got no thread in time, `CancellationError` if the caller
    ///   left first, and the errors of `work`.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        let queued = ContinuousClock.now
        let job = QueuedJob { [waits] in
            let wait = ContinuousClock.now - queued
            waits.state.withLock { $0 = ($0.count + 1, $0.together + wait, $0.givenUp) }
            return try work()
        }
        let expiry = Task { [patience, waits] in
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            if job.withdraw(ServiceError(waitedFor: patience)) { waits.state.withLock { $0.givenUp += 1 } }
        }
        defer { expiry.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                guard job.wait(continuation) else { return }
                CallerPresence.current?.whenGone { job.withdraw() }
                queue.add({ job.run() }, in: lane)
            }
        } onCancel: {
            job.withdraw()
        }
    }
}

extension ServiceError {
    /// The refusal of work that got no thread.
    fileprivate init(waitedFor patience: Duration) {
        self.init(.serviceBusy, retryAfterSeconds: 5)
        cause = "hashing: no thread within \(patience)"
    }
}

/// Work that waits for a thread, or was withdrawn before it got one.
private final class QueuedJob<Result: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Result, any Error>)
        /// Run, or withdrawn.
        case over
    }
    private let state = Lock(State.new)
    private let work: @Sendable () throws -> Result

    init(_ work: @escaping @Sendable () throws -> Result) { self.work = work }

    /// Takes the continuation of the caller. Returns `false`, and resumes it, if the job was withdrawn before.
    func wait(_ continuation: CheckedContinuation<Result, any Error>) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isNew { continuation.resume(throwing: CancellationError()) }
        return isNew
    }

    /// Runs the work and answers the caller. Does nothing if the job was withdrawn.
    func run() {
        guard let continuation = finish() else { return }
        continuation.resume(with: Swift.Result(catching: work))
    }

    /// Answers the caller without the work. Does nothing once the work has begun.
    ///
    /// - Returns: Whether the caller waited.
    @discardableResult
    func withdraw(_ error: any Error = CancellationError()) -> Bool {
        guard let continuation = finish() else { return false }
        continuation.resume(throwing: error)
        return true
    }

    private func finish() -> CheckedContinuation<Result, any Error>? {
        state.withLock { state in
            defer { state = .over }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
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
        // Wakes every thread, because the first one to wake might leave this job to another.
        condition.broadcast()
        condition.unlock()
    }

    /// The number of jobs that wait. One whose caller has left counts until its turn.
    var count: Int {
        condition.lock()
        defer { condition.unlock() }
        return jobs.count
    }

    /// Lets each worker end once the queue has nothing for it.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    /// Runs jobs until the queue is closed and has nothing of this share.
    func work(_ share: ComputeShare) {
        while let job = next(share) { job() }
    }

    private func next(_ share: ComputeShare) -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let job = jobs.next(share) { return job }
            if isClosed { return nil }
            condition.wait()
        }
    }
}

/// What one thread takes from the queue.
enum ComputeShare: Sendable {
    /// All work: the thread is one of equals.
    case all
    /// Work of known devices only. An unknown device never gets this thread.
    case knownDevices
    /// Work of unknown devices, and of known devices if more than ``TurnQueue/knownInARow`` wait. A shorter line of
    /// known devices is left to the thread of `knownDevices`, which is faster on a busy machine.
    case rest
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
    /// The number of known devices that wait.
    private var knownWaiting = 0
    private var served = 0
    /// The number of items.
    private(set) var count = 0

    var isEmpty: Bool { known.isEmpty && unknown.isEmpty }

    /// Appends an item to its lane.
    mutating func add(_ item: Item, in lane: AdmissionLane) {
        count += 1
        guard lane.isKnownDevice else { return Self.add(item, lane, &unknown) }
        knownWaiting += 1
        Self.add(item, lane, &known)
    }

    /// Removes and returns the next item of a share, or returns `nil` if the queue has none.
    mutating func next(_ share: ComputeShare = .all) -> Item? {
        let item = take(share)
        if item != nil { count -= 1 }
        return item
    }

    private mutating func take(_ share: ComputeShare) -> Item? {
        switch share {
        case .all: return nextInTurn()
        case .knownDevices: return nextKnown()
        case .rest:
            if knownWaiting > Self.knownInARow { return nextInTurn() }
            served = 0
            return Self.next(&unknown)
        }
    }

    private mutating func nextInTurn() -> Item? {
        if known.isEmpty || (served >= Self.knownInARow && !unknown.isEmpty) {
            served = 0
            return Self.next(&unknown)
        }
        served = unknown.isEmpty ? 0 : served + 1
        return nextKnown()
    }

    private mutating func nextKnown() -> Item? {
        let item = Self.next(&known)
        if item != nil { knownWaiting -= 1 }
        return item
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
