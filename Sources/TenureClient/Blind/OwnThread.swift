import Foundation

/// A thread of its own for work that costs tens of milliseconds of processor time, such as scrypt: the threads that
/// asynchronous work shares are never blocked with it.
enum OwnThread {
    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
            let thread = Thread { continuation.resume(with: Swift.Result(catching: work)) }
            thread.stackSize = 1 << 20
            thread.start()
        }
    }
}
