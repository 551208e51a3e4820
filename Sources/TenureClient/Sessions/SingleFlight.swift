/// Lets many callers at once share one run of a piece of work.
///
/// The run belongs to none of them: a caller who is cancelled leaves at once with `CancellationError`, and the others
/// still get the result.
actor SingleFlight<Value: Sendable> {
    private var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
    private var next = 0
    private var isRunning = false

    /// Waits for the run that is under way, or starts `work`.
    func run(_ work: @Sendable @escaping () async throws -> Value) async throws -> Value {
        let ticket = next
        next += 1
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Cancelled before it could wait: the handler below has found nothing to resume.
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                waiting[ticket] = continuation
                start(work)
            }
        } onCancel: {
            Task { await self.leave(ticket) }
        }
    }

    private func start(_ work: @Sendable @escaping () async throws -> Value) {
        guard !isRunning else { return }
        isRunning = true
        Task {
            do { finish(.success(try await work())) } catch { finish(.failure(error)) }
        }
    }

    private func finish(_ result: Result<Value, any Error>) {
        isRunning = false
        let all = waiting
        waiting = [:]
        for continuation in all.values { continuation.resume(with: result) }
    }

    private func leave(_ ticket: Int) { waiting.removeValue(forKey: ticket)?.resume(throwing: CancellationError()) }
}
