import Foundation

/// A queue that worker threads empty in order.
///
/// `@unchecked Sendable`: `jobs` and `isClosed` are read and written only between `lock()` and `unlock()` of `condition`.
final class WorkQueue: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [@Sendable () -> Void] = []
    private var isClosed = false

    /// Adds a job; the admission counter bounds how many there can be.
    func add(_ job: @escaping @Sendable () -> Void) {
        condition.lock()
        jobs.append(job)
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
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}

/// Counts who is admitted.
///
/// `@unchecked Sendable`: `count` is read and written only while `lock` is held.
final class AdmissionCounter: @unchecked Sendable {
    private let lock = NSLock()
    private let limit: Int
    private var count = 0

    /// Allows at most `limit` at once.
    init(limit: Int) { self.limit = limit }

    /// Takes a place, when there is one.
    func enter() -> Bool {
        lock.withLock {
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    /// Gives the place back.
    func leave() { lock.withLock { count -= 1 } }
}
