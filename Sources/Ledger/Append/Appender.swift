public import Logging
public import Postgres
public import ServiceLifecycle

/// Records appends in groups: whatever waits is committed in one transaction, and each caller is answered by itself.
///
/// ``run()`` must be running; appends that come earlier wait for it. A caller's refusal, oversize or poison never
/// touches another's append. When the answer to COMMIT is lost, the appender finds out by the event ids what happened
/// and returns the first outcome.
public actor Appender: Appending, Service {
    /// Limits of an appender.
    public struct Configuration: Sendable {
        /// How many callers may wait; more are refused with ``LedgerError/Code/busy``.
        public var maximumWaiting = 1_024
        /// How many callers share a transaction.
        public var maximumBatch = 64
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

    private let configuration: Configuration
    private let committer: AppendCommitter
    private let signals: AsyncStream<Void>
    private nonisolated let signaller: AsyncStream<Void>.Continuation
    private var queue: [Waiting] = []
    private var lastNumber: UInt64 = 0
    private var isStopped = false

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
                signaller.yield()
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
        await withTaskCancellationOrGracefulShutdownHandler {
            for await _ in signals { await commitWaiting() }
        } onCancelOrGracefulShutdown: { [signaller] in
            signaller.finish()
        }
        isStopped = true
        await commitWaiting()
    }

    /// How many callers wait, without those whose appends are being committed.
    public var waitingCount: Int { queue.count }

    /// Ends ``run()`` after those who wait have been answered: what a graceful shutdown does, for tests and tools.
    public nonisolated func stop() { signaller.finish() }

    private func commitWaiting() async {
        while !queue.isEmpty {
            let batch = takeBatch()
            let results = await committer.commit(batch.map(\.append))
            for (waiting, result) in zip(batch, results) { waiting.continuation.resume(returning: result) }
        }
    }

    private func takeBatch() -> [Waiting] {
        var count = 0, bytes = 0
        for waiting in queue.prefix(configuration.maximumBatch) {
            bytes += waiting.append.byteCount
            if count > 0, bytes > configuration.maximumBatchBytes { break }
            count += 1
        }
        defer { queue.removeFirst(count) }
        return Array(queue.prefix(count))
    }
}
