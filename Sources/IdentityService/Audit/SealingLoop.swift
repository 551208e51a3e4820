import Foundation
package import Ledger
package import Logging
package import Postgres
import ServiceLifecycle

/// Signs checkpoints of grown ledgers about once a second, and keeps the newest anchor in a file.
///
/// An appended event is vouched for from the next checkpoint on. Any number of processes may run a loop.
package struct SealingLoop: Service {
    /// The shortest and the longest pause between two rounds of signing.
    package static let interval: Duration = .seconds(1), longestPause: Duration = .seconds(8)
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
                do {
                    try await seal(&anchors)
                    let rest = sealing.memory.endRound()
                    if rest > SealMemory.longestRest {
                        logger.error(
                            "checkpoints rested for too long",
                            metadata: [
                                "seconds": "\(rest.components.seconds)",
                                "round": "\((clock.now - start).components.seconds)",
                            ])
                    }
                } catch is CancellationError { return } catch let error as AnchorFileError {
                    guard error.code != .conflict else {
                        logger.critical("the log does not contain the anchor", metadata: ["error": "\(error)"])
                        throw error
                    }
                    logger.error("the newest anchor is not kept", metadata: ["error": "\(error)"])
                } catch {
                    logger.warning("checkpoints could not be signed", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.pause(after: sealing.memory.look))
            }
        }
    }

    /// The time until the next round. Finding grown ledgers reads all heads and may take a twentieth of the time, but
    /// no checkpoint rests longer than ``SealMemory/longestRest`` for that.
    package static func pause(after look: Duration) -> Duration { min(max(interval, look * 19), longestPause) }

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
    /// The largest number of events that are compared with a checkpoint.
    private static let compared: Int64 = 100_000

    /// A ledger whose checkpoint is overdue.
    package struct Ledger: Sendable {
        package let id: LedgerID
        /// The number of its events.
        package let size: Int64
        /// The number of events that its checkpoint covers.
        package let sealed: Int64
        /// Whether these events differ from the checkpoint, so that no process signs another one; `nil` if that was not
        /// examined.
        package internal(set) var differs: Bool?
    }

    /// The first overdue ledgers, by id.
    package let ledgers: [Ledger]
    /// The number of overdue ledgers.
    package let count: Int
    /// The number of ledgers whose row of a checkpoint is not what the log's key signed.
    package let differing: Int

    /// Reads the overdue ledgers over a pool of the reader role. The system ledger is left out: its anchor is signed
    /// anew in each round.
    ///
    /// - Parameters:
    ///   - memory: What is known of checkpoints. What is not is verified, and kept in it.
    ///   - compares: Whether the named ledgers are compared with their checkpoints, which reads the events.
    /// - Throws: The error of the database.
    package static func read(
        _ pool: PostgresPool, _ memory: SealMemory, compares: Bool = false
    ) async throws -> SealDelay {
        let find = FindGrownLedgers(pool: pool), look = try await find.look()
        let others = look.filter { memory.sealed($0.ledger)?.size != $0.sealed && $0.sealed > 0 }
        var differing = 0
        for start in stride(from: 0, to: others.count, by: 1_000) {
            for row in try await find.rows(others[start..<min(start + 1_000, others.count)].map(\.ledger))
            where !memory.judge(row.checkpoint, of: row.ledger).isRight { differing += 1 }
        }
        let grown = look.compactMap { row -> Ledger? in
            let sealed = memory.sealed(row.ledger)?.size ?? 0
            return row.size > sealed ? Ledger(id: row.ledger, size: row.size, sealed: sealed) : nil
        }
        let old = try await overdue(grown, pool)
        let ledgers = grown.filter { old.contains($0.id) }
        var first = Array(ledgers.prefix(named))
        for index in first.indices where compares && first[index].sealed <= compared {
            first[index].differs = try await differs(first[index], pool, memory)
        }
        return SealDelay(ledgers: first, count: ledgers.count, differing: differing)
    }

    private static func differs(_ ledger: Ledger, _ pool: PostgresPool, _ memory: SealMemory) async throws -> Bool {
        guard let sealed = memory.sealed(ledger.id) else { return false }
        let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
        do { return try await reader.root(ledger.id, size: sealed.size).root != sealed.root } catch {
            guard error.code == .invalidEntry || error.code == .beyondHead else { throw error }
            return true
        }
    }

    /// Which of the ledgers have an event that has waited for too long.
    private static func overdue(_ grown: [Ledger], _ pool: PostgresPool) async throws -> Set<LedgerID> {
        guard !grown.isEmpty else { return [] }
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT l.ledger_id
                FROM unnest(\(grown.map(\.id.uuid)), \(grown.map(\.sealed))) AS g(ledger_id, sealed)
                JOIN tenure.ledger AS l USING (ledger_id)
                WHERE coalesce((
                    SELECT max(e."time") FROM tenure.event AS e
                    WHERE e.ledger_id = l.ledger_id AND e.position = g.sealed + 1), l."time")
                    < now() - \(allowed.components.seconds) * interval '1 second'
                """)
        }
        return Set(try rows.map { LedgerID(try $0.decode(UUID.self)) })
    }
}

/// The number of overdue ledgers as a gauge, cached between queries.
actor SealDelayGauge {
    private static let pause: Duration = .seconds(10)

    private let pool: PostgresPool
    private let memory: SealMemory
    private let disowned: DisownedEntries
    private var known: (count: Int, at: ContinuousClock.Instant)?

    init(pool: PostgresPool, memory: SealMemory, disowned: DisownedEntries) {
        self.pool = pool
        self.memory = memory
        self.disowned = disowned
    }

    /// The gauge in the Prometheus text format, if the database answers, and what this process's sealer found.
    func metrics() async -> String {
        let found = """
            # HELP tenure_disowned_events Rows of the log that no service wrote, and that the log disowns.
            # TYPE tenure_disowned_events gauge
            tenure_disowned_events \(disowned.count)

            """ + memory.metrics
        guard let count = try? await count() else { return found }
        return """
            # HELP tenure_unsealed_ledgers Ledgers with an event that no checkpoint has covered for a minute.
            # TYPE tenure_unsealed_ledgers gauge
            tenure_unsealed_ledgers \(count)

            """ + found
    }

    /// The number of overdue ledgers, at most ten seconds old.
    func count() async throws -> Int {
        if let known, .now - known.at < Self.pause { return known.count }
        let count = try await SealDelay.read(pool, memory).count
        known = (count, .now)
        return count
    }
}
