import Canonical
import Foundation
import Ledger
import Postgres

/// Appends beside plain inserts, both durable, on one cluster.
struct LogBench: Benchmark {
    static let name = "log"
    static let pairs: [PairedMeasure] = [.append]
    static let measures: [Measure] = [
        .insertsAlone, .inserts, .appendsManyLedgers, .appendsOneLedger, .appendsWithReaders, .eventsRead,
        .appendsBesideRereaders, .appendsWithDecoders, .eventsDecoded, .appendProgram,
    ]

    private static let database = "bench_log"

    private let cluster: Cluster
    private let plan: Plan
    private let postmaster: Int
    private let inserts: PlainInserts
    private let ledgers = (0..<64).map { _ in LedgerID(UUID()) }
    private let oneLedger = [LedgerID(UUID())]

    /// Makes the database, and appends and inserts for a second each, so that nothing is measured cold.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing the log")
        self.cluster = cluster
        self.plan = plan
        postmaster = try await cluster.postmaster()
        try await cluster.makeDatabase(Self.database)
        try await cluster.execute(PlainInserts.table, in: Self.database)
        let ledgers = ledgers, oneLedger = oneLedger
        _ = try await Self.withAppender(cluster) { appender, _ in
            let deadline = ContinuousClock.now + .milliseconds(500)
            _ = try await AppendLoad(appender: appender, ledgers: ledgers).run(until: deadline)
            return try await AppendLoad(appender: appender, ledgers: oneLedger)
                .run(until: deadline + .milliseconds(500))
        }
        inserts = try PlainInserts(
            cluster: cluster, database: Self.database, entryLength: try await Self.entryLength(cluster))
        _ = try await inserts.measure(clients: 32, seconds: 1)
    }

    /// One sample of each, in an order that turns with the repetition.
    func measure(_ repetition: Int, _ results: inout Results) async throws {
        let samples: [(inout Results) async throws -> Void] = [
            { _ = try await insert(.insertsAlone, clients: 1, &$0) },
            { results in
                let pairs = try await PairedMeasure.append.pairs(
                    base: { try await insert(.inserts, clients: 32, &results) },
                    measured: { try await append(.appendsManyLedgers, to: ledgers, &results) })
                results.record(.append, pairs)
            },
            { _ = try await append(.appendsOneLedger, to: oneLedger, &$0) },
            { try await appendBesideReaders(decoding: false, &$0) },
            { try await appendBesideReaders(decoding: true, &$0) },
        ]
        let first = repetition % samples.count
        for sample in samples[first...] + samples[..<first] { try await sample(&results) }
    }

    /// The processor time of one insert, in microseconds.
    private func insert(_ measure: Measure, clients: Int, _ results: inout Results) async throws -> Double? {
        try await cluster.checkpoint()
        let (rate, used) = try await ProcessorTime.of(postmaster) {
            try await inserts.measure(clients: clients, seconds: plan.seconds)
        }
        results.record(measure, rate)
        return used.map { $0.server.inSeconds * 1e6 / (rate * Double(plan.seconds)) }
    }

    /// The processor time of one append, in microseconds.
    private func append(
        _ measure: Measure, to ledgers: [LedgerID], _ results: inout Results
    ) async throws -> Double? {
        try await cluster.checkpoint()
        let sizeBefore = try await size(of: ledgers)
        let plan = plan
        let ((count, rate), used) = try await ProcessorTime.of(postmaster) {
            try await Self.withAppender(cluster) { appender, _ in
                let start = ContinuousClock.now
                let count = try await AppendLoad(appender: appender, ledgers: ledgers)
                    .run(until: start + .seconds(plan.seconds))
                return (count, Double(count) / (ContinuousClock.now - start).inSeconds)
            }
        }
        try await check(count, since: sizeBefore, ledgers)
        results.record(measure, rate)
        if measure == .appendsManyLedgers, let used {
            results.record(.appendProgram, used.program.inSeconds * 1e6 / Double(count))
        }
        return used.map { $0.microseconds / Double(count) }
    }

    /// Beside readers that follow, and then beside readers that read as much of what is old.
    private func appendBesideReaders(decoding: Bool, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        let sizeBefore = try await size(of: ledgers)
        let plan = plan, ledgers = ledgers
        let (count, appends, read, rounds) = try await Self.withAppender(cluster) { appender, reader in
            let readers = FeedReaders(reader: reader, ledgers: Set(ledgers), decoding: decoding)
            let heads = try await readers.heads()
            let start = ContinuousClock.now, deadline = start + .seconds(plan.seconds)
            async let reading = readers.run(from: heads, until: deadline)
            let count = try await AppendLoad(appender: appender, ledgers: ledgers).run(until: deadline)
            let appends = Double(count) / (ContinuousClock.now - start).inSeconds
            let (read, rounds) = try await reading
            return (count, appends, read, rounds)
        }
        try await check(count, since: sizeBefore, ledgers)
        results.record(decoding ? .appendsWithDecoders : .appendsWithReaders, appends)
        results.record(decoding ? .eventsDecoded : .eventsRead, Double(read) / Double(plan.seconds))
        guard !decoding else { return }
        try await cluster.checkpoint()
        let limit = read / max(rounds, 1)
        let besideOld = try await Self.withAppender(cluster) { appender, reader in
            let readers = FeedReaders(reader: reader, ledgers: Set(ledgers), decoding: decoding)
            let start = ContinuousClock.now, deadline = start + .seconds(plan.seconds)
            async let reading: Void = readers.reread(limit: limit, until: deadline)
            let count = try await AppendLoad(appender: appender, ledgers: ledgers).run(until: deadline)
            try await reading
            return Double(count) / (ContinuousClock.now - start).inSeconds
        }
        results.record(.appendsBesideRereaders, besideOld)
    }

    /// What was answered must be in the log, every event once: a fast appender that loses some is not one.
    private func check(_ count: Int, since before: Int64, _ ledgers: [LedgerID]) async throws {
        let recorded = try await size(of: ledgers) - before
        guard recorded == Int64(count) else {
            throw BenchError("\(count) appends were answered and \(recorded) events recorded")
        }
    }

    private func size(of ledgers: [LedgerID]) async throws -> Int64 {
        let connection = try cluster.configuration(Self.database)
        var superuser = try await PostgresConnection.connect(connection, logger: Cluster.logger)
        let rows = try await superuser.query(
            "SELECT count(*) FROM tenure.event WHERE ledger_id = ANY (\(ledgers.map(\.uuid)))")
        return try rows.first?.decode(Int64.self) ?? 0
    }

    private static func entryLength(_ cluster: Cluster) async throws -> Int {
        var superuser = try await PostgresConnection.connect(cluster.configuration(database), logger: Cluster.logger)
        let rows = try await superuser.query("SELECT max(octet_length(entry)) FROM tenure.event")
        guard let length = try rows.first?.decode(Int32.self) else { throw BenchError("nothing was appended") }
        return Int(length)
    }

    private static func withAppender<Result: Sendable>(
        _ cluster: Cluster, _ body: (Appender, LedgerReader) async throws -> Result
    ) async throws -> Result {
        let application = try cluster.configuration(database, as: "tenure_app")
        let reading = try cluster.configuration(database, as: "tenure_reader")
        return try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
            try await withPostgresPool(configuration: reading, logger: Cluster.logger) { readerPool in
                let appender = Appender(pool: pool, codes: Cluster.codes, logger: Cluster.logger)
                async let running: Void = appender.run()
                let result = try await body(
                    appender, LedgerReader(pool: readerPool, codes: Cluster.codes, storesTiles: false))
                appender.stop()
                try await running
                return result
            }
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension PairedMeasure {
    static let append = PairedMeasure(
        title: "append, 64 callers, 64 ledgers", unit: "µs an event", base: "plain insert, 32 clients")
}

extension Measure {
    static let insertsAlone = Measure("plain inserts, 1 client", ratioTo: inserts)
    static let inserts = Measure("plain inserts, 32 clients")
    static let appendsManyLedgers = Measure(
        "appends, 64 callers, 64 ledgers", ratioTo: inserts, goal: .atLeast(1.2))
    static let appendsOneLedger = Measure("appends, 64 callers, 1 ledger", ratioTo: inserts, goal: .atLeast(1))
    static let appendsWithReaders = Measure(
        "the same, 64 ledgers, 4 feed readers", ratioTo: appendsManyLedgers, goal: .atLeast(0.9))
    static let appendsWithDecoders = Measure(
        "the same, 4 readers that parse and hash", ratioTo: appendsManyLedgers)
    static let eventsDecoded = Measure("events parsed by these 4 readers", ratioTo: appendsManyLedgers)
    /// The readers read as much, but what was written long before: what is lost here is processor time, not a wait.
    static let appendsBesideRereaders = Measure(
        "the same, the readers read old events", ratioTo: appendsManyLedgers)
    static let appendProgram = Measure("the program's part of one append", unit: "µs CPU")
    static let eventsRead = Measure("events read by these 4 readers", ratioTo: appendsManyLedgers)
}
