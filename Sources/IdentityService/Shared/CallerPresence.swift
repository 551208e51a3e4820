/// Tells whether somebody still waits for the answer of a call.
///
/// A task is not cancelled when its client leaves, because an append that was sent must end. Only work that nobody has
/// begun, and that nobody would hear of, is given up.
package struct CallerPresence: Sendable {
    /// The presence of the current task's caller; `nil` if it cannot leave.
    @TaskLocal package static var current: CallerPresence?

    private let watch: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter watch: Keeps a closure and calls it once the caller has left, at once if that was before.
    package init(_ watch: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.watch = watch }

    /// Runs `body`, and cancels it when the current task's caller leaves. For waiting, which changes nothing.
    package static func whilePresent<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        current?.whenGone { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Calls `body` once the caller has left.
    func whenGone(_ body: @escaping @Sendable () -> Void) { watch(body) }
}
