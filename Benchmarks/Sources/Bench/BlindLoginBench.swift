import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// Log-ins in blind mode through the use cases, and what they cost with memory-hard hashing in the service instead.
struct BlindLoginBench: Benchmark {
    static let name = "blind"
    static let pairs: [PairedMeasure] = [.blind]
    static let measures: [Measure] = [
        .blindLogIns, .argon2, .oneArgon2, .fiveArgon2, .blindAtHalf, .besideDirect,
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
        let signed = try SignedMessage(people[0].person), client = try await people[0].clientMilliseconds()
        try await BenchService(cluster, Self.database, masters).run { assembly in
            let session = try await BenchSession(assembly.service, secret)
            let load = BlindLoad(people: people, session: session)
            // So many at once that every connection has made its plans before anything is measured.
            _ = try await load.full(1, postmaster)
            var full = FullLoad(rate: 0, processorTime: 0)
            let pairs = try await PairedMeasure.blind.pairs(
                base: { try await CredentialBench.evaluationMilliseconds() + 2 * signed.milliseconds() },
                measured: {
                    full = try await load.full(plan.logInSeconds, postmaster)
                    return full.processorTime - client
                })
            results.record(.blind, pairs)
            results.record(.blindLogIns, full.rate)
            try await self.hash(load, full.processorTime, client, &results)
            results.record(.blindAtHalf, try await load.open(full.rate / 2, plan.logInSeconds))
            results.record(.besideDirect, try await load.beside(direct, plan.logInSeconds))
        }
    }

    /// Measures log-ins beside which one hash is computed, and five.
    private func hash(
        _ load: BlindLoad, _ logIn: Double, _ client: Double, _ results: inout Results
    ) async throws {
        guard let python, logIn > client else { return }
        let workers = try HashingWorkers(python: python)
        let one = try await load.full(plan.logInSeconds, postmaster, hashing: (workers, 1)).processorTime
        let five = try await load.full(plan.logInSeconds, postmaster, hashing: (workers, 5)).processorTime
        await workers.stop()
        results.record(.argon2, one - logIn)
        // Hashing came beside the evaluation there, and is to be in its place.
        let rest = client + (try await CredentialBench.evaluationMilliseconds())
        results.record(.oneArgon2, (one - rest) / (logIn - client))
        results.record(.fiveArgon2, (five - rest) / (logIn - client))
    }
}

extension PairedMeasure {
    static let blind = PairedMeasure(
        title: "blind log-in, 32 callers", unit: "ms", base: "one evaluation, two signatures verified")
}

extension Measure {
    static let blindLogIns = Measure("blind log-ins through the service, 32 callers")
    static let argon2 = Measure("one Argon2id beside each, 19 MiB, t = 2", unit: "ms CPU")
    static let oneArgon2 = Measure("cost of a blind log-in with one Argon2id instead", unit: "times", goal: .atLeast(3))
    static let fiveArgon2 = Measure(
        "cost of a blind log-in with one for each answer", unit: "times", goal: .atLeast(10))
    static let blindAtHalf = Measure("p99 of a blind log-in at half of that rate", unit: "ms", goal: .atMost(100))
    static let besideDirect = Measure(
        "p99 of other calls while direct mode is at its limit", unit: "ms", goal: .atMost(50))
}
