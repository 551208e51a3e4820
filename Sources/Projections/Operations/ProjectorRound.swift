import FoundationEssentials
import Ledger
import Logging
import Postgres

/// The polling state of a projector. All of it may be lost.
struct ProjectorRound {
    /// How long a ledger rests that could not be processed for a reason other than an event.
    private static let rest: Duration = .seconds(1)

    private let follower: LedgerFollower
    private let pool: PostgresPool
    private let logger: Logger
    private let pageSize: Int
    private var mark: FeedMark?
    private var sweep = LedgerSweep()
    private var queue = LedgerQueue()
    private var stopped: [LedgerID: Set<ProjectionName>] = [:]

    init(pool: PostgresPool, codes: EventCodes, logger: Logger, pageSize: Int) {
        self.pool = pool
        self.pageSize = pageSize
        self.logger = logger
        follower = LedgerFollower(pool: pool, reader: LedgerReader(pool: pool, codes: codes, storesTiles: false))
    }

    /// Processes every ledger that has grown, at most one page of each if an event changes a projection.
    ///
    /// - Returns: What was found, and whether there is more to do at once.
    mutating func run() async throws -> (found: PollPace.Found, more: Bool) {
        try await discover()
        let (outcomes, left) = await steps.run(queue.removeAll())
        for ledger in left { queue.add(ledger) }
        var failure: (any Error)?
        for outcome in outcomes {
            let ledger = outcome.ledger
            switch outcome.result {
            case .success(let step?):
                if step.position < step.size { queue.add(ledger) }
                for failure in step.failures { report(failure, ledger) }
            case .success(nil): queue.add(ledger, at: .now + PollPace.shortest)
            case .failure(let error):
                queue.add(ledger, at: .now + Self.rest)
                failure = error
            }
        }
        // One failing ledger must not hold up the others.
        if let failure {
            guard outcomes.contains(where: { (try? $0.result.get()) != nil }) else { throw failure }
            logger.warning("the projector could not update a ledger", metadata: ["error": "\(failure)"])
        }
        let found: PollPace.Found =
            outcomes.isEmpty ? .nothing : outcomes.contains { !$0.isPassed } ? .changes : .positions
        return (found, !queue.isEmpty || sweep.isDue(at: .now))
    }

    /// Queues the ledgers that changed since the last poll, and those that a page of the sweep finds.
    private mutating func discover() async throws {
        let changes = try await follower.reader.changes(since: mark)
        if let ledgers = changes.ledgers {
            for ledger in ledgers.keys where TenantLedgers.contains(ledger) { queue.add(ledger) }
        } else {
            sweep = LedgerSweep()
        }
        // The mark moves only after its ledgers are in the queue.
        mark = changes.mark
        queue.wake(at: .now)
        if sweep.isDue(at: .now) {
            for ledger in try await sweep.page(pool) { queue.add(ledger) }
        }
    }

    private var steps: LedgerSteps {
        LedgerSteps(
            follower: follower, pass: LedgerPass(pool: pool), logger: logger, pageSize: pageSize, stopped: stopped)
    }

    private mutating func report(_ progress: ProjectionBatch.Progress, _ ledger: LedgerID) {
        stopped[ledger, default: []].insert(progress.projection)
        logger.error(
            "a projection has stopped",
            metadata: [
                "view": "\(progress.projection)", "ledger": "\(ledger)",
                "position": "\(progress.failure?.position ?? progress.position)",
                "reason": "\(progress.failure?.reason ?? "")",
            ])
    }

    /// Queues the ledgers where projections have stopped, to try their events again.
    mutating func retryStopped() {
        for ledger in stopped.keys { queue.add(ledger) }
        stopped = [:]
    }
}

/// The ledgers to process, each once, in the order in which they were found.
struct LedgerQueue: Sendable {
    private var order: [LedgerID] = []
    private var members: Set<LedgerID> = []
    /// Ledgers that rest until a moment.
    private var resting: [LedgerID: ContinuousClock.Instant] = [:]

    var isEmpty: Bool { order.isEmpty }
    var count: Int { order.count }

