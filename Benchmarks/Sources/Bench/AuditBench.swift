import Foundation
import Keys
import Ledger

/// What operators and auditors wait for, as they call it: `tenure rebuild`, `verify` and `replay` over a long log.
struct AuditBench: Benchmark {
    static let name = "audit"
    static let measures: [Measure] = [
        .entriesRead, .rebuild, .rebuildMemory, .rebuildChanges, .rebuildChangesMemory, .verify, .verifyMemory,
        .verifySignatures, .replay, .replayMemory,
    ]

    private static let database = "bench_audit"
    private static let hiring = "bench_hiring"
    private static let people = 16

    private let cluster: Cluster
    private let tenure: String
    private let masterKeys: String
    /// The events of the whole log, those of companies in it, and those of the companies that hired.
    private let events: Int
    private let logIns: Int
    private let changes: Int

    /// Has people register and log in through the service, and then logs them in again and again.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing a log of \(plan.events) events")
        self.cluster = cluster
        guard let tenure = ProcessInfo.processInfo.environment["TENURE_BENCH_TENURE"] else {
            throw BenchError("start this with scripts/bench, which builds the program that it measures")
        }
        self.tenure = tenure
        let masters = MasterKeys.random()
        let people = try await FoundedCompanies(cluster: cluster, database: Self.database, masters: masters)
            .makeBlind(Self.people)
        let signers = Dictionary(uniqueKeysWithValues: people.map { ($0.person.publicKey, $0) })
        events = try await LogCopies(cluster: cluster, database: Self.database, people: signers).grow(to: plan.events)
        Terminal.say("preparing companies of \(plan.events / 10) employees")
        let companies = try await FoundedCompanies(cluster: cluster, database: Self.hiring, masters: masters)
            .make(Self.people)
        try await HiredEmployees(cluster: cluster, database: Self.hiring).hire(plan.events / 10, at: companies)
        logIns = try await FollowedViews(cluster: cluster, database: Self.database, masters: masters).settle()
        changes = try await FollowedViews(cluster: cluster, database: Self.hiring, masters: masters).settle()
        for database in [Self.database, Self.hiring] { try await cluster.execute("VACUUM ANALYZE", in: database) }
        masterKeys = String(decoding: masters.json(), as: UTF8.self)
    }

    private func environment(_ database: String) -> [String: String] {
        [
            "TENURE_READER_DATABASE_URL": cluster.url(database, as: "tenure_reader"),
            "TENURE_MASTER_KEYS": masterKeys,
        ]
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        results.record(.entriesRead, try await readEntries())
        let commands: [(Measure, Measure?, String, Int, [String])] = [
            (.rebuild, .rebuildMemory, Self.database, logIns, ["rebuild", "--format", "ndjson"]),
            (.rebuildChanges, .rebuildChangesMemory, Self.hiring, changes, ["rebuild", "--format", "ndjson"]),
            (.verify, .verifyMemory, Self.database, events, ["verify", "--no-signatures", "--json"]),
            (.verifySignatures, nil, Self.database, events, ["verify", "--json"]),
            (.replay, .replayMemory, Self.database, events, ["replay", "--format", "ndjson"]),
        ]
        let first = repetition % commands.count
        for (rate, memory, database, count, arguments) in commands[first...] + commands[..<first] {
            let run = try await MeasuredProgram(
                path: tenure, arguments: arguments, environment: environment(database)
            ).run()
            results.record(rate, Double(count) / run.elapsed.inSeconds)
            if let memory { results.record(memory, run.megabytes) }
        }
    }

    /// What anybody could do who only wanted the bytes.
    private func readEntries() async throws -> Double {
        let copy = "COPY (SELECT entry FROM tenure.event ORDER BY ledger_id, position) TO STDOUT (FORMAT binary)"
        let run = try await MeasuredProgram(
            path: cluster.psql, arguments: ["--no-psqlrc", "-d", cluster.url(Self.database), "-c", copy],
            environment: [:]
        ).run()
        return Double(events) / run.elapsed.inSeconds
    }
}

extension Measure {
    static let entriesRead = Measure("entries read with psql and COPY")
    static let rebuild = Measure("events rebuilt, nearly all of log-ins", goal: .atLeast(100_000))
    static let rebuildMemory = Measure("memory of the rebuild at its most", unit: "MB", goal: .atMost(200))
    static let rebuildChanges = Measure("events rebuilt, each of which changes views", goal: .atLeast(100_000))
    static let rebuildChangesMemory = Measure("memory of that rebuild at its most", unit: "MB", goal: .atMost(200))
    static let verify = Measure("events verified, without signatures", goal: .atLeast(200_000))
    static let verifyMemory = Measure("memory of the verification at its most", unit: "MB")
    static let verifySignatures = Measure("events verified, with signatures", goal: .atLeast(60_000))
    static let replay = Measure("events replayed as NDJSON", goal: .atLeast(200_000))
    static let replayMemory = Measure("memory of the replay at its most", unit: "MB")
}
