import Canonical
import Foundation
import Identity
import IdentityService
import Keys
import TenureAPI
import TenureServer

/// Log-ins by a passkey through HTTP: a challenge, and the answer of the log-in page's form. In the same run direct
/// mode and one Argon2id, which other services compute for a password.
struct PasskeyBench: Benchmark {
    static let name = "passkeys"
    static let pairs: [PairedMeasure] = [.passkey]
    static let measures: [Measure] = [.passkeysOfCore, .passkeyLogIns, .directOfCore, .argonOfCore]

    private static let database = "bench_passkeys"
    private static let people = 32

    /// A browser on the log-in page, with the passkey of its person.
    private struct Browser: Sendable {
        let connection: LoopbackConnection
        let person: PasskeyPerson
        let cookie: String
        /// The hidden fields of the form.
        let fields: [(name: String, value: String)]
    }

    private let cluster: Cluster
    private let plan: Plan
    private let masters = MasterKeys.random()
    private let app: OperatorUseCases.IssuedSecret
    private let people: [(direct: BenchPerson, passkey: PasskeyPerson)]
    private let postmaster: Int
    private let server: PageServer
    private let credentials: CredentialBench
    private let python: String?

    /// Registers founders whose companies link the pages, and adds a passkey to each account.
    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("registering \(Self.people) people with passkeys")
        self.cluster = cluster
        self.plan = plan
        postmaster = try await cluster.postmaster()
        server = try PageServer(cluster, Self.database, masters)
        credentials = try CredentialBench(cluster: cluster, plan: plan)
        python = HashingWorkers.python(in: ProcessInfo.processInfo.environment)
        try await cluster.makeDatabase(Self.database)
        let service = BenchService(cluster, Self.database, masters, publicURL: PasskeyPerson.origin)
        (app, people) = try await service.run { assembly in
            let commands = assembly.commands
            let secret = try await commands.createApp(name: "bench", roles: AppLinkRequest.Role.usual)
            let pages = try await commands.enablePages().view.appId
            try await commands.setOrigins(PasskeyRules(rpID: PasskeyPerson.site, origins: [PasskeyPerson.origin]))
            let session = try await BenchSession(assembly.service, secret)
            var people: [(direct: BenchPerson, passkey: PasskeyPerson)] = []
            for number in 1...Self.people {
                let person = BenchPerson(number: number)
                try await session.register(person)
                try await commands.linkApp(pages, to: person.company)
                people.append((person, try await PasskeyPerson(of: person, session)))
            }
            return (secret, people)
        }
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        try await cluster.checkpoint()
        let (plan, people, credentials, postmaster) = (plan, people, credentials, postmaster)
        let (pairs, full) = try await server.run { pages in
            var browsers: [Browser] = []
            for person in people { browsers.append(try await Self.open(pages.port, person.passkey)) }
            func load(_ seconds: Int) async throws -> FullLoad {
                // What the browsers and authenticators compute is not the service's.
                try await FullLoad.run(browsers, seconds, postmaster, [pages.process], ofServer: true) {
                    try await Self.logIn($0)
                }
            }
            // A second, unmeasured: every connection makes its plans.
            _ = try await load(1)
            var full = FullLoad(rate: 0, processorTime: 0)
            let pairs = try await PairedMeasure.passkey.pairs(
                base: { try await credentials.openingMilliseconds() },
                measured: {
                    full = try await load(plan.logInSeconds)
                    return full.processorTime
                })
            return (pairs, full)
        }
        results.record(.passkey, pairs)
        results.record(.passkeyLogIns, full.rate)
        record(.passkeysOfCore, full, &results)
        record(.directOfCore, try await direct(), &results)
        if let python {
            let workers = try HashingWorkers(python: python)
            let hashes = try await FullLoad.run(
                Array(repeating: workers, count: workers.processes.count), 1, postmaster, workers.processes,
                ofServer: true
            ) { try await $0.hash() }
            await workers.stop()
            record(.argonOfCore, hashes, &results)
        }
    }

    /// Records how many a core computes in a second; nothing where the system does not tell processor time.
    private func record(_ measure: Measure, _ load: FullLoad, _ results: inout Results) {
        if load.processorTime > 0 { results.record(measure, 1_000 / load.processorTime) }
    }

    /// Log-ins of the same people in direct mode through the use cases, without HTTP.
    private func direct() async throws -> FullLoad {
        let (plan, app, people, postmaster) = (plan, app, people.map(\.direct), postmaster)
        return try await BenchService(cluster, Self.database, masters).run { assembly in
            let session = try await BenchSession(assembly.service, app)
            // Once, unmeasured: the connections are opened and the statements prepared.
            for person in people.prefix(4) { try await session.logIn(person) }
            return try await FullLoad.run(people, plan.logInSeconds, postmaster) { try await session.logIn($0) }
        }
    }

    /// Opens the log-in page.
    private static func open(_ port: Int, _ person: PasskeyPerson) async throws -> Browser {
        let connection = try LoopbackConnection(port: port), page = try await connection.get("/login")
        let form = page.body.split(separator: "</form>").first { $0.contains(#"action="/passkey/login""#) }
        let fields = form?.matches(of: /name="(token|once)" value="([^"]+)"/).map {
            (name: String($0.output.1), value: String($0.output.2))
        }
        guard let fields, fields.count == 2, let cookie = page.field("Set-Cookie")?.prefix(while: { $0 != ";" }) else {
            throw BenchError("the log-in page offers no passkey:\n\(page.head)")
        }
        return Browser(connection: connection, person: person, cookie: String(cookie), fields: fields)
    }

    /// Logs a person in, as the button of the log-in page does, in a browser in which nobody is logged in.
    private static func logIn(_ browser: Browser) async throws {
        let connection = browser.connection, cookie = browser.cookie
        let asked = try await connection.post("/passkey/challenge", [], cookie: cookie)
        guard asked.status == 200, let challenge = Base64URL.decode(asked.body) else {
            throw BenchError("there is no challenge: \(asked.head)")
        }
        let answer = browser.fields + (try browser.person.answer(challenge))
        let done = try await connection.post("/passkey/login", answer, cookie: cookie)
        guard done.status == 303, done.field("Location")?.hasSuffix("/account") == true else {
            throw BenchError("a passkey logged nobody in: \(done.head)")
        }
    }
}

extension PairedMeasure {
    static let passkey = PairedMeasure(
        title: "passkey log-in through HTTP, 32 browsers", unit: "ms",
        base: "opening credentials by a passphrase")
}

extension Measure {
    private static let ofCore = "per second of a core"
    static let passkeysOfCore = Measure("passkey log-ins through HTTP", unit: ofCore, goal: .atLeast(100))
    static let passkeyLogIns = Measure("passkey log-ins through HTTP, 32 browsers")
    static let directOfCore = Measure("direct log-ins of the same people, without HTTP", unit: ofCore)
    static let argonOfCore = Measure("Argon2id alone, 19 MiB, t = 2", unit: ofCore)
}
