import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// Log-ins in blind mode through the use cases, and what they cost with memory-hard hashing in the service instead.
struct BlindLoginBench: Benchmark {
    static let name = "blind"
    static let measures: [Measure] = [
        .blindLogIns, .argon2, .blindPerCore, .withOneArgon2, .blindAgainstOne, .withFiveArgon2, .blindAgainstFive,
        .blindAtHalf, .besideDirect,
    ]

    private static let database = "bench_blind"
    private static let people = 32

    private let cluster: Cluster
    private let plan: Plan
    private let masters = MasterKeys.random()
    private let secret: OperatorUseCases.IssuedSecret
    private let people: [BlindPerson]
    private let direct: [BenchPerson]
    private let postmaster: Int
    private let python: String?

    /// Registers people in blind mode, and others in direct mode.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("registering \(Self.people) people in blind mode")
        self.cluster = cluster
        self.plan = plan
        python = HashingWorkers.python(in: ProcessInfo.processInfo.environment)
        postmaster = try await cluster.postmaster()
        try await cluster.makeDatabase(Self.database)
        let direct = (101...148).map { BenchPerson(number: $0) }
        (secret, people) = try await BenchService(cluster, Self.database, masters).run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: AppLinkRequest.Role.usual)
            let session = try await BenchSession(assembly.service, secret)
            var people: [BlindPerson] = []
            // One after the other: what is slow here is the client, and it is on this machine.
            for number in 1...Self.people {
                people.append(try await BlindPerson.register(BenchPerson(number: number), session))
            }
            for person in direct { try await session.register(person) }
            return (secret, people)
        }
        self.direct = direct
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        let (plan, people, direct, secret, postmaster) = (plan, people, direct, secret, postmaster)
        let measured = try await BenchService(cluster, Self.database, masters).run { assembly in
            let session = try await BenchSession(assembly.service, secret)
            let load = BlindLoad(people: people, session: session)
            // So many at once that every connection has made its plans before anything is measured.
            _ = try await load.full(1, postmaster)
            let costs = try await self.costs(load)
            let half = try await load.open(costs.rate / 2, plan.logInSeconds)
            let beside = try await load.beside(direct, plan.logInSeconds)
            return (costs, half, beside)
        }
        let (costs, half, beside) = measured
        results.record(.blindLogIns, costs.rate)
        results.record(.blindAtHalf, half)
        results.record(.besideDirect, beside)
        guard let one = costs.one, let five = costs.five, costs.logIn > 0 else { return }
        results.record(.argon2, one - costs.logIn)
        let client = try await people[0].clientMilliseconds(), served = costs.logIn - client
        results.record(.blindPerCore, 1_000 / served)
        // Hashing came beside the evaluation there, and is to be in its place.
        results.record(.withOneArgon2, 1_000 / (one - client - costs.evaluation))
        results.record(.withFiveArgon2, 1_000 / (five - client - costs.evaluation))
        results.record(.blindAgainstOne, 1_000 / served)
        results.record(.blindAgainstFive, 1_000 / served)
    }

    /// What is held against each other, in milliseconds of processor time, and log-ins per second.
    private struct Costs {
        var rate: Double
        var logIn: Double
        var evaluation: Double
        /// A log-in beside which one hash is computed, and five.
        var one: Double?
        var five: Double?
    }

    /// Measures log-ins before, between and after those with hashing, and an evaluation alone before each: how fast a shared
    /// machine is changes within seconds, and what is held against each other has to have met the same.
    private func costs(_ load: BlindLoad) async throws -> Costs {
        let workers = try python.map { try HashingWorkers(python: $0) }
        var plain: [FullLoad] = [], hashing: [Double] = [], evaluations: [Double] = []
        for hashes in [nil, 1, nil, 5, nil] {
            guard let hashes else {
                evaluations.append(try await CredentialBench.evaluationMilliseconds())
                plain.append(try await load.full(plan.logInSeconds, postmaster))
                continue
            }
            guard let workers else { continue }
            let full = try await load.full(plan.logInSeconds, postmaster, hashing: (workers, hashes))
            hashing.append(full.processorTime)
        }
        await workers?.stop()
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        return Costs(
            rate: mean(plain.map(\.rate)), logIn: mean(plain.map(\.processorTime)), evaluation: mean(evaluations),
            one: hashing.first, five: hashing.last)
    }
}

extension Measure {
    static let blindLogIns = Measure("blind log-ins through the service, 32 callers")
    static let argon2 = Measure("one Argon2id beside each, 19 MiB, t = 2", unit: "ms CPU")
    static let blindPerCore = Measure("blind log-ins by processor time", unit: "per core, s")
    static let withOneArgon2 = Measure("the same with one Argon2id instead", unit: "per core, s")
    static let withFiveArgon2 = Measure("the same with one for each answer", unit: "per core, s")
    static let blindAgainstOne = Measure(
        "blind log-ins against one Argon2id", unit: "per core, s", ratioTo: withOneArgon2, goal: .atLeast(3))
    static let blindAgainstFive = Measure(
        "blind log-ins against five", unit: "per core, s", ratioTo: withFiveArgon2, goal: .atLeast(10))
    static let blindAtHalf = Measure("p99 of a blind log-in at half of that rate", unit: "ms", goal: .atMost(100))
    static let besideDirect = Measure(
        "p99 of other calls while direct mode is at its limit", unit: "ms", goal: .atMost(50))
}
