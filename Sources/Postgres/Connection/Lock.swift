import Glibc

/// A value behind a pthread mutex.
///
/// ThreadSanitizer understands a pthread mutex; it reports false races through `Synchronization.Mutex` on Linux.
@safe
package final class Lock<Value>: @unchecked Sendable {
    // Proof of @unchecked: `value` is touched only in `withLock` and `deinit`; the mutex never moves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// A lock around `value`, to which the caller keeps no other reference.
    package init(_ value: consuming sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` while holding the lock. The body must not wait and must not take this lock again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
