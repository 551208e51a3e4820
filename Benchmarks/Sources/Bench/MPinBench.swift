import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// Authentications with a PIN: what verification computes, whole authentications through the use cases beside blind
/// log-ins and hashing, and the memory of a D-TA.
struct MPinBench: Benchmark {
    static let name = "mpin"
    static let pairs: [PairedMeasure] = [.mpinPasses, .mpin]
    static let measures: [Measure] = [
        .mpinAuthentications, .mpinArgon2, .mpinWithArgon2, .mpinBlind, .authorityFresh, .authorityIssued,
        .authorityPerIdentity,
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
        let passes = try await PairedMeasure.mpinPasses.pairs(
            base: { try await self.proof.verificationMilliseconds() },
            measured: { try await self.proof.passesMilliseconds() })
        results.record(.mpinPasses, passes)
        try await measureMemory(&results)
        try await cluster.checkpoint()
        let (seconds, people, blind, secret, postmaster) = (plan.logInSeconds, people, blind, secret, postmaster)
        let (proof, python, client) = (proof, python, try await people[0].clientMilliseconds())
        let blindClient = try await blind[0].clientMilliseconds()
        try await BenchService(cluster, Self.database, masters, mpinKeys: mpinMasters).run { assembly in
            let session = try await BenchSession(assembly.service, secret)
            let blindLoad = BlindLoad(people: blind, session: session)
            // So many at once that every connection has made its plans before anything is measured.
            _ = try await Self.load(people, session, 1, postmaster)
            _ = try await blindLoad.full(1, postmaster)
            var full = FullLoad(rate: 0, processorTime: 0)
            let pairs = try await PairedMeasure.mpin.pairs(base: { try await proof.passesMilliseconds() }) {
                full = try await Self.load(people, session, seconds, postmaster)
                return full.processorTime - client
            }
            results.record(.mpin, pairs)
            results.record(.mpinAuthentications, full.rate)
            let served = full.processorTime - client
            guard served > 0 else { return }
            let blindCost = try await blindLoad.full(seconds, postmaster).processorTime - blindClient
            results.record(.mpinBlind, blindCost / served)
            guard let python else { return }
            let workers = try HashingWorkers(python: python)
            let hashing = try await Self.load(people, session, seconds, postmaster, (workers, 1)).processorTime
            await workers.stop()
            results.record(.mpinArgon2, hashing - full.processorTime)
            // Hashing came beside the verification there, and is to be in its place.
            results.record(.mpinWithArgon2, (hashing - client - (try await proof.passesMilliseconds())) / served)
        }
    }

    /// Starts a D-TA that has issued nothing and one that has issued, one after the other.
    private func measureMemory(_ results: inout Results) async throws {
        guard let fresh = try await fresh.memory(), let full = try await full.memory() else { return }
        results.record(.authorityFresh, fresh.resident / 1_048_576)
        results.record(.authorityIssued, full.resident / 1_048_576)
        results.record(.authorityPerIdentity, (full.anonymous - fresh.anonymous) / Double(Self.issued))
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
}

extension PairedMeasure {
    static let mpinPasses = PairedMeasure(
        title: "all that both passes of M-Pin compute", unit: "ms", base: "a proof verified, points decoded before")
    static let mpin = PairedMeasure(
        title: "M-Pin authentication, 32 callers", unit: "ms", base: "all that both passes compute")
}

extension Measure {
    static let mpinAuthentications = Measure("M-Pin authentications through the service, 32 callers")
    static let mpinArgon2 = Measure("one Argon2id beside each of them", unit: "ms CPU")
    static let mpinWithArgon2 = Measure("cost of an authentication with one Argon2id instead", unit: "times")
    static let mpinBlind = Measure("cost of a blind log-in against an authentication", unit: "times")
    static let authorityFresh = Measure("memory of a D-TA that has issued nothing", unit: "MiB")
    static let authorityIssued = Measure("memory of a D-TA with 10,000 identities", unit: "MiB")
    static let authorityPerIdentity = Measure("memory of a D-TA for each identity", unit: "bytes")
}
