import Ledger
import Logging
import Postgres
import ServiceLifecycle
import Synchronization

/// Looks for ledgers that are ahead of the clock, and for those whose checkpoint is overdue. The log says once that it
/// began, and once that it ended.
final class LedgerWatch: Service {
    /// The time between two looks. A look at the checkpoints costs more; every sixth one is.
    static let interval: Duration = .seconds(10)

    private struct State {
        var ahead = LedgersAhead(ledgers: [], count: 0)
        var overdue = 0
    }

    private let pool: PostgresPool
    private let delays: SealDelayGauge
    private let boundsTimes: Bool
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - pool: Connections of the reader role.
    ///   - boundsTimes: Whether appends are bound by the database's clock. If not, no ledger is stopped.
    init(pool: PostgresPool, delays: SealDelayGauge, boundsTimes: Bool, logger: Logger) {
        self.pool = pool
        self.delays = delays
        self.boundsTimes = boundsTimes
        self.logger = logger
    }

    /// The ledgers that were ahead at the last look.
    var ahead: LedgersAhead { state.withLock { $0.ahead } }

    /// Looks until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var number = 0
            while !Task.isCancelled {
                await self.look(atSeals: number % 6 == 0)
                number += 1
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    /// Looks now. What the database does not answer stays as it was.
    func look(atSeals: Bool = true) async {
        if boundsTimes, let found = try? await LedgersAhead.read(pool) {
            let before = state.withLock { state in
                defer { state.ahead = found }
                return state.ahead.count
            }
            tell(
                found.count, before, "ledgers are ahead of the database's clock and take no events; run tenure doctor",
                "no ledger is ahead of the database's clock any more", found.ledgers)
        }
        if atSeals, let overdue = try? await delays.count() {
            let before = state.withLock { state in
                defer { state.overdue = overdue }
                return state.overdue
            }
            tell(
                overdue, before, "ledgers have lacked a current checkpoint for a minute; run tenure doctor",
                "every ledger has a current checkpoint again")
        }
    }

    private func tell(_ count: Int, _ before: Int, _ begin: String, _ end: String, _ ledgers: [LedgerID] = []) {
        guard (count > 0) != (before > 0) else { return }
        var metadata: Logger.Metadata = count > 0 ? ["count": "\(count)"] : [:]
        if let first = ledgers.first { metadata["ledger"] = "\(first)" }
        logger.warning("\(count > 0 ? begin : end)", metadata: metadata)
    }
}
