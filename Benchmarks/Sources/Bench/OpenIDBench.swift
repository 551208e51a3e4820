import CryptoExtras
import Foundation
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// What apps wait for that log people in here: an authorization by somebody who is logged in, and the log-in page of
/// somebody who is not. Both in a database of many companies.
struct OpenIDBench: Benchmark {
    static let name = "openid"
    static let pairs: [PairedMeasure] = [.authorization]
    static let measures: [Measure] = [.authorizations, .pageFirstByte, .pageWeight]

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
    private let key: _RSA.Signing.PrivateKey

    /// Registers people, with companies that link the client, and adds companies until there are 10,000.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing \(Self.companies) companies")
        self.cluster = cluster
        self.plan = plan
        postmaster = try await cluster.postmaster()
        server = try PageServer(cluster, Self.database, masters)
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
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

    /// Authorizations first, then the page.
    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        let (plan, people, secret, postmaster, key) = (plan, people, secret, postmaster, key)
        let (pairs, rate, (path, cookie)) = try await BenchService(cluster, Self.database, masters).run { assembly in
            let session = try await BenchSession(assembly.service, secret)
            let client = BenchClient(session: session, secret: secret)
            var cookies: [String] = []
            for person in people { cookies.append(try await client.cookie(of: person)) }
            func load(_ seconds: Int) async throws -> FullLoad {
                try await FullLoad.run(cookies, seconds, postmaster) { try await client.greet(cookie: $0) }
            }
            // A second, unmeasured: every connection makes its plans.
            _ = try await load(1)
            var rate = 0.0
            let pairs = try await PairedMeasure.authorization.pairs(
                base: {
                    try await CredentialBench.millisecondsOnEveryCore {
                        _ = try key.signature(for: [UInt8](repeating: 7, count: 600), padding: .insecurePKCS1v1_5)
                    }
                },
                measured: {
                    let full = try await load(plan.logInSeconds)
                    rate = full.rate
                    return full.processorTime
                })
            return (pairs, rate, try await client.logInPage())
        }
        results.record(.authorization, pairs)
        results.record(.authorizations, rate)
        let page = try await server.run { pages in
            var pages = pages
            pages.cookie = cookie
            _ = try await pages.firstBytes(of: path, count: 100)
            let times = try await pages.firstBytes(of: path, count: Self.pages)
            return (firstByte: times[times.count * 95 / 100], weight: try await pages.weight(of: path))
        }
        results.record(.pageFirstByte, page.firstByte)
        results.record(.pageWeight, Double(page.weight))
    }
}

extension PairedMeasure {
    static let authorization = PairedMeasure(
        title: "authorization by a browser session, 32 callers", unit: "ms", base: "one signature of RS256")
}

extension Measure {
    static let authorizations = Measure("authorizations by browser sessions, 32 callers")
    static let pageFirstByte = Measure(
        "p95 of the log-in page's first byte, 10,000 tenants", unit: "ms", goal: .atMost(50))
    static let pageWeight = Measure("log-in page with style and modules", unit: "bytes", goal: .atMost(40_000))
}
