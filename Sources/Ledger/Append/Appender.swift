public import Logging
public import Postgres
public import ServiceLifecycle

/// Records appends in groups: whatever waits is committed in one transaction, and each caller is answered by itself.
///
/// Two transactions may be on their way at once, so that one is written while the other one's callers are answered and
/// come again. ``run()`` must be running; appends that come earlier wait for it. A caller's refusal, oversize or poison never
/// touches another's append. When the answer to COMMIT is lost, the appender finds out by the event ids what happened
/// and returns the first outcome.
public actor Appender: Appending, Service {
    /// Limits of an appender.
    public struct Configuration: Sendable {
        /// How many callers may wait; more are refused with ``LedgerError/Code/busy``.
        public var maximumWaiting = 1_024
        /// How many callers share a transaction.
        public var maximumBatch = 256
        /// How many transactions may be on their way at once; each needs a connection of the pool.
        public var maximumTransactions = 2
        /// How many bytes of entries share a transaction; one append alone may have more.
        public var maximumBatchBytes = 4 << 20
        /// How long to look for the outcome of a commit whose answer was lost.
        public var outcomePatience: Duration = .seconds(15)

        /// The defaults.
        public init() {}
    }

    private struct Waiting {
        let number: UInt64
        let append: PreparedAppend
        let continuation: CheckedContinuation<Result<Appended, LedgerError>, Never>
    }

    private struct Batch {
        var appends: [PreparedAppend]
        let continuations: [CheckedContinuation<Result<Appended, LedgerError>, Never>]
    }

    private let configuration: Configuration
    private let committer: AppendCommitter
    private let signals: AsyncStream<Void>
    private nonisolated let signaller: AsyncStream<Void>.Continuation
    private var queue: [Waiting] = []
    private var lastNumber: UInt64 = 0
    private var isStopped = false
    private var latest = LatestTimes()
    /// How many lanes are open: each sends one batch after the other.
    private var lanes = 0
    /// How many callers' appends are on their way.
    private var sentCount = 0

    /// An appender over a pool of the application role.
    public init(pool: PostgresPool, configuration: Configuration = Configuration(), logger: Logger) {
        self.configuration = configuration
        committer = AppendCommitter(pool: pool, patience: configuration.outcomePatience, logger: logger)
        (signals, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Records an append; see ``Appending/append(_:)``.
    ///
    /// Cancelling the task takes an append back only while it waits; one that was sent is answered.
    public nonisolated func append(_ append: Append) async throws(LedgerError) -> Appended {
        let prepared = try PreparedAppend(append)
        return try await enqueue(prepared).get()
    }

    private func enqueue(_ append: PreparedAppend) async -> Result<Appended, LedgerError> {
        guard !isStopped else { return .failure(LedgerError(.unavailable, "the appender has stopped")) }
        guard queue.count < configuration.maximumWaiting else {
            return .failure(LedgerError(.busy, "too many appends wait"))
        }
        lastNumber += 1
        let number = lastNumber
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: Self.cancelled) }
                queue.append(Waiting(number: number, append: append, continuation: continuation))
                if lanes < configuration.maximumTransactions { signaller.yield() }
            }
        } onCancel: {
            Task { await self.takeBack(number) }
        }
    }

    private static let cancelled = Result<Appended, LedgerError>.failure(
        LedgerError(.cancelled, "the task was cancelled before the append was sent"))

    private func takeBack(_ number: UInt64) {
        guard let index = queue.firstIndex(where: { $0.number == number }) else { return }
        queue.remove(at: index).continuation.resume(returning: Self.cancelled)
    }

    /// Commits what waits, until the task is cancelled or a graceful shutdown begins; then those who wait are answered
    /// and later appends are refused. Run it once.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            await withTaskCancellationOrGracefulShutdownHandler {
                for await _ in signals where lanes < configuration.maximumTransactions {
                    lanes += 1
                    group.addTask { await self.commitWaiting() }
                }
            } onCancelOrGracefulShutdown: { [signaller] in
                signaller.finish()
            }
            isStopped = true
            lanes += 1
            group.addTask { await self.commitWaiting() }
        }
    }

    /// How many callers wait, without those whose appends are being committed.
    public var waitingCount: Int { queue.count }

    /// Ends ``run()`` after those who wait have been answered: what a graceful shutdown does, for tests and tools.
    public nonisolated func stop() { signaller.finish() }

    /// One lane: sends batches until nobody waits.
    @concurrent private nonisolated func commitWaiting() async {
        while let batch = await takeBatch() {
            let results = await committer.commit(batch.appends)
            await answer(batch, results)
            // Those who were answered come before this goes on, so that the next batch has those who come again.
            await Task.yield()
        }
    }

    private func answer(_ batch: Batch, _ results: [Result<Appended, LedgerError>]) {
        sentCount -= batch.appends.count
        for (continuation, result) in zip(batch.continuations, results) { continuation.resume(returning: result) }
    }

    /// The next batch, or nil and the lane is closed.
    ///
    /// A lane takes no more than its share of all callers, so that lanes do not take turns with large and small batches.
    private func takeBatch() -> Batch? {
        guard !queue.isEmpty else {
            lanes -= 1
            return nil
        }
        let share = (queue.count + sentCount - 1) / configuration.maximumTransactions + 1
        var count = 0, bytes = 0
        for waiting in queue.prefix(min(configuration.maximumBatch, share)) {
            bytes += waiting.append.byteCount
            if count > 0, bytes > configuration.maximumBatchBytes { break }
            count += 1
        }
        var batch = Batch(
            appends: queue.prefix(count).map(\.append), continuations: queue.prefix(count).map(\.continuation))
        queue.removeFirst(count)
        sentCount += count
        latest.raise(&batch.appends)
        return batch
    }
}
