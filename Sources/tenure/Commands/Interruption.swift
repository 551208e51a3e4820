import ArgumentParser
import Dispatch
import Foundation

/// Turns the first SIGINT or SIGTERM into cancellation, so that a command ends its transaction and says what to do.
enum Interruption {
    /// Runs `body`; throws a failure with exit code 2 when a signal stopped it.
    static func stopping<Result: Sendable>(
        _ body: @Sendable @escaping () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the process before the source is asked.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        do { return try await task.value } catch {
            guard task.isCancelled else { throw error }
            throw CommandFailure(.cancelled, "stopped before the end")
        }
    }
}
