import Foundation
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// What operators and auditors wait for, as they call it: `tenure rebuild`, `verify` and `replay` over a long log.
struct AuditBench: Benchmark {
    static let name = "audit"
    static let pairs: [PairedMeasure] = [.replay, .verify, .verifySignatures, .rebuild, .rebuildChanges]
    static let measures = pairs.flatMap { [$0.rate, $0.memory] }

    private static let database = "bench_audit"
    private static let hiring = "bench_hiring"
    private static let people = 16

    private let cluster: Cluster
    private let postmaster: Int
    private let tenure: String
    private let masterKeys: String
    /// The events of the whole log, and those of the companies that hired.
    private let events: Int
    private let changes: Int
    /// The signatures of P-256 for each event of the whole log, and one of them.
    private let signatures: Double
    private let signed: SignedMessage
    /// As many bytes as an entry of the whole log has on average.
    private let entry: [UInt8]
    private let rows: CopiedRows

    /// Has people register and log in through the service, and then logs them in again and again.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing a log of \(plan.events) events")
        self.cluster = cluster
        postmaster = try await cluster.postmaster()
        guard let tenure = ProcessInfo.processInfo.environment["TENURE_BENCH_TENURE"] else {
            throw BenchError("start this with scripts/bench, which builds the program that it measures")
        }
        self.tenure = tenure
        let masters = MasterKeys.random()
        let people = try await FoundedCompanies(cluster: cluster, database: Self.database, masters: masters)
            .makeBlind(Self.people)
        let signers = Dictionary(uniqueKeysWithValues: people.map { ($0.person.publicKey, $0) })
        events = try await LogCopies(cluster: cluster, database: Self.database, masters: masters, people: signers)
            .grow(to: plan.events)
        Terminal.say("preparing companies of \(plan.events / 10) employees")
        let companies = try await FoundedCompanies(cluster: cluster, database: Self.hiring, masters: masters)
            .make(Self.people)
        try await HiredEmployees(cluster: cluster, database: Self.hiring, masters: masters)
            .hire(plan.events / 10, at: companies)
        let (validations, length) = try await Self.content(cluster)
        signatures = validations * 2 / Double(events)
        signed = try SignedMessage(people[0].person)
        entry = [UInt8](repeating: UInt8(ascii: "x"), count: length)
        _ = try await FollowedViews(cluster: cluster, database: Self.database, masters: masters).settle()
        changes = try await FollowedViews(cluster: cluster, database: Self.hiring, masters: masters).settle()
        for database in [Self.database, Self.hiring] { try await cluster.execute("VACUUM ANALYZE", in: database) }
        rows = try await CopiedRows(cluster: cluster, database: Self.hiring)
        masterKeys = String(decoding: masters.json(), as: UTF8.self)
    }

    /// The commands with their bases, in microseconds of processor time an event.
    private var commands: [(PairedMeasure, String, [String], base: () async throws -> Double?)] {
        [
            (.replay, Self.database, ["replay", "--format", "ndjson"], readEntries),
            (.verify, Self.database, ["verify", "--no-signatures", "--json"], readEntries),
            (.verifySignatures, Self.database, ["verify", "--json"], verifyAndHash),
            (.rebuild, Self.database, ["rebuild", "--format", "ndjson"], readEntries),
            (.rebuildChanges, Self.hiring, ["rebuild", "--format", "ndjson"], copyRows),
        ]
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        let commands = commands, first = repetition % commands.count
        for (measure, database, arguments, base) in commands[first...] + commands[..<first] {
            let count = Double(database == Self.hiring ? changes : events)
            let environment = [
                "TENURE_READER_DATABASE_URL": cluster.url(database, as: "tenure_reader"),
                "TENURE_MASTER_KEYS": masterKeys,
            ]
            let program = MeasuredProgram(path: tenure, arguments: arguments, environment: environment)
            let pairs = try await measure.pairs(base: base) {
                try await tidy(database)
                let (run, used) = try await ProcessorTime.of(postmaster) { try await program.run() }
                results.record(measure.rate, count / run.elapsed.inSeconds)
                results.record(measure.memory, run.megabytes)
                return used.map { ($0.server + run.computed).inSeconds * 1e6 / count }
            }
            results.record(measure, pairs)
        }
    }

    /// Removes what a rebuild or a copy has left: no sample pays for the one before it.
    private func tidy(_ database: String) async throws {
        if database == Self.hiring { try await cluster.execute("VACUUM", in: database) }
        try await cluster.checkpoint()
    }

    /// The least that a replay or a verification does: reads the log with the same reader, hashes each entry and throws
    /// it away.
    private func readEntries() async throws -> Double? {
        try await tidy(Self.database)
        let reader = try cluster.configuration(Self.database, as: "tenure_reader")
        let (count, used) = try await ProcessorTime.of(postmaster) {
            try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
                let log = EventLog(pool: readers, codes: .unchecked, keys: nil)
                var count = 0
                for (ledger, size) in try await log.ledgers() {
                    var position: Int64 = 0
                    while position < size {
                        let page = try await log.reader.entries(of: ledger, after: position, limit: 4_000, without: [])
                        for entry in page.entries { _ = MerkleTree.leafHash(entry.bytes) }
                        count += page.entries.count
                        position = page.cursor
                    }
                }
                return count
            }
        }
        guard count >= events else { throw BenchError("\(count) of \(events) entries were read") }
        return used.map { $0.microseconds / Double(count) }
    }

    /// The least that a verification with signatures computes: P-256 and the hash of each entry.
    private func verifyAndHash() async throws -> Double? {
        let entry = entry, verification = try await signed.milliseconds()
        let hash = try await CredentialBench.millisecondsOnEveryCore(times: 40_000) { _ = MerkleTree.leafHash(entry) }
        return (verification * signatures + hash) * 1_000
    }

    /// The least that a rebuild does: puts the same rows into the same tables.
    private func copyRows() async throws -> Double? {
        try await tidy(Self.hiring)
        let (_, used) = try await ProcessorTime.of(postmaster) { try await rows.copy() }
        return used.map { $0.server.inSeconds * 1e6 / Double(changes * CopiedRows.times) }
    }

    /// The number of validations in the log, each of which carries two signatures, and the mean length of an entry.
    private static func content(_ cluster: Cluster) async throws -> (validations: Double, length: Int) {
        var connection = try await PostgresConnection.connect(cluster.configuration(database), logger: Cluster.logger)
        let rows = try await connection.query(
            """
            SELECT count(*) FILTER (WHERE type = \(AnswersValidated.type)), avg(octet_length(entry))::bigint
            FROM tenure.event
            """)
        guard let row = rows.first else { throw BenchError("the database counts no validations") }
        let (validations, length) = try row.decode(Int64.self, Int64.self)
        return (Double(validations), Int(length))
    }
}

extension PairedMeasure {
    private static let reading = "reading and hashing the log"
    static let replay = PairedMeasure(title: "replay as NDJSON", unit: "µs an event", base: reading)
    static let verify = PairedMeasure(title: "verify without signatures", unit: "µs an event", base: reading)
    static let verifySignatures = PairedMeasure(
        title: "verify with signatures", unit: "µs an event", base: "its P-256 and hashes")
    static let rebuild = PairedMeasure(title: "rebuild, nearly all of log-ins", unit: "µs an event", base: reading)
    static let rebuildChanges = PairedMeasure(
        title: "rebuild, each event changes views", unit: "µs an event", base: "COPY into the same tables")

    /// What people wait for, and what the machine needs.
    fileprivate var rate: Measure { Measure(title) }
    fileprivate var memory: Measure { Measure("\(title): memory at its most", unit: "MB", goal: .atMost(200)) }
}
