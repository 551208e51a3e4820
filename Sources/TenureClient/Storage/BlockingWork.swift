import Foundation

/// Work that waits for a disk or a person, on a thread of its own, so that no thread of the cooperative pool waits.
enum BlockingWork {
    /// Runs `work` and hands over what it returns or throws.
    static func run<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
