import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// Authentications with a PIN: what verification computes, whole authentications through the use cases beside blind
/// log-ins and hashing, and the memory of a D-TA.
struct MPinBench: Benchmark {
    static let name = "mpin"
    static let measures: [Measure] = [
        .mpinVerifications, .mpinPasses, .mpinAuthentications, .mpinArgon2, .mpinPerCore, .mpinWithArgon2,
        .mpinAgainstArgon2, .mpinBlind, .mpinAgainstBlind, .authorityFresh, .authorityIssued, .authorityPerIdentity,
    ]

    private static let database = "bench_mpin"
    private static let people = 32
    static let issued = 10_000

    private let cluster: Cluster
    private let plan: Plan
    private let masters = MasterKeys.random()
    private let mpinMasters: MPinMasters
    private let proof: MPinProof
    private let secret: OperatorUseCases.IssuedSecret
    private let people: [MPinPerson]
    private let blind: [BlindPerson]
    private let fresh: AuthorityProcess
    private let full: AuthorityProcess
    private let postmaster: Int
    private let python: String?

    /// Registers people in blind mode, each with a PIN too, and creates the D-TAs whose memory is measured.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("registering \(Self.people) people in blind mode and their PINs")
        self.cluster = cluster
        self.plan = plan
        python = HashingWorkers.python(in: ProcessInfo.processInfo.environment)
        postmaster = try await cluster.postmaster()
        let mpinMasters = try MPinMasters()
        self.mpinMasters = mpinMasters
        proof = try MPinProof(mpinMasters)
        guard let tenure = ProcessInfo.processInfo.environment["TENURE_BENCH_TENURE"] else {
            throw BenchError("start this with scripts/bench, which builds the program that it measures")
        }
        // Below the directory that scripts/bench deletes at the end.
        fresh = try await AuthorityProcess(program: tenure, directory: cluster.socket + "/dta-fresh", issued: 0)
        full = try await AuthorityProcess(
            program: tenure, directory: cluster.socket + "/dta-issued", issued: Self.issued)
        try await cluster.makeDatabase(Self.database)
        let service = BenchService(cluster, Self.database, masters, mpinKeys: mpinMasters)
        (secret, people, blind) = try await service.run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: AppLinkRequest.Role.usual)
            let session = try await BenchSession(assembly.service, secret)
            var people: [MPinPerson] = [], blind: [BlindPerson] = []
            for number in 1...Self.people {
                let person = BenchPerson(number: number)
                blind.append(try await BlindPerson.register(person, session))
                people.append(try await MPinPerson.register(person, session))
            }
            return (secret, people, blind)
        }
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        results.record(.mpinVerifications, 1_000 / (try await proof.verificationMilliseconds()))
        results.record(.mpinPasses, 1_000 / (try await proof.passesMilliseconds()))
        try await measureMemory(&results)
        try await cluster.checkpoint()
        let costs = try await costs()
        results.record(.mpinAuthentications, costs.rate)
        guard costs.authentication > 0, costs.blind > 0 else { return }
        let client = try await people[0].clientMilliseconds()
        let perCore = 1_000 / (costs.authentication - client)
        results.record(.mpinPerCore, perCore)
        results.record(.mpinBlind, 1_000 / (costs.blind - (try await blind[0].clientMilliseconds())))
        results.record(.mpinAgainstBlind, perCore)
        guard let hashing = costs.hashing else { return }
        results.record(.mpinArgon2, hashing - costs.authentication)
        // Hashing came beside the verification there, and is to be in its place.
        results.record(.mpinWithArgon2, 1_000 / (hashing - client - costs.computation))
        results.record(.mpinAgainstArgon2, perCore)
    }

    /// Starts a D-TA that has issued nothing and one that has issued, one after the other.
    private func measureMemory(_ results: inout Results) async throws {
        guard let fresh = try await fresh.memory(), let full = try await full.memory() else { return }
        results.record(.authorityFresh, fresh.resident / 1_048_576)
        results.record(.authorityIssued, full.resident / 1_048_576)
        results.record(.authorityPerIdentity, (full.anonymous - fresh.anonymous) / Double(Self.issued))
    }

    /// What is compared, in milliseconds of processor time, and authentications per second.
    private struct Costs: Sendable {
        var rate: Double
        var authentication: Double
        /// What both passes compute.
        var computation: Double
        var blind: Double
        /// An authentication beside which one hash is computed.
        var hashing: Double?
    }

    /// One sample.
    private enum Part {
        case authentications
        case blind
        case hashing
    }

    /// Measures authentications before and after those with hashing, and blind log-ins between them, because the speed of a
    /// shared machine changes within seconds.
    private func costs() async throws -> Costs {
        let (plan, people, blind, secret, postmaster) = (plan, people, blind, secret, postmaster)
        let (proof, python) = (proof, python)
        let service = BenchService(cluster, Self.database, masters, mpinKeys: mpinMasters)
        return try await service.run { assembly in
            let session = try await BenchSession(assembly.service, secret)
            let blindLoad = BlindLoad(people: blind, session: session)
            // So many at once that every connection has made its plans before anything is measured.
            _ = try await Self.load(people, session, 1, postmaster)
            _ = try await blindLoad.full(1, postmaster)
            var plain: [FullLoad] = [], blindCosts: [Double] = [], computations: [Double] = []
            var hashing: Double?
            for part in [Part.authentications, .blind, .hashing, .blind, .authentications] {
                switch part {
                case .authentications:
                    computations.append(try await proof.passesMilliseconds())
                    plain.append(try await Self.load(people, session, plan.logInSeconds, postmaster))
                case .blind:
                    blindCosts.append(try await blindLoad.full(plan.logInSeconds, postmaster).processorTime)
                case .hashing:
                    guard let python else { continue }
                    let workers = try HashingWorkers(python: python)
                    hashing = try await Self.load(people, session, plan.logInSeconds, postmaster, (workers, 1))
                        .processorTime
                    await workers.stop()
                }
            }
            return Costs(
                rate: Self.mean(plain.map(\.rate)), authentication: Self.mean(plain.map(\.processorTime)),
                computation: Self.mean(computations), blind: Self.mean(blindCosts), hashing: hashing)
        }
    }

    /// Everybody authenticates again and again.
    private static func load(
        _ people: [MPinPerson], _ session: BenchSession, _ seconds: Int, _ postmaster: Int,
        _ hashing: BlindPerson.Hashing? = nil
    ) async throws -> FullLoad {
        try await FullLoad.run(people, seconds, postmaster, hashing?.workers.processes ?? []) { person in
            try await person.authenticate(session, hashing: hashing)
        }
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
}

