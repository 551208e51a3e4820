import Canonical
public import Logging
public import Postgres
public import ServiceLifecycle

/// Records appends in batches (group commit). Appends that wait share one transaction, and each caller gets its own
/// outcome.
///
/// ```swift
/// let appender = Appender(pool: pool, codes: codes, logger: logger)       // `run()` must be running, usually in a `ServiceGroup`
/// let stream = StreamID(ledger: ledger, kind: "employee", id: id)
/// let event = NewEvent(id: UUID(), stream: stream, type: "AddressChanged", data: ["town": "Bern"])
/// let receipt = try await appender.append(Append(events: [event], expectations: [stream: version]))
/// ```
///
/// By default two transactions may run at once: while the database writes one batch, the callers of the other are
/// answered and send their next appends. Appends that arrive before ``run()`` wait for it. A refused, oversized or
/// failing append never affects the appends of other callers. If the answer to COMMIT is lost, the appender looks up
/// the event ids and returns the first outcome.
public actor Appender: AppendTarget, Service {
    /// How far events may be ahead of the database's clock: a minute.
    public static let clockTolerance: Duration = .seconds(60)

    /// Limits of an appender.
    public struct Configuration: Sendable {
        /// How many callers may wait. Further appends fail with ``LedgerError/Code/busy``.
        public var maximumWaiting = 1_024
        /// How many callers may share a transaction.
        public var maximumBatch = 256
        /// How many transactions may run at once. Each needs a connection of the pool.
        public var maximumTransactions = 2
        /// How many bytes of entries may share a transaction. A single append may have more.
        public var maximumBatchBytes = 4 << 20
        /// How long a caller waits for a connection, in the queue and after it. The pool's acquire timeout holds too.
        public var connectionPatience: Duration = .seconds(5)
        /// How long to look for the outcome of a COMMIT whose answer was lost.
        public var outcomePatience: Duration = .seconds(15)
        /// How far events may be ahead of the database's clock; `nil` for no limit, as tests with a clock of their own
        /// need it.
        public var clockTolerance: Duration? = Appender.clockTolerance

        /// The defaults.
        public init() {}
    }

    private struct Waiting {
        let number: UInt64
        let append: PreparedAppend
        let since: ContinuousClock.Instant
        let continuation: CheckedContinuation<Result<AppendReceipt, LedgerError>, Never>
    }

    private struct Batch {
        let callers: ArraySlice<Waiting>
        /// The append of each caller, with its time raised.
        var appends: [PreparedAppend]
    }

    private let configuration: Configuration
    private let committer: AppendCommitter
    private let codes: EventCodes
    private let signals: AsyncStream<Void>
    private nonisolated let signaller: AsyncStream<Void>.Continuation
    private var queue: [Waiting] = []
    private var lastNumber: UInt64 = 0
    private var isStopped = false
    private var latest = LatestTimes()
    /// How many lanes are running. A lane commits one batch after another.
    private var lanes = 0
    /// How many callers' appends are being committed.
    private var sentCount = 0

    /// An appender over a pool of the application role.
    ///
    /// - Parameter codes: What makes the codes of the events.
    public init(
        pool: PostgresPool, codes: EventCodes, configuration: Configuration = Configuration(), logger: Logger
    ) {
        self.configuration = configuration
        self.codes = codes
        committer = AppendCommitter(pool: pool, patience: configuration.outcomePatience, logger: logger)
        (signals, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Records an append; see ``AppendTarget/append(_:)``.
    ///
    /// Cancelling the task withdraws the append only while it waits. Once it was sent, the call returns its outcome.
    ///
    /// - Throws: ``LedgerError``:
    ///   - ``LedgerError/Code/versionConflict``, ``LedgerError/Code/claimTaken`` or ``LedgerError/Code/claimMissing``
    ///     if the ledgers' state does not permit the append,
    ///   - ``LedgerError/Code/late``, ``LedgerError/Code/clock`` or ``LedgerError/Code/ahead`` if its time does not,
    ///   - ``LedgerError/Code/invalidEvent``, ``LedgerError/Code/entryTooLarge``, ``LedgerError/Code/eventIdReused`` or
    ///     ``LedgerError/Code/effectRefused`` if its content is to blame,
    ///   - ``LedgerError/Code/busy``, ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled`` if nothing was
    ///     recorded for another reason,
    ///   - ``LedgerError/Code/outcomeUnknown`` if it is not known whether it was recorded.
    public nonisolated func append(_ append: Append) async throws(LedgerError) -> AppendReceipt {
        let prepared = try PreparedAppend(append, codes: codes, tolerance: configuration.clockTolerance)
        return try await enqueue(prepared).get()
    }

    private func enqueue(_ append: PreparedAppend) async -> Result<AppendReceipt, LedgerError> {
        guard !isStopped else { return .failure(LedgerError(.unavailable, "the appender has stopped")) }
        guard queue.count < configuration.maximumWaiting else {
            return .failure(LedgerError(.busy, "too many appends are waiting; try again later"))
        }
        lastNumber += 1
        let number = lastNumber
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: Self.cancelled) }
                queue.append(
                    Waiting(number: number, append: append, since: .now, continuation: continuation))
                if lanes < configuration.maximumTransactions { signaller.yield() }
            }
        } onCancel: {
            Task { await self.takeBack(number) }
        }
    }

    private static let cancelled = Result<AppendReceipt, LedgerError>.failure(
        LedgerError(.cancelled, "the task was cancelled before the append was sent"))

    private func takeBack(_ number: UInt64) {
        guard let index = queue.firstIndex(where: { $0.number == number }) else { return }
        queue.remove(at: index).continuation.resume(returning: Self.cancelled)
    }

    /// Commits waiting appends until the task is cancelled or a graceful shutdown begins. Call it once.
    ///
    /// At the end it commits the appends that still wait. Later ones fail with ``LedgerError/Code/unavailable``. It
    /// throws nothing.
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

    /// How many callers wait, not counting those whose appends are being committed.
    public var waitingCount: Int { queue.count }

    /// Ends ``run()`` after the waiting appends are answered, as a graceful shutdown does. For tests and tools.
    public nonisolated func stop() { signaller.finish() }

    /// Runs one lane: commits batches until no append waits.
    @concurrent private nonisolated func commitWaiting() async {
        while let batch = await takeBatch() {
            // The caller who waits longest sets the limit, so that nobody waits longer than the patience of one.
            let waited = batch.callers.first.map { ContinuousClock.now - $0.since } ?? .zero
            let patience = ConnectionPatience(configuration.connectionPatience - waited)
            let results = await ConnectionPatience.$current.withValue(patience) {
                await committer.commit(batch.appends)
            }
            await answer(batch, results)
            // The answered callers run first, so that their next appends join the next batch.
            await Task.yield()
        }
    }

    private func answer(_ batch: Batch, _ results: [Result<AppendReceipt, LedgerError>]) {
        sentCount -= batch.callers.count
        // Times of a clock that was ahead must not raise later ones.
        if results.contains(where: \.isRefusedByClock) { latest = LatestTimes() }
        for (caller, result) in zip(batch.callers, results) { caller.continuation.resume(returning: result) }
    }

    /// Takes the next batch. Returns `nil` and ends the lane if no append waits.
    ///
    /// A lane takes no more than its share of all callers. Otherwise the lanes would alternate between large and small
    /// batches.
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
        var batch = Batch(callers: queue.prefix(count), appends: queue.prefix(count).map(\.append))
        queue.removeFirst(count)
        sentCount += count
        latest.raise(&batch.appends)
        return batch
    }
}

