import Postgres

/// Counts events that several tasks take.
final class RebuildCounter: Sendable {
    private let state: Lock<RebuildProgress>
    private let report: @Sendable (RebuildProgress) -> Void

    init(total: Int64, report: @escaping @Sendable (RebuildProgress) -> Void) {
        state = Lock(RebuildProgress(done: 0, total: total))
        self.report = report
    }

    /// Adds to what is done and tells it.
    func add(_ count: Int64) {
        report(
            state.withLock { progress in
                progress.done += count
                return progress
            })
    }

    /// What is done so far.
    var done: Int64 { state.withLock { $0.done } }
}
