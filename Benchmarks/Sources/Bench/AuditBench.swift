import Foundation
import IdentityService
import Keys
import Ledger

/// What operators and auditors wait for, as they call it: `tenure rebuild`, `verify` and `replay` over a long log.
struct AuditBench: Benchmark {
    static let name = "audit"
    static let measures: [Measure] = [
        .entriesRead, .rebuild, .rebuildMemory, .verify, .verifyMemory, .verifySignatures, .replay, .replayMemory,
    ]

    private static let database = "bench_audit"
    private static let people = 32

    private let cluster: Cluster
    private let tenure: String
    private let environment: [String: String]
    private let events: Int

    /// Has people register and log in through the service, and then logs them in again and again.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing a log of \(plan.events) events")
        self.cluster = cluster
        guard let tenure = ProcessInfo.processInfo.environment["TENURE_BENCH_TENURE"] else {
            throw BenchError("start this with scripts/bench, which builds the program that it measures")
        }
        self.tenure = tenure
        try await cluster.makeDatabase(Self.database)
        let masters = MasterKeys.random()
        let events = plan.events, people = (1...Self.people).map { BenchPerson(number: $0) }
        self.events = try await BenchService(cluster, Self.database, masters).run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: Set(CallerRole.allCases))
            let session = try await BenchSession(assembly.service, secret)
            try await withThrowingTaskGroup { group in
                for person in people {
                    group.addTask {
                        try await session.register(person)
                        try await session.logIn(person)
                    }
                }
                try await group.waitForAll()
            }
            return try await LogCopies(cluster: cluster, database: Self.database).grow(to: events)
        }
        try await cluster.execute("VACUUM ANALYZE", in: Self.database)
        environment = [
            "TENURE_READER_DATABASE_URL": cluster.url(Self.database, as: "tenure_reader"),
            "TENURE_MASTER_KEYS": String(decoding: masters.json(), as: UTF8.self),
        ]
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        results.record(.entriesRead, try await readEntries())
        let commands: [(Measure, Measure?, [String])] = [
            (.rebuild, .rebuildMemory, ["rebuild", "--format", "ndjson"]),
            (.verify, .verifyMemory, ["verify", "--no-signatures", "--json"]),
            (.verifySignatures, nil, ["verify", "--json"]),
            (.replay, .replayMemory, ["replay", "--format", "ndjson"]),
        ]
        let first = repetition % commands.count
        for (rate, memory, arguments) in commands[first...] + commands[..<first] {
            let run = try await MeasuredProgram(path: tenure, arguments: arguments, environment: environment).run()
            results.record(rate, Double(events) / run.elapsed.inSeconds)
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
    static let rebuild = Measure("events rebuilt into all views", goal: .atLeast(100_000))
    static let rebuildMemory = Measure("memory of the rebuild at its most", unit: "MB", goal: .atMost(200))
    static let verify = Measure("events verified, without signatures", goal: .atLeast(200_000))
    static let verifyMemory = Measure("memory of the verification at its most", unit: "MB")
    static let verifySignatures = Measure("events verified, with signatures", goal: .atLeast(60_000))
    static let replay = Measure("events replayed as NDJSON", goal: .atLeast(200_000))
    static let replayMemory = Measure("memory of the replay at its most", unit: "MB")
}
