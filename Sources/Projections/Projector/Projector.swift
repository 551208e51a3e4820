public import Logging
public import Postgres
public import ServiceLifecycle

/// Follows the ledgers of tenants into the views, for as long as it runs.
///
/// Looking again and again is what finds events; ``nudge()`` only makes it look sooner. Rows and progress of a batch are
/// committed together, after the progress was locked and compared, so any number of projectors may run at once and any
/// of them may be killed at any moment. A view that cannot take an event stops at that ledger, records why, and is tried
/// again after ``retryPause``; other views and other ledgers go on.
public struct Projector: Service {
    /// How long a view that stopped rests before its event is tried again.
    public static let retryPause: Duration = .seconds(60)
    /// How many ledgers are followed at the same moment.
    static let width = 2

    enum Signal: Sendable { case tick, nudge }

    let pool: PostgresPool
    let logger: Logger
    let pageSize: Int
    private let signals: AsyncStream<Signal>
    private let signaller: AsyncStream<Signal>.Continuation

    /// A projector over a pool of the reader role with at least three connections.
    public init(pool: PostgresPool, logger: Logger) {
        self.init(pool: pool, logger: logger, pageSize: LedgerFollower.pageSize)
    }

    /// - Parameter pageSize: How many events of a ledger share a transaction.
    init(pool: PostgresPool, logger: Logger, pageSize: Int) {
        self.pool = pool
        self.logger = logger
        self.pageSize = pageSize
        (signals, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes the projector look now: for an appender in the same process.
    public func nudge() { signaller.yield(.nudge) }

    /// Follows until the task is cancelled or a graceful shutdown begins. Run it once.
    public func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup { group in
                group.addTask {
                    while (try? await Task.sleep(for: PollPace.shortest)) != nil { signaller.yield(.tick) }
                }
                await follow()
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            signaller.finish()
        }
    }

    private func follow() async {
        var pace = PollPace()
        var round = ProjectorRound(pool: pool, logger: logger, pageSize: pageSize)
        for await signal in signals {
            let began = ContinuousClock.now
            guard signal == .nudge || pace.isDue(at: began) else { continue }
            do {
                let found = try await round.run()
                let ended = ContinuousClock.now
                pace.looked(found: found.events, took: ended - began, at: ended)
                if found.more { signaller.yield(.nudge) }
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("the views could not be followed", metadata: ["error": "\(error)"])
                pace.failed(at: .now)
            }
        }
    }
}
