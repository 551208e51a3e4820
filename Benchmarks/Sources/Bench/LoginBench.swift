import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// Logins in direct mode through the use cases, as the HTTP layer calls them: start, key, passphrase.
struct LoginBench: Benchmark {
    static let name = "logins"
    static let pairs: [PairedMeasure] = [.logIn]
    static let measures: [Measure] = [.logIns]

    private static let database = "bench_logins"
    private static let people = 32

    private let cluster: Cluster
    private let plan: Plan
    private let masters = MasterKeys.random()
    private let app: OperatorUseCases.IssuedSecret
    private let people: [BenchPerson]
    private let postmaster: Int
    private let credentials: CredentialBench

    /// Makes the database and registers one person for each caller, each the founder of a company.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("registering \(Self.people) people")
        self.cluster = cluster
        self.plan = plan
        postmaster = try await cluster.postmaster()
        credentials = try CredentialBench(cluster: cluster, plan: plan)
        try await cluster.makeDatabase(Self.database)
        let people = (1...Self.people).map { BenchPerson(number: $0) }
        app = try await BenchService(cluster, Self.database, masters).run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: AppLinkRequest.Role.usual)
            let session = try await BenchSession(assembly.service, secret)
            try await withThrowingTaskGroup { group in
                for person in people { group.addTask { try await session.register(person) } }
                try await group.waitForAll()
            }
            return secret
        }
        self.people = people
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        let (app, people, credentials, postmaster) = (app, people, credentials, postmaster)
        let seconds = plan.logInSeconds
        let (pairs, rate) = try await BenchService(cluster, Self.database, masters).run { assembly in
            let session = try await BenchSession(assembly.service, app)
            // Once, unmeasured: the connections are opened and the statements prepared.
            for person in people.prefix(4) { try await session.logIn(person) }
            var rate = 0.0
            let pairs = try await PairedMeasure.logIn.pairs(base: { try await credentials.openingMilliseconds() }) {
                let load = try await FullLoad.run(people, seconds, postmaster) { try await session.logIn($0) }
                rate = load.rate
                return load.processorTime
            }
            return (pairs, rate)
        }
        results.record(.logIn, pairs)
        results.record(.logIns, rate)
    }
}

extension PairedMeasure {
    static let logIn = PairedMeasure(
        title: "direct log-in, 32 callers", unit: "ms", base: "opening credentials by a passphrase")
}

extension Measure {
    static let logIns = Measure("log-ins through the service, 32 callers")
}