extension Appender {
    /// Records appends in the caller's transaction, which must be READ COMMITTED and have the ``LedgerScope`` of all
    /// their ledgers.
    ///
    /// ```swift
    /// let results = try await pool.withTransaction(in: append.ledgers) { connection in
    ///     try await Appender.append([append], codes: codes, on: &connection)
    /// }
    /// ```
    ///
    /// Locks are taken in this order: heads by ledger id, claims, rows of the effects. A transaction that touches such
    /// rows before this call may deadlock with others. Nothing is durable before the commit, and a refused append does
    /// not end the transaction.
    ///
    /// - Parameters:
    ///   - codes: What makes the codes of the events.
    ///   - tolerance: How far events may be ahead of the database's clock; `nil` for no limit.
    /// - Returns: One result for each append, in order.
    /// - Throws: `PostgresError` if a statement fails, ``LedgerError/Code/effectRefused``, and
    ///   ``LedgerError/Code/unavailable`` if the database's answer is malformed. The transaction must then be rolled
    ///   back.
    public static func append(
        _ batch: [Append], codes: EventCodes, tolerance: Duration? = clockTolerance,
        on connection: inout PostgresConnection
    ) async throws -> [Result<AppendReceipt, LedgerError>] {
        var valid: [PreparedAppend] = []
        // The index in `batch` of each valid append.
        var indices: [Int] = []
        var results = [Result<AppendReceipt, LedgerError>](
            repeating: .failure(LedgerError(.unavailable, "an answer is missing")), count: batch.count)
        for (index, append) in batch.enumerated() {
            do throws(LedgerError) {
                valid.append(try PreparedAppend(append, codes: codes, tolerance: tolerance))
                indices.append(index)
            } catch {
                results[index] = .failure(error)
            }
        }
        do {
            let recorded = try await AppendTransaction.record(valid, on: &connection)
            try await AppendTransaction.runEffects(valid, recorded, on: &connection)
            for (index, result) in zip(indices, recorded) { results[index] = result }
            return results
        } catch let error as AppendTransaction.EffectRefused {
            throw LedgerError.effectRefused(constraint: error.constraint)
        } catch is UnexpectedOutcome {
            throw LedgerError(.unavailable, "the database's answer does not have the expected form")
        }
    }

