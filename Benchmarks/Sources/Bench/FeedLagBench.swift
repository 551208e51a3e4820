import EventCoding
import Foundation
import Keys
import Ledger
import Postgres
import Projections

/// How far views are behind: from the moment an append is answered to the one at which all views have taken it.
struct FeedLagBench: Benchmark {
    static let name = "lag"
    static let measures: [Measure] = [.lagRate, .lagMedian, .lag99]

    private static let database = "bench_lag"
    private static let appendsPerSecond = 1_667.0
    private static let companies = 32

    private let cluster: Cluster
    private let plan: Plan
    private let masters = MasterKeys.random()
    private let foundings: [RecordedEvent]

    /// Has people found companies through the service; employees are appended to these.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing companies that grow")
        self.cluster = cluster
        self.plan = plan
        foundings = try await FoundedCompanies(cluster: cluster, database: Self.database, masters: masters)
            .make(Self.companies)
    }

    /// Three events in one append, 1,667 times a second, while the service's projector follows them by hints.
    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        let (cluster, foundings, seconds) = (cluster, foundings, plan.logInSeconds)
        let lag = try await BenchService(cluster, Self.database, masters).run { _ in
            let application = try cluster.configuration(Self.database, as: "tenure_app")
            let reader = try cluster.configuration(Self.database, as: "tenure_reader")
            return try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
                try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
                    try await LagSample(pool: pool, readers: readers, masters: masters, foundings: foundings)
                        .run(rate: Self.appendsPerSecond, seconds: seconds)
                }
            }
        }
        results.record(.lagRate, lag.rate)
        results.record(.lagMedian, lag.median)
        results.record(.lag99, lag.percentile99)
    }
}

/// Appends at a rate, and watches how far the views are.
private struct LagSample: Sendable {
    let pool: PostgresPool
    let readers: PostgresPool
    let masters: MasterKeys
    let foundings: [RecordedEvent]

    /// What was seen: events per second, and milliseconds.
    struct Lag: Sendable {
        let rate: Double
        let median: Double
        let percentile99: Double
    }

    /// Positions that were answered, and when.
    private actor Answered {
        private var waiting: [LedgerID: [(position: Int64, at: ContinuousClock.Instant)]] = [:]
        private(set) var lags: [Double] = []
        var isEmpty: Bool { waiting.values.allSatisfy(\.isEmpty) }

        func answered(_ ledger: LedgerID, _ position: Int64) { waiting[ledger, default: []].append((position, .now)) }

        /// Takes note of how far all views of a ledger are.
        func reached(_ ledger: LedgerID, _ position: Int64) {
            let now = ContinuousClock.now
            waiting[ledger]?.removeAll { entry in
                guard entry.position <= position else { return false }
                lags.append((now - entry.at).inSeconds * 1_000)
                return true
            }
        }
    }

    func run(rate: Double, seconds: Int) async throws -> Lag {
        let ring = try await KeyRing.load(from: pool, masters: masters)
        let appender = Appender(pool: pool, codes: EventCodes(ring), logger: Cluster.logger)
        let hints = FeedHints(pool: pool, logger: Cluster.logger)
        let answered = Answered()
        let start = ContinuousClock.now
        var count = 0
        try await withThrowingTaskGroup { group in
            group.addTask { try await appender.run() }
            group.addTask { try await hints.run() }
            group.addTask { try await watch(answered) }
            try await withThrowingTaskGroup { appends in
                for number in 0..<Int(rate * Double(seconds)) {
                    try await Task.sleep(until: start + .seconds(Double(number) / rate), clock: .continuous)
                    let founding = foundings[number % foundings.count]
                    appends.addTask {
                        let append = HiredEmployees.append(1, founding)
                        let recorded = try await appender.append(append)
                        hints.signal()
                        await answered.answered(founding.ledger, recorded.last[founding.ledger] ?? 0)
                    }
                    count += 3
                }
                try await appends.waitForAll()
            }
            let elapsed = (ContinuousClock.now - start).inSeconds
            count = Int(Double(count) / elapsed)
            while await !answered.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            group.cancelAll()
            appender.stop()
        }
        let lags = await answered.lags.sorted()
        guard let last = lags.last else { throw BenchError("nothing was appended") }
        return Lag(
            rate: Double(count), median: lags[lags.count / 2],
            percentile99: lags.count < 100 ? last : lags[lags.count * 99 / 100])
    }

    private func watch(_ answered: Answered) async throws {
        while !Task.isCancelled {
            let rows = try await readers.withConnection { connection in
                try await connection.query(
                    """
                    SELECT p.ledger_id, min(p.position) FROM tenure.projection_progress AS p
                    JOIN tenure.projection_generation AS g ON g.projection = p.projection AND g.live = p.generation
                    GROUP BY p.ledger_id
                    """)
            }
            for row in rows {
                let (ledger, position) = try row.decode(UUID.self, Int64.self)
                await answered.reached(LedgerID(ledger), position)
            }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}

extension Measure {
    static let lagRate = Measure("events that change views, appended at a rate")
    static let lagMedian = Measure("how far views are behind them, median", unit: "ms")
    static let lag99 = Measure("how far views are behind them, p99", unit: "ms", goal: .atMost(100))
}
