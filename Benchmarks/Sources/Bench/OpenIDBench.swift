import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// What apps wait for that log people in here: an authorization by somebody who is logged in, and the log-in page of
/// somebody who is not. Both in a database of many companies.
struct OpenIDBench: Benchmark {
    static let name = "openid"
    static let measures: [Measure] = [
        .directPerCore, .authorizations, .authorizationsPerCore, .pageFirstByte, .pageWeight,
    ]

    private static let database = "bench_openid"
    private static let people = 32
    private static let companies = 10_000
    private static let pages = 1_000

    private let cluster: Cluster
    private let plan: Plan
    private let masters = MasterKeys.random()
    private let secret: OperatorUseCases.IssuedSecret
    private let people: [BenchPerson]
    private let postmaster: Int
    private let server: PageServer

    /// Registers people, with companies that link the client, and adds companies until there are 10,000.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing \(Self.companies) companies")
        self.cluster = cluster
        self.plan = plan
        postmaster = try await cluster.postmaster()
        server = try PageServer(cluster, Self.database, masters)
        try await cluster.makeDatabase(Self.database)
        let people = (1...Self.people).map { BenchPerson(number: $0) }
        secret = try await BenchService(cluster, Self.database, masters).run { assembly in
            let secret = try await assembly.commands.createApp(name: "bench", roles: AppLinkRequest.Role.usual)
            try await assembly.commands.changeClient(appId: secret.appId, BenchClient.entry)
            try await assembly.commands.enablePages()
            let session = try await BenchSession(assembly.service, secret)
            try await withThrowingTaskGroup { group in
                for person in people { group.addTask { try await session.register(person) } }
                try await group.waitForAll()
            }
            return secret
        }
        self.people = people
        try await CopiedCompanies(cluster: cluster, database: Self.database, masters: masters).make(
            Self.companies - Self.people)
        _ = try await FollowedViews(cluster: cluster, database: Self.database, masters: masters).settle()
        try await cluster.execute("VACUUM ANALYZE", in: Self.database)
    }

    /// Direct log-ins first, then authorizations by the same people, then the page.
    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        let (plan, people, secret, postmaster) = (plan, people, secret, postmaster)
        let measured = try await BenchService(cluster, Self.database, masters).run { assembly in
            let session = try await BenchSession(assembly.service, secret)
            let client = BenchClient(session: session, secret: secret)
            // A second each, unmeasured: every connection makes its plans.
            var direct: FullLoad?, authorizations: FullLoad?
            for seconds in [1, plan.logInSeconds] {
                direct = try await FullLoad.run(people, seconds, postmaster) { try await session.logIn($0) }
            }
            var cookies: [String] = []
            for person in people { cookies.append(try await client.cookie(of: person)) }
            for seconds in [1, plan.logInSeconds] {
                authorizations = try await FullLoad.run(cookies, seconds, postmaster) {
                    try await client.greet(cookie: $0)
                }
            }
            return (direct, authorizations, try await client.logInPage())
        }
        let (direct, authorizations, (path, cookie)) = measured
        let page = try await server.run { pages in
            var pages = pages
            pages.cookie = cookie
            _ = try await pages.firstBytes(of: path, count: 100)
            let times = try await pages.firstBytes(of: path, count: Self.pages)
            return (firstByte: times[times.count * 95 / 100], weight: try await pages.weight(of: path))
        }
        results.record(.pageFirstByte, page.firstByte)
        results.record(.pageWeight, Double(page.weight))
        guard let direct, let authorizations else { return }
        results.record(.authorizations, authorizations.rate)
        guard direct.processorTime > 0, authorizations.processorTime > 0 else { return }
        results.record(.directPerCore, 1_000 / direct.processorTime)
        results.record(.authorizationsPerCore, 1_000 / authorizations.processorTime)
    }
}

extension Measure {
    static let directPerCore = Measure("direct log-ins by processor time", unit: "per core, s")
    static let authorizations = Measure("authorizations by browser sessions, 32 callers")
    static let authorizationsPerCore = Measure(
        "authorizations by processor time", unit: "per core, s", ratioTo: directPerCore)
    static let pageFirstByte = Measure(
        "p95 of the log-in page's first byte, 10,000 tenants", unit: "ms", goal: .atMost(50))
    static let pageWeight = Measure("log-in page with style and modules", unit: "bytes", goal: .atMost(40_000))
}
