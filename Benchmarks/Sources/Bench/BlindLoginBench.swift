import Foundation
import IdentityService
import Keys

/// Log-ins in blind mode through the use cases, and what they would cost with memory-hard hashing in the service.
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
    private let secret: OperatorCommands.IssuedSecret
    private let people: [BlindPerson]
    private let direct: [BenchPerson]
    private let postmaster: Int
    private let argon2: Argon2Cost?

    /// Registers people in blind mode, and others in direct mode.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("registering \(Self.people) people in blind mode")
        self.cluster = cluster
        self.plan = plan
        argon2 = Argon2Cost(environment: ProcessInfo.processInfo.environment)
        postmaster = try await cluster.postmaster()
        try await cluster.makeDatabase(Self.database)
        let direct = (101...148).map { BenchPerson(number: $0) }
        (secret, people) = try await BenchService(cluster, Self.database, masters).run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: Set(CallerRole.allCases))
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
        guard let hash = costs.hash, costs.logIn > 0 else { return }
        results.record(.argon2, hash)
        let served = costs.logIn - (try await people[0].clientMilliseconds())
        results.record(.blindPerCore, 1_000 / served)
        // Everything that a log-in costs but the evaluation, and hashing in its place.
        let rest = served - costs.evaluation
        results.record(.withOneArgon2, 1_000 / (rest + hash))
        results.record(.withFiveArgon2, 1_000 / (rest + 5 * hash))
        results.record(.blindAgainstOne, 1_000 / served)
        results.record(.blindAgainstFive, 1_000 / served)
    }

    /// What is held against each other, in milliseconds of processor time, and log-ins per second.
    private struct Costs {
        var rate: Double
        var logIn: Double
        var hash: Double?
        var evaluation: Double
    }

    /// Measures log-ins twice, and hash and evaluation before, between and after them: how fast a shared machine is
    /// changes within seconds, and what is held against each other has to have met the same.
    private func costs(_ load: BlindLoad) async throws -> Costs {
        var loads: [BlindLoad.Full] = [], evaluations: [Double] = [], hashes: [Double] = []
        for part in 0...2 {
            if part > 0 { loads.append(try await load.full(plan.logInSeconds, postmaster)) }
            if let hash = try await argon2?.milliseconds() { hashes.append(hash) }
            evaluations.append(try await CredentialBench.evaluationMilliseconds())
        }
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        return Costs(
            rate: mean(loads.map(\.rate)), logIn: mean(loads.map(\.processorTime)),
            hash: hashes.isEmpty ? nil : mean(hashes), evaluation: mean(evaluations))
    }
}

extension Measure {
    static let blindLogIns = Measure("blind log-ins through the service, 32 callers")
    static let argon2 = Measure("one Argon2id, 19 MiB, t = 2", unit: "ms CPU")
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