extension Measure {
    static let mpinVerifications = Measure("M-Pin proofs verified, points decoded before", unit: "per core, s")
    static let mpinPasses = Measure(
        "all that both passes compute", unit: "per core, s", ratioTo: mpinVerifications)
    static let mpinAuthentications = Measure("M-Pin authentications through the service, 32 callers")
    static let mpinArgon2 = Measure("one Argon2id beside each of them", unit: "ms CPU")
    static let mpinPerCore = Measure("M-Pin authentications by processor time", unit: "per core, s")
    static let mpinWithArgon2 = Measure("M-Pin's calls with one Argon2id instead", unit: "per core, s")
    static let mpinAgainstArgon2 = Measure(
        "M-Pin authentications against one Argon2id", unit: "per core, s", ratioTo: mpinWithArgon2)
    static let mpinBlind = Measure("blind log-ins beside M-Pin", unit: "per core, s")
    static let mpinAgainstBlind = Measure(
        "M-Pin authentications against blind log-ins", unit: "per core, s", ratioTo: mpinBlind)
    static let authorityFresh = Measure("memory of a D-TA that has issued nothing", unit: "MiB")
    static let authorityIssued = Measure("memory of a D-TA with 10,000 identities", unit: "MiB")
    static let authorityPerIdentity = Measure("memory of a D-TA for each identity", unit: "bytes")
}
