package import Ledger
package import Logging
package import Postgres
import ServiceLifecycle

/// Applies the events of tenants' ledgers to the projections while it runs.
///
/// ```swift
/// let projector = Projector(pool: readerPool, codes: codes, logger: logger)  // run it, usually in a `ServiceGroup`
/// projector.nudge()                                                 // after an append in the same process
/// ```
///
/// The projector finds events by polling; ``nudge()`` and notifications only make it poll sooner. It commits the rows
/// and the progress of a batch together, after locking and comparing the progress. Any number of projectors may
/// therefore run at once, and any may be killed at any moment. A lease keeps all but one idle. A projection that cannot
/// apply an event stops at that ledger and records why. The projector tries it again after ``retryPause``; other
/// projections and ledgers continue.
package struct Projector: Service {
    /// How long a stopped projection rests before its event is tried again.
    package static let retryPause: Duration = .seconds(60)
    /// How many ledgers are processed concurrently.
    static let width = 4

    let pool: PostgresPool
    private let codes: EventCodes
    let logger: Logger
    let pageSize: Int
    let retryPause: Duration
    /// Whether projectors use the lease. It is not required for correctness.
    let takesTurns: Bool
    /// How long the lease lasts if this process vanishes.
    private let leaseLifetime: Duration
    private let signals: AsyncStream<Void>
    private let signaller: AsyncStream<Void>.Continuation
    /// Whether to poll regardless of the pace. It is separate from the signals, of which only the last is kept.
    private let isNudged = Lock(false)
    private let leads = Lock(false)

    /// A projector over a pool of the reader role with at least six connections.
    package init(pool: PostgresPool, codes: EventCodes, logger: Logger) {
        self.init(pool: pool, codes: codes, logger: logger, pageSize: LedgerFollower.pageSize)
    }

    /// - Parameter pageSize: How many events of a ledger share a transaction.
    init(
        pool: PostgresPool, codes: EventCodes, logger: Logger, pageSize: Int, takesTurns: Bool = true,
        retryPause: Duration = Projector.retryPause, leaseLifetime: Duration = LeaderLease.lifetime
    ) {
        self.pool = pool
        self.codes = codes
        self.logger = logger
        self.pageSize = pageSize
        self.takesTurns = takesTurns
        self.retryPause = retryPause
        self.leaseLifetime = leaseLifetime
        (signals, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes the projector poll now. For an appender in the same process.
    package func nudge() {
        isNudged.withLock { $0 = true }
        signaller.yield()
    }

    /// Whether this projector holds the lease, as far as it knows.
    package var isLeading: Bool { leads.withLock { $0 } }

    /// Applies events until the task is cancelled or a graceful shutdown begins. Call it once. It throws nothing.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup { group in
                group.addTask {
                    while (try? await Task.sleep(for: PollPace.shortest)) != nil { signaller.yield() }
                }
                group.addTask { await FeedHints.listen(pool, logger) { nudge() } }
                await follow()
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            signaller.finish()
        }
    }

    private func follow() async {
        var lease = LeaderLease("projector", pool: pool, lifetime: leaseLifetime)
        var pace = PollPace()
        var round = newRound()
        var retryAt = ContinuousClock.now + retryPause
        for await _ in signals {
            let isNudged = isNudged.withLock { $0 }
            if isNudged {
                try? await Task.sleep(for: pace.gap(at: .now))
                // A nudge from here on may concern events that this poll does not see.
                self.isNudged.withLock { $0 = false }
            }
            let began = ContinuousClock.now
            guard isNudged || pace.isDue(at: began) else { continue }
            do {
                guard try await isTurn(&lease) else {
                    // While another projector works, remembered positions become stale.
                    round = newRound()
                    pace.waits(at: .now)
                    continue
                }
                if began >= retryAt {
                    round.retryStopped()
                    retryAt = began + retryPause
                }
                let (found, more) = try await round.run()
                let ended = ContinuousClock.now
                pace.looked(found, took: ended - began, at: ended)
                if more { nudge() }
            } catch {
                guard !Task.isCancelled else { break }
                logger.warning("the projector could not update the projections", metadata: ["error": "\(error)"])
                pace.failed(at: .now)
            }
        }
        leads.withLock { $0 = false }
        await lease.release()
    }

    private func isTurn(_ lease: inout LeaderLease) async throws -> Bool {
        // If a later version of the program has built projections, only programs of that version apply events.
        let isTurn = takesTurns ? try await lease.hold { try await !ViewRevisions.read(pool).isOutlived } : true
        leads.withLock { $0 = isTurn }
        return isTurn
    }

    private func newRound() -> ProjectorRound {
        ProjectorRound(pool: pool, codes: codes, logger: logger, pageSize: pageSize)
    }
}