    /// Adds a ledger unless it is already queued.
    mutating func add(_ ledger: LedgerID) {
        if members.insert(ledger).inserted { order.append(ledger) }
    }

    /// Adds a ledger at a later moment.
    mutating func add(_ ledger: LedgerID, at moment: ContinuousClock.Instant) { resting[ledger] = moment }

    /// Adds the ledgers whose moment has come.
    mutating func wake(at now: ContinuousClock.Instant) {
        for (ledger, moment) in resting where moment <= now {
            resting[ledger] = nil
            add(ledger)
        }
    }

    /// Takes all ledgers out.
    mutating func removeAll() -> [LedgerID] {
        defer {
            order = []
            members = []
        }
        return order
    }
}

/// Compares every ledger with its projections, a bounded number at a time, and starts again at the end.
///
/// It finds what happened before a projector started. Later it is a safety net for the feed.
struct LedgerSweep: Sendable {
    /// How many ledgers one page examines.
    static let pageSize: Int64 = 5_000
    /// How long after its end a sweep starts again.
    static let pause: Duration = .seconds(600)

    private var after: UUID?
    private var nextAt: ContinuousClock.Instant?

    func isDue(at now: ContinuousClock.Instant) -> Bool { nextAt.map { $0 <= now } ?? true }

    /// Returns the ledgers of the next page whose live projections are behind.
    mutating func page(_ pool: PostgresPool) async throws -> [LedgerID] {
        let start: SQL = after.map { "WHERE ledger_id > \($0)" } ?? ""
        let heads: SQL = "SELECT ledger_id, size FROM tenure.ledger \(start) ORDER BY ledger_id LIMIT \(Self.pageSize)"
        let (behind, last, count) = try await pool.withConnection { [after] connection in
            let heads = try await connection.query(heads).map { row in try row.decode(UUID.self, Int64.self) }
            guard let last = heads.last?.0 else { return ([UUID](), UUID?.none, 0) }
            let positions = try await connection.query(Self.positions(after: after, through: last))
                .map { row in try row.decode(UUID.self, Int64.self) }
            let reached = Dictionary(positions, uniquingKeysWith: { first, _ in first })
            let behind = heads.filter { ledger, size in size > reached[ledger] ?? 0 }.map(\.0)
            return (behind, last, heads.count)
        }
        let isLast = Int64(count) < Self.pageSize
        after = isLast ? nil : last
        nextAt = isLast ? .now + Self.pause : nil
        return behind.map { LedgerID($0) }.filter(TenantLedgers.contains)
    }

    /// The query for the positions that all live projections have reached, of ledgers in a range. A ledger that one of
    /// them has not begun is left out.
    private static func positions(after: UUID?, through last: UUID) -> SQL {
        let start: SQL = after.map { "AND p.ledger_id > \($0)" } ?? ""
        return """
            SELECT p.ledger_id, min(p.position) FROM tenure.projection_progress AS p
            JOIN tenure.projection_generation AS g ON g.projection = p.projection AND g.live = p.generation
            WHERE p.ledger_id <= \(last) \(start) AND p.projection = ANY (\(ReadModels.all.map { $0.name.rawValue }))
            GROUP BY p.ledger_id HAVING count(*) = \(Int64(ReadModels.all.count))
            """
    }
}

/// The ledgers that feed the projections: those of tenants. The kind of ledger decides, never the type of an event.
enum TenantLedgers {
    private static let others = Set(LedgerID.directories + [.system])

    /// Whether the ledger belongs to a tenant.
    static func contains(_ ledger: LedgerID) -> Bool { !others.contains(ledger) }

    /// Returns all tenants' ledgers with their sizes, or one of them, in the order of ids. It needs a pool of the
    /// reader role.
    static func all(_ pool: PostgresPool, only: LedgerID? = nil) async throws -> [(id: LedgerID, size: Int64)] {
        let filter: SQL = only.map { "AND ledger_id = \($0.uuid)" } ?? ""
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                "SELECT ledger_id, size FROM tenure.ledger WHERE size > 0 \(filter) ORDER BY ledger_id")
        }
        return try rows.compactMap { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return contains(LedgerID(ledger)) ? (LedgerID(ledger), size) : nil
        }
    }
}
