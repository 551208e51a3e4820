import Foundation
package import Ledger
package import Logging
package import Postgres
import ServiceLifecycle

/// Signs checkpoints of grown ledgers about once a second, and keeps the newest anchor in a file.
///
/// An appended event is vouched for from the next checkpoint on. Any number of processes may run a loop.
package struct SealingLoop: Service {
    /// The shortest time between two rounds of signing.
    package static let interval: Duration = .seconds(1)
    private let sealing: SignGrownLedgers
    private let keeper: AnchorKeeper?
    private let newest: NewestServer?
    private let logger: Logger

    /// Runs `sealing`, and writes each anchor to the file of `keeper`, if any.
    ///
    /// - Parameter newest: The memory of the newest server. It requires each new anchor's size of every server from
    ///   then on, and its server is written beside the anchor.
    package init(_ sealing: SignGrownLedgers, keeper: AnchorKeeper?, newest: NewestServer? = nil, logger: Logger) {
        self.sealing = sealing
        self.keeper = keeper
        self.newest = newest
        self.logger = logger
    }

    /// Signs checkpoints until the task is cancelled or a graceful shutdown begins. A round that fails is logged and
    /// repeated.
    ///
    /// - Throws: ``AnchorFileError/Code/conflict`` if the log no longer contains what the anchor file vouches for. The
    ///   process must end then, as it would not start.
    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            let clock = ContinuousClock()
            // The file may lack the server, or name the one before a failover.
            var anchors = Anchors(kept: try? keeper?.file.read())
            while !Task.isCancelled {
                let start = clock.now
                var pause = Self.interval
                do {
                    try await seal(&anchors)
                    // Finding grown ledgers reads all heads, and may take at most a twentieth of the time.
                    pause = max(pause, (clock.now - start) * 19)
                } catch is CancellationError { return } catch let error as AnchorFileError {
                    guard error.code != .conflict else {
                        logger.critical("the log does not contain the anchor", metadata: ["error": "\(error)"])
                        throw error
                    }
                    logger.error("the newest anchor is not kept", metadata: ["error": "\(error)"])
                } catch {
                    logger.warning("checkpoints could not be signed", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// The anchors of a process.
    private struct Anchors: Sendable {
        /// The one that the file held last.
        var kept: Anchor?
        /// The newest one, until the file holds it.
        var newest: Anchor?
    }

    private func seal(_ anchors: inout Anchors) async throws {
        if let signed = try await sealing.run() {
            newest?.require(progress: signed.checkpoint.checkpoint.size)
            anchors.newest = signed
        }
        guard let keeper, let last = anchors.newest ?? anchors.kept else { return }
        let anchor = last.on(newest?.identity ?? anchors.kept?.server)
        anchors.kept = try await keeper.keep(anchor, after: anchors.kept)
        anchors.newest = nil
    }
}

/// Reports ledgers whose checkpoints are overdue. An operator must look at them: no process signs checkpoints, or a
/// ledger differs from its last checkpoint and is refused.
package struct SealDelay: Sendable {
    /// The longest time that an event may wait for a checkpoint; checkpoints are signed every second.
    package static let allowed: Duration = .seconds(60)
    /// The largest number of ledgers that are named.
    package static let named = 20

    /// A ledger whose checkpoint is overdue.
    package struct Ledger: Sendable {
        package let id: LedgerID
        /// The number of its events.
        package let size: Int64
        /// The number of events that its checkpoint covers.
        package let sealed: Int64
    }

    /// The first overdue ledgers, by id.
    package let ledgers: [Ledger]
    /// The number of overdue ledgers.
    package let count: Int

    /// Reads the overdue ledgers over a pool of the reader role. The system ledger is left out: its anchor is signed
    /// anew in each round.
    ///
    /// - Throws: The error of the database.
    package static func read(_ pool: PostgresPool) async throws -> SealDelay {
        let seconds = allowed.components.seconds
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT l.ledger_id, l.size, coalesce(c.size, 0), count(*) OVER ()
                FROM tenure.ledger AS l LEFT JOIN tenure.checkpoint AS c USING (ledger_id)
                WHERE l.ledger_id <> \(LedgerID.system.uuid) AND l.size > coalesce(c.size, 0)
                    AND coalesce((
                        SELECT e."time" FROM tenure.event AS e
                        WHERE e.ledger_id = l.ledger_id AND e.position = coalesce(c.size, 0) + 1), l."time")
                        < now() - \(seconds) * interval '1 second'
                ORDER BY l.ledger_id LIMIT \(Int64(named))
                """)
        }
        var count: Int64 = 0
        let ledgers = try rows.map { row in
            let (id, size, sealed, all) = try row.decode(UUID.self, Int64.self, Int64.self, Int64.self)
            count = all
            return Ledger(id: LedgerID(id), size: size, sealed: sealed)
        }
        return SealDelay(ledgers: ledgers, count: Int(count))
    }
}

/// The number of overdue ledgers as a gauge, cached between queries.
actor SealDelayGauge {
    private static let pause: Duration = .seconds(10)

    private let pool: PostgresPool
    private var known: (count: Int, at: ContinuousClock.Instant)?

    init(pool: PostgresPool) { self.pool = pool }

    /// The gauge in the Prometheus text format; empty if the database does not answer.
    func metrics() async -> String {
        guard let count = try? await count() else { return "" }
        return """
            # HELP tenure_unsealed_ledgers Ledgers with an event that no checkpoint has covered for a minute.
            # TYPE tenure_unsealed_ledgers gauge
            tenure_unsealed_ledgers \(count)

            """
    }

    private func count() async throws -> Int {
        if let known, .now - known.at < Self.pause { return known.count }
        let count = try await SealDelay.read(pool).count
        known = (count, .now)
        return count
    }
}
