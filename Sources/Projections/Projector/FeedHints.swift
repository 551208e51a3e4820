public import Logging
public import Postgres
public import ServiceLifecycle

/// Tells projectors of other processes that there is something to read.
///
/// A hint and no more: nothing is in it, any of them may be lost, and looking again and again is what finds events. It
/// is sent after the appends and apart from them, because a transaction that notifies takes a lock of the whole server
/// when it commits; many appends share one.
public struct FeedHints: Service {
    static let channel = "tenure_feed"
    /// The pause between two hints.
    static let pause: Duration = .milliseconds(20)

    let pool: PostgresPool
    let logger: Logger
    private let signals: AsyncStream<Void>
    private let signaller: AsyncStream<Void>.Continuation

    /// Sends hints over a pool of any role.
    public init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
        (signals, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Has a hint sent soon; returns at once.
    public func signal() { signaller.yield() }

    /// Sends hints until the task is cancelled or a graceful shutdown begins. Run it once.
    public func run() async throws {
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

    /// Calls `body` for every hint, on a connection of its own, until the task is cancelled.
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
                logger.debug("hints are not heard", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }
}
