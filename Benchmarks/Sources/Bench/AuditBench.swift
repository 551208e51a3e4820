import Credentials
import Foundation
import Identity
import Keys
import Ledger
import Postgres

/// What operators and auditors wait for, as they call it: `tenure rebuild`, `verify` and `replay` over a long log.
struct AuditBench: Benchmark {
    static let name = "audit"
    static let measures: [Measure] = [
        .entriesRead, .rebuild, .rebuildMemory, .rebuildChanges, .rebuildChangesMemory, .verify, .verifyMemory,
        .verifySignatures, .replay, .replayMemory, .verifiedEvent, .signaturesOfEvent, .uninspectedEvent,
        .judgementOfEvent,
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
    /// The signatures of P-256 for each event of the whole log, and one of them.
    private let signatures: Double
    private let signed: SignedMessage

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
        events = try await LogCopies(cluster: cluster, database: Self.database, masters: masters, people: signers)
            .grow(to: plan.events)
        Terminal.say("preparing companies of \(plan.events / 10) employees")
        let companies = try await FoundedCompanies(cluster: cluster, database: Self.hiring, masters: masters)
            .make(Self.people)
        try await HiredEmployees(cluster: cluster, database: Self.hiring, masters: masters)
            .hire(plan.events / 10, at: companies)
        signatures = try await Self.validations(cluster) * 2 / Double(events)
        signed = try SignedMessage(people[0].person)
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
        var computed: [Measure: Double] = [:]
        for (rate, memory, database, count, arguments) in commands[first...] + commands[..<first] {
            let run = try await MeasuredProgram(
                path: tenure, arguments: arguments, environment: environment(database)
            ).run()
            results.record(rate, Double(count) / run.elapsed.inSeconds)
            if let memory { results.record(memory, run.megabytes) }
            computed[rate] = run.computed.inSeconds * 1_000_000 / Double(count)
        }
        try await recordParts(computed, &results)
    }

    /// Splits the processor time of a verification among its checks.
    private func recordParts(_ computed: [Measure: Double], _ results: inout Results) async throws {
        guard let whole = computed[.verifySignatures], let without = computed[.verify] else { return }
        let signed = signed
        let one = try await CredentialBench.millisecondsOnEveryCore { try signed.verify() } * 1_000
        results.record(.verifiedEvent, whole)
        results.record(.uninspectedEvent, without)
        results.record(.signaturesOfEvent, one * signatures)
        results.record(.judgementOfEvent, whole - without - one * signatures)
    }

    /// The number of validations in the log, each of which carries two signatures.
    private static func validations(_ cluster: Cluster) async throws -> Double {
        let reader = try cluster.configuration(database, as: "tenure_reader")
        return try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
            let rows = try await readers.withConnection { connection in
                try await connection.query("SELECT count(*) FROM tenure.event WHERE type = \(AnswersValidated.type)")
            }
            guard let row = rows.first else { throw BenchError("the database counts no validations") }
            return Double(try row.decode(Int64.self))
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

/// A message of a challenge's length with a signature of a device key.
private struct SignedMessage: Sendable {
    private let message = [UInt8](repeating: 7, count: 400)
    private let key: EmployeePublicKey
    private let signature: Signature

    init(_ person: BenchPerson) throws {
        key = try EmployeePublicKey(bytes: person.publicKey)
        signature = try Signature(raw: person.sign(message))
    }

    func verify() throws { try key.verify(signature, over: message) }
}

extension Measure {
    static let entriesRead = Measure("entries read with psql and COPY")
    static let rebuild = Measure(
        "events rebuilt, nearly all of log-ins", ratioTo: .entriesRead, goal: .atLeast(1.7))
    static let rebuildMemory = Measure("memory of the rebuild at its most", unit: "MB", goal: .atMost(200))
    static let rebuildChanges = Measure(
        "events rebuilt, each of which changes views", ratioTo: .entriesRead, goal: .atLeast(0.053))
    static let rebuildChangesMemory = Measure("memory of that rebuild at its most", unit: "MB", goal: .atMost(200))
    static let verify = Measure("events verified, without signatures", ratioTo: .entriesRead, goal: .atLeast(0.25))
    static let verifyMemory = Measure("memory of the verification at its most", unit: "MB")
    static let verifySignatures = Measure(
        "events verified, with signatures", ratioTo: .entriesRead, goal: .atLeast(0.06))
    static let replay = Measure("events replayed as NDJSON", ratioTo: .entriesRead, goal: .atLeast(0.25))
    static let replayMemory = Measure("memory of the replay at its most", unit: "MB")
    // Signatures are work that does not change, so processor time is held against them.
    static let signaturesOfEvent = Measure("signatures of P-256 of one event", unit: "µs CPU")
    static let verifiedEvent = Measure(
        "one event verified, with signatures", unit: "µs CPU", ratioTo: .signaturesOfEvent)
    static let uninspectedEvent = Measure(
        "of it: read, hashed, compared with its row", unit: "µs CPU", ratioTo: .signaturesOfEvent)
    static let judgementOfEvent = Measure(
        "of it: content, authority, causes and times", unit: "µs CPU", ratioTo: .signaturesOfEvent)
}