/// The pace of polling: fast while there are events that projections consume, slower while there are not. While there
/// are none at all, polling takes at most a fifth of the time.
struct PollPace: Sendable {
    /// The pause after something was found, and the tick that drives polling.
    static let shortest: Duration = .milliseconds(50)
    /// The pause after no consumed event was found for a while.
    static let longest: Duration = .milliseconds(200)
    /// The pause between a poll and one caused by a nudge, so that events written meanwhile are found together.
    static let nudged: Duration = .milliseconds(10)

    /// The result of a poll.
    enum Found: Sendable {
        /// Events that a projection may consume.
        case changes
        /// Events that no projection consumes: only positions moved.
        case positions
        case nothing
    }

    private var pause = shortest
    private var last: ContinuousClock.Instant?

    func isDue(at now: ContinuousClock.Instant) -> Bool { last.map { now - $0 >= pause } ?? true }

    /// How long a nudge has to wait.
    func gap(at now: ContinuousClock.Instant) -> Duration {
        last.map { min(max(Self.nudged - (now - $0), .zero), Self.nudged) } ?? .zero
    }

    /// Notes a poll that ended `now` and took `duration`.
    mutating func looked(_ found: Found, took duration: Duration, at now: ContinuousClock.Instant) {
        last = now
        let longer = min(pause * 3 / 2, Self.longest)
        switch found {
        case .changes: pause = Self.shortest
        case .positions: pause = longer
        case .nothing: pause = max(longer, duration * 4)
        }
    }

    /// Notes a failed poll, so that the next one does not burden the database at once.
    mutating func failed(at now: ContinuousClock.Instant) {
        last = now
        pause = .seconds(1)
    }

    /// Notes that another program holds the lease.
    mutating func waits(at now: ContinuousClock.Instant) {
        last = now
        pause = Self.longest
    }
}

/// Tells projectors of other processes that there is something to read.
///
/// A hint carries no data, and may be lost: polling finds the events. Hints are sent after appends and separately from
/// them, because a transaction that notifies takes a server-wide lock when it commits. Many appends share one hint.
package struct FeedHints: Service {
    static let channel = "tenure_feed"
    /// The pause between two hints.
    static let pause: Duration = .milliseconds(20)

    let pool: PostgresPool
    let logger: Logger
    private let signals: AsyncStream<Void>
    private let signaller: AsyncStream<Void>.Continuation

    /// Hints sent over a pool of any role.
    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
        (signals, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Requests a hint and returns at once.
    package func signal() { signaller.yield() }

    /// Sends hints until the task is cancelled or a graceful shutdown begins. Call it once. It throws nothing.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            for await _ in signals {
                do {
                    _ = try await pool.withConnection { connection in
                        try await connection.query("SELECT pg_notify(\(Self.channel), '')")
                    }
                } catch {
                    logger.debug("a hint was not sent", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.pause)
            }
        } onCancelOrGracefulShutdown: {
            signaller.finish()
        }
    }

    /// Calls `body` for every hint, on its own connection, until the task is cancelled.
    static func listen(_ pool: PostgresPool, _ logger: Logger, _ body: @Sendable () -> Void) async {
        while !Task.isCancelled {
            do {
                try await pool.withConnection { connection in
                    try await connection.listen(channel)
                    while true {
                        _ = try await connection.nextNotification()
                        body()
                    }
                }
            } catch {
                logger.debug("hints do not arrive", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }
}
