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
    static let measures: [Measure] = [
        .replayed, .replayMemory, .verified, .verifyMemory, .verifiedSignatures, .verifySignaturesMemory, .rebuilt,
        .rebuildMemory, .rebuiltChanges, .rebuildChangesMemory,
    ]

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

    /// One of the commands: its rows, its arguments, and its base in microseconds of processor time an event.
    private struct Command {
        let pair: PairedMeasure
        let rate: Measure
        let memory: Measure
        let arguments: [String]
        var database = AuditBench.database
        let base: () async throws -> Double?
    }

    private var commands: [Command] {
        [
            Command(
                pair: .replay, rate: .replayed, memory: .replayMemory, arguments: ["replay", "--format", "ndjson"],
                base: readEntries),
            Command(
                pair: .verify, rate: .verified, memory: .verifyMemory,
                arguments: ["verify", "--no-signatures", "--json"], base: readEntries),
            Command(
                pair: .verifySignatures, rate: .verifiedSignatures, memory: .verifySignaturesMemory,
                arguments: ["verify", "--json"], base: verifyAndHash),
            Command(
                pair: .rebuild, rate: .rebuilt, memory: .rebuildMemory, arguments: ["rebuild", "--format", "ndjson"],
                base: readEntries),
            Command(
                pair: .rebuildChanges, rate: .rebuiltChanges, memory: .rebuildChangesMemory,
                arguments: ["rebuild", "--format", "ndjson"], database: Self.hiring, base: copyRows),
        ]
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        let commands = commands, first = repetition % commands.count
        for command in commands[first...] + commands[..<first] {
            let pairs = try await command.pair.pairs(base: command.base) { try await run(command, &results) }
            results.record(command.pair, pairs)
        }
    }

    private func run(_ command: Command, _ results: inout Results) async throws -> Double? {
        try await tidy(command.database)
        let count = Double(command.database == Self.hiring ? changes : events)
        let environment = [
            "TENURE_READER_DATABASE_URL": cluster.url(command.database, as: "tenure_reader"),
            "TENURE_MASTER_KEYS": masterKeys,
        ]
        let before = ProcessorTime.now(postmaster)
        let run = try await MeasuredProgram(path: tenure, arguments: command.arguments, environment: environment).run()
        results.record(command.rate, count / run.elapsed.inSeconds)
        results.record(command.memory, run.megabytes)
        guard let before, let after = ProcessorTime.now(postmaster) else { return nil }
        return ((after - before).server + run.computed).inSeconds * 1e6 / count
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
        let before = ProcessorTime.now(postmaster)
        let count = try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
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
        guard count >= events else { throw BenchError("\(count) of \(events) entries were read") }
        guard let before, let after = ProcessorTime.now(postmaster) else { return nil }
        return (after - before).microseconds / Double(count)
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
        let before = ProcessorTime.now(postmaster)
        try await rows.copy()
        guard let before, let after = ProcessorTime.now(postmaster) else { return nil }
        return (after - before).server.inSeconds * 1e6 / Double(changes * CopiedRows.times)
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
    static let replay = PairedMeasure("replay as NDJSON", unit: "µs an event", against: reading)
    static let verify = PairedMeasure("verify without signatures", unit: "µs an event", against: reading)
    static let verifySignatures = PairedMeasure(
        "verify with signatures", unit: "µs an event", against: "its P-256 and hashes")
    static let rebuild = PairedMeasure("rebuild, nearly all of log-ins", unit: "µs an event", against: reading)
    static let rebuildChanges = PairedMeasure(
        "rebuild, each event changes views", unit: "µs an event", against: "COPY into the same tables")
}

extension Measure {
    static let replayed = Measure("events replayed as NDJSON")
    static let replayMemory = Measure("memory of the replay at its most", unit: "MB")
    static let verified = Measure("events verified, without signatures")
    static let verifyMemory = Measure("memory of that verification at its most", unit: "MB")
    static let verifiedSignatures = Measure("events verified, with signatures")
    static let verifySignaturesMemory = Measure("memory of that verification with signatures", unit: "MB")
    static let rebuilt = Measure("events rebuilt, nearly all of log-ins")
    static let rebuildMemory = Measure("memory of the rebuild at its most", unit: "MB", goal: .atMost(200))
    static let rebuiltChanges = Measure("events rebuilt, each of which changes views")
    static let rebuildChangesMemory = Measure("memory of that rebuild at its most", unit: "MB", goal: .atMost(200))
}
