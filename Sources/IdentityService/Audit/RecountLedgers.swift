package import Ledger
package import Logging
package import Postgres
import ServiceLifecycle

/// Recounts the events of all ledgers against their newest checkpoints, one ledger after another, without end.
///
/// It finds an event that somebody changed, hid or deleted below a checkpoint, without anybody running `tenure verify`.
/// The sealer compares what lies behind the checkpoints.
package struct RecountLedgers: Service {
    /// How many events are read at once.
    private static let page = 1_000
    /// The pause after a round, and after an error.
    private static let pause: Duration = .seconds(60)

    private let reader: LedgerReader
    private let ledgers: FindGrownLedgers
    private let memory: SealMemory
    private let period: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - pool: Connections of the reader role.
    ///   - memory: What is known of checkpoints; it takes the alarms.
    ///   - period: The longest time that a whole round may take.
    package init(pool: PostgresPool, codes: EventCodes, memory: SealMemory, period: Duration, logger: Logger) {
        reader = LedgerReader(pool: pool, codes: codes, storesTiles: false)
        ledgers = FindGrownLedgers(pool: pool)
        self.memory = memory
        self.period = period
        self.logger = logger
    }

    /// Recounts until the task is cancelled or a graceful shutdown begins. A round that fails is logged and repeated.
    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await round() } catch is CancellationError { return } catch {
                    logger.warning("the ledgers could not be recounted", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: min(Self.pause, period))
            }
        }
    }

    /// Recounts each ledger that has a checkpoint once. Reading takes a twentieth of the time, or more if a whole round
    /// would else take longer than the period.
    package func round() async throws {
        let sizes = try await ledgers.look()
        let pages = sizes.reduce(1) { $0 + $1.sealed / Int64(Self.page) + 1 }
        // A fifth is left for ledgers that grow meanwhile.
        let share = period * 0.8 / Double(pages)
        for ledger in try await ledgers.withoutHead() { reader.codes.disowned.reportFalseHead(of: ledger) }
        for ledger in [.system] + sizes.map(\.ledger) {
            guard let sealed = memory.sealed(ledger) else { continue }
            let reason = try await fault(of: ledger, sealed, share)
            guard memory.recounted(ledger, reason), let reason else { continue }
            logger.error(
                "a ledger does not contain what was signed; run tenure verify",
                metadata: ["ledger": "\(ledger)", "reason": "\(reason)"])
        }
    }

    /// What is wrong with a ledger up to its checkpoint; `nil` if nothing is.
    private func fault(of ledger: LedgerID, _ sealed: SealMemory.Sealed, _ share: Duration) async throws -> String? {
        var frontier = MerkleFrontier()
        while frontier.size < sealed.size {
            let start = ContinuousClock.now
            let page = try await reader.entries(
                of: ledger, after: frontier.size, through: sealed.size, limit: Self.page, without: [],
                leavingDisowned: true)
            for entry in page.entries where entry.position == frontier.size + 1 {
                frontier.append(MerkleTree.leafHash(entry.bytes))
                // The code covers the entry; the columns decide to which stream it belongs.
                guard entry.isDisowned || entry.placeOfPosition != nil || (try? entry.event()) != nil else {
                    return "it has an event that no service wrote"
                }
            }
            guard page.entries.last?.position == frontier.size else {
                return "it lacks an event that its checkpoint covers"
            }
            let took = ContinuousClock.now - start
            try await Task.sleep(for: max(.zero, min(took * 19, share - took)))
        }
        return frontier.root == sealed.root ? nil : "it differs from its signed checkpoint"
    }
}