    /// Returns the statement that creates missing heads of ledgers and locks all heads, in the order of their ids,
    /// until the transaction ends. It yields one row: the latest time of these ledgers. None of their new events may be
    /// earlier.
    ///
    /// Use it in a transaction that changes other rows of a ledger before it appends, to keep the order of locks.
    public static func lockingHeads(_ ledgers: some Sequence<LedgerID>) -> SQL {
        "SELECT tenure.lock_heads(\(ledgers.map(\.uuid)))"
    }

    /// Returns the statement that creates the missing heads of ledgers, without locking them.
    public static func makingHeads(_ ledgers: some Sequence<LedgerID>) -> SQL {
        "SELECT tenure.make_heads(\(ledgers.map(\.uuid)))"
    }

    /// Returns the statement that locks the head of one ledger and yields it as a ``LockedHead``. It does not create a
    /// missing head, and then yields no row.
    public static func lockingHead(_ ledger: LedgerID) -> SQL {
        "SELECT time, size FROM tenure.ledger WHERE ledger_id = \(ledger.uuid) FOR UPDATE"
    }
}

/// The latest times sent to the ledgers that were written to recently.
///
/// Raising an append's time before it is sent saves a round trip. The time in the ledger's head decides.
struct LatestTimes {
    /// How many ledgers are remembered. Then all are forgotten, which costs a few round trips.
    private static let capacity = 8_192

    private var times: [LedgerID: Timestamp] = [:]

    /// Raises the times of a batch so that time does not run backwards within a ledger, here and from batch to batch.
    mutating func raise(_ batch: inout [PreparedAppend]) {
        if times.count > Self.capacity { times = [:] }
        for index in batch.indices {
            let events = batch[index].append.events
            var time = batch[index].time
            for event in events { time = max(time, times[event.stream.ledger] ?? time) }
            // What is remembered may be of an append that was refused, so it makes none too late.
            if time > batch[index].time, !batch[index].isLate(time) { batch[index].setTime(time) }
            for event in events { times[event.stream.ledger] = time }
        }
    }
}

extension Result<AppendReceipt, LedgerError> {
    /// Whether the append was refused because its time is ahead of the database's clock.
    fileprivate var isRefusedByClock: Bool {
        if case .failure(let error) = self { error.code == .clock } else { false }
    }
}
