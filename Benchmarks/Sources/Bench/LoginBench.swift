import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// Logins in direct mode through the use cases, as the HTTP layer calls them: start, key, passphrase.
struct LoginBench: Benchmark {
    static let name = "logins"
    static let measures: [Measure] = [.logins8, .logins32]

    private static let database = "bench_logins"
    private static let people = 32

    private let cluster: Cluster
    private let plan: Plan
    private let masters = MasterKeys.random()
    private let app: OperatorUseCases.IssuedSecret
    private let people: [BenchPerson]

    /// Makes the database and registers one person for each caller, each the founder of a company.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("registering \(Self.people) people")
        self.cluster = cluster
        self.plan = plan
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

    /// One sample with 8 and one with 32 callers.
    func measure(_ repetition: Int, _ results: inout Results) async throws {
        for (measure, callers) in [(Measure.logins8, 8), (Measure.logins32, 32)] {
            try await cluster.checkpoint()
            let app = app, people = people.prefix(callers), seconds = plan.logInSeconds
            let rate = try await BenchService(cluster, Self.database, masters).run { assembly in
                let session = try await BenchSession(assembly.service, app)
                // Once, unmeasured: the connections are opened and the statements prepared.
                for person in people.prefix(4) { try await session.logIn(person) }
                let start = ContinuousClock.now, deadline = start + .seconds(seconds)
                let count = try await Self.logIn(people, session, until: deadline)
                return Double(count) / (ContinuousClock.now - start).inSeconds
            }
            results.record(measure, rate)
        }
    }

    private static func logIn(
        _ people: ArraySlice<BenchPerson>, _ session: BenchSession, until deadline: ContinuousClock.Instant
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for person in people {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < deadline {
                        try await session.logIn(person)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }
}

extension Measure {
    static let logins8 = Measure("log-ins through the service, 8 callers", ratioTo: passphrasesPossible)
    static let logins32 = Measure("log-ins through the service, 32 callers", ratioTo: passphrasesPossible)
}
