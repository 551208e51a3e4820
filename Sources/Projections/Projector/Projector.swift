public import Logging
public import Postgres
public import ServiceLifecycle

/// Follows the ledgers of tenants into the views, for as long as it runs.
///
/// Looking again and again is what finds events; ``nudge()`` and notifications only make it look sooner. Rows and
/// progress of a batch are committed together, after the progress was locked and compared, so any number of projectors
/// may run at once and any of them may be killed at any moment; a lease keeps all but one from working for nothing. A
/// view that cannot take an event stops at that ledger, records why, and is tried again after ``retryPause``; other views
/// and other ledgers go on.
public struct Projector: Service {
    /// How long a view that stopped rests before its event is tried again.
    public static let retryPause: Duration = .seconds(60)
    /// How many ledgers are followed at the same moment.
    static let width = 4

    let pool: PostgresPool
    let logger: Logger
    let pageSize: Int
    let retryPause: Duration
    /// Whether only one projector at a time is to work; any number may.
    let takesTurns: Bool
    /// How long its turn lasts if it vanishes.
    private let leaseLifetime: Duration
    private let signals: AsyncStream<Void>
    private let signaller: AsyncStream<Void>.Continuation
    /// Whether it is to look whatever the pace; apart from the signals, of which only the last one is kept.
    private let isNudged = Lock(false)
    private let leads = Lock(false)

    /// A projector over a pool of the reader role with at least six connections.
    public init(pool: PostgresPool, logger: Logger) {
        self.init(pool: pool, logger: logger, pageSize: LedgerFollower.pageSize)
    }

    /// - Parameter pageSize: How many events of a ledger share a transaction.
    init(
        pool: PostgresPool, logger: Logger, pageSize: Int, takesTurns: Bool = true,
        retryPause: Duration = Projector.retryPause, leaseLifetime: Duration = Lease.lifetime
    ) {
        self.pool = pool
        self.logger = logger
        self.pageSize = pageSize
        self.takesTurns = takesTurns
        self.retryPause = retryPause
        self.leaseLifetime = leaseLifetime
        (signals, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes the projector look now: for an appender in the same process.
    public func nudge() {
        isNudged.withLock { $0 = true }
        signaller.yield()
    }

    /// Whether it is this projector that works, as far as it knows.
    public var isLeading: Bool { leads.withLock { $0 } }

    /// Follows until the task is cancelled or a graceful shutdown begins. Run it once.
    public func run() async throws {
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
        var lease = Lease("projector", pool: pool, lifetime: leaseLifetime)
        var pace = PollPace()
        var round = newRound()
        var retryAt = ContinuousClock.now + retryPause
        for await _ in signals {
            let isNudged = isNudged.withLock { $0 }
            if isNudged {
                try? await Task.sleep(for: pace.gap(at: .now))
                // What nudges from now on may be later than what this look sees.
                self.isNudged.withLock { $0 = false }
            }
            let began = ContinuousClock.now
            guard isNudged || pace.isDue(at: began) else { continue }
            do {
                guard try await isTurn(&lease) else {
                    // What was remembered grows old while another one works.
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
                logger.warning("the views could not be followed", metadata: ["error": "\(error)"])
                pace.failed(at: .now)
            }
        }
        leads.withLock { $0 = false }
        await lease.release()
    }

    private func isTurn(_ lease: inout Lease) async throws -> Bool {
        // Where a later version of the program has built views, following is for programs of that version.
        let isTurn = takesTurns ? try await lease.hold { try await !ViewRevisions.read(pool).isOutlived } : true
        leads.withLock { $0 = isTurn }
        return isTurn
    }

    private func newRound() -> ProjectorRound { ProjectorRound(pool: pool, logger: logger, pageSize: pageSize) }
}
