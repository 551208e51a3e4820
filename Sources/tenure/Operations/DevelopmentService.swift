import ArgumentParser
import Canonical
import Foundation
import FoundationEssentials
import HTTPAPI
import Identity
import IdentityService
import Keys
import LocalDevelopment
import Logging
import Postgres
import ServiceLifecycle
import Synchronization
import TenureAPI
import TenureServer
import Text

extension DevelopmentPerson {
    /// What the page of a development service shows of a person of the demo company.
    init(_ person: DemoCompany.Person) {
        self.init(
            company: DemoCompany.name, employeeId: person.employeeId, email: person.email, role: person.role,
            answers: person.answers.map { Answer($0.question, $0.answer) }, passphrase: person.passphrase)
    }
}

/// The service of `make run`: a private database, keys, a demo app, a demo tenant, two D-TAs, and the API.
struct DevelopmentService: Sendable {
    let state: StateDirectory
    let port: Int
    /// The public URL; `nil` for `http://localhost` with the port.
    let publicURL: String?
    /// Where the metrics are served; `nil` for nowhere.
    let metrics: MetricsListener?
    /// Who may found a tenant on the pages.
    let founding: FoundingRule
    /// Whose pages and mails it serves.
    let brand: Brand
    /// The maximum delay of recoveries; `nil` applies the tenant's policy.
    let recoveryDelay: Duration?
    let hangups: HangupSignals
    let logger: Logger
    private let started = ContinuousClock.now

    init(
        state: StateDirectory, port: Int, publicURL: String?, metrics: MetricsListener?, founding: FoundingRule,
        brand: Brand, recoveryDelay: Duration? = nil, hangups: HangupSignals, logger: Logger
    ) {
        self.state = state
        self.port = port
        self.publicURL = publicURL
        self.metrics = metrics
        self.founding = founding
        self.brand = brand
        self.recoveryDelay = recoveryDelay
        self.hangups = hangups
        self.logger = logger
    }

    /// Serves until Ctrl-C. Stops the private database and the D-TAs in every case.
    func run() async throws {
        try state.prepare()
        let lock = try StateLock(at: state.lockFile)
        defer { withExtendedLifetime(lock) {} }
        try LocalPort.requireFree(port)
        try MPinDevelopmentAuthorities.requireFreePorts(after: port)
        let cluster = try await PrivateCluster.find(stateDirectory: state.path)
        let masters = try masterKeys(for: cluster.layout)
        let authorities = try await MPinDevelopmentAuthorities.start(state: state, port: port)
        try await authorities.run { try await run(cluster, masters: masters) }
    }

    private func run(_ cluster: PrivateCluster, masters: MasterKeyStore) async throws {
        if cluster.layout.madeByMajor == nil { say("Creating a private PostgreSQL \(cluster.installation.major) ...") }
        let start = try await cluster.start()
        try state.link(to: cluster.layout)
        do {
            try await serve(cluster, start: start, masters: masters)
        } catch {
            try? await cluster.stop()
            throw error
        }
        say("Stopping the private PostgreSQL ...")
        try await cluster.stop()
    }

    private func serve(_ cluster: PrivateCluster, start: PrivateCluster.Start, masters: MasterKeyStore) async throws {
        let layout = cluster.layout
        _ = try await DatabaseMigration.run(
            try PostgresConfiguration(url: layout.url(role: "tenure_owner")), logger: logger)
        var parts = try ServiceParts(
            cluster: layout, masters: masters, operatorKey: OperatorKeyFile(path: state.operatorKeyFile), port: port,
            publicURL: publicURL, mpin: try MPinAuthorityClientConfiguration(development: state, port: port),
            founding: founding)
        parts.assembly.settings.recoveryDelay = recoveryDelay
        parts.http.brand = brand
        parts.assembly.eraseList = ErasureList(beside: MasterKeyFile(path: state.masterKeyFile))
        parts.keepMails(in: MailDirectory(path: state.mailDirectory))
        parts.http.developmentPeople = { [state] in DemoCompany.people(in: state).map(DevelopmentPerson.init) }
        let preparation = DevelopmentPreparation()
        parts.http.metrics = metrics.map(preparation.noting)
        parts.http.preparation = { preparation.missing }
        let address = parts.http.address
        try await ServiceRun.run(parts, hangups: hangups, logger: logger) { ports, commands in
            DevelopmentSetUp(
                state: state, cluster: cluster, start: start, commands: commands, preparation: preparation,
                address: address, ports: ports, started: started)
        }
        say("\nStopped serving.")
    }

    /// Returns the master keys of the database. If the database exists without keys, throws instead of creating new
    /// ones.
    private func masterKeys(for cluster: ClusterLayout) throws -> MasterKeyStore {
        let file = MasterKeyFile(path: state.masterKeyFile)
        guard cluster.madeByMajor != nil, !FileManager.default.fileExists(atPath: state.masterKeyFile) else {
            return MasterKeyStore(try file.loadOrCreate(), file: file)
        }
        throw CommandFailure(
            .failure, "the database in \(cluster.base) exists, but its keys in \(state.masterKeyFile) are gone",
            remedy: "Restore the file, or start again: rm -rf \(cluster.base) \(state.path)")
    }

    private func say(_ text: String) { Output.standardError().line(text) }
}

/// Creates the demo app and the demo tenant and prints the banner, once the service accepts connections.
struct DevelopmentSetUp: Service {
    let state: StateDirectory
    let cluster: PrivateCluster
    let start: PrivateCluster.Start
    let commands: OperatorUseCases
    let preparation: DevelopmentPreparation
    /// The address of the pages, without a slash at the end.
    let address: String
    let ports: AsyncStream<Int>
    let started: ContinuousClock.Instant

    func run() async throws {
        for await port in ports.cancelOnGracefulShutdown() { try await prepare(port: port) }
        try? await gracefulShutdown()
    }

    private func prepare(port: Int) async throws {
        let environment = try await environment(port: port)
        try SecretFile.replace(at: state.environmentFile, with: environment.text)
        preparation.pass(.app)
        let mails = MailDirectory(path: state.mailDirectory)
        let demo = DemoCompany(environment, in: state) {
            mails.list().compactMap { mails.summary($0) }.map { .init(recipient: $0.recipient, links: $0.links) }
        } confirm: { [commands] in
            try await commands.confirmAddress(byLink: $0)
        }
        let output = Output.standardError()
        try await demo.found { output.line("Registering the people of \(DemoCompany.name) ...") }
        // Before anybody can link or unlink it, so that the next start changes nothing that a person decided.
        if try await commands.enablePages().changed, let pages = try await commands.pagesApp() {
            try await commands.linkApp(pages, to: DemoCompany.name)
        }
        if let rules = PasskeyRules(publicURL: environment.url) { try await commands.setOrigins(rules) }
        preparation.pass(.company)
        output.write(banner(environment, port: port).rendered(on: output.terminal))
    }

    /// Returns the environment of the last run with this run's addresses. Creates an app if there is none.
    private func environment(port: Int) async throws -> DevelopmentEnvironment {
        let old = (try? String(contentsOf: URL(filePath: state.environmentFile), encoding: .utf8))
            .flatMap(DevelopmentEnvironment.init(text:))
        let (id, secret, salt) =
            if let old { (old.appId, old.appSecret, old.appSalt) } else { try await demoApp() }
        return DevelopmentEnvironment(
            // The name that tokens have as their issuer, so that whoever verifies them needs no other.
            url: "http://localhost:\(port)", appId: id, appSecret: secret, appSalt: salt,
            databaseURL: cluster.layout.url(role: "tenure_app"),
            readerDatabaseURL: cluster.layout.url(role: "tenure_reader"),
            ownerDatabaseURL: cluster.layout.url(role: "tenure_owner"), masterKeyFile: state.masterKeyFile,
            operatorKeyFile: state.operatorKeyFile)
    }

    private func demoApp() async throws -> (String, String, String) {
        let roles = Set(AppLinkRequest.Role.allCases)
        // If the file was deleted, the app exists without a known secret. Secrets are never stored, so the app gets a
        // new one.
        let known = try await commands.apps().first { $0.name == Self.appName }
        let issued =
            if let known { try await commands.issueSecret(appId: known.appId, roles: roles) } else {
                try await commands.createApp(name: Self.appName, roles: roles)
            }
        return (issued.appId.lowercased, issued.secret, issued.salt)
    }

    private static let appName = "demo"

    private func banner(_ environment: DevelopmentEnvironment, port: Int) -> Banner {
        let database = "private PostgreSQL \(cluster.installation.major), \(start.rawValue), in \(state.clusterLink)"
        let company = "\(environment.url)/v1/companies/\(DemoCompany.name)"
        let counters = preparation.counters.map { "counters are at \($0)" } ?? ""
        return Banner(
            version: Tenure.version, readyAfter: started.duration(to: .now),
            lines: [
                .init(label: "Pages", value: address + "/", note: "register and log in here; /dev shows people"),
                .init(label: "API", value: environment.url + "/v1"),
                .init(label: "Reference", value: environment.url + "/docs", note: "the description is /openapi.yaml"),
                .init(label: "Health", value: environment.url + "/readyz", note: counters),
                .init(label: "Database", value: database),
                .init(
                    label: "D-TAs", value: MPinDevelopmentAuthorities.addresses(after: port).joined(separator: " "),
                    note: "for M-Pin; two on one host are a demonstration"),
                .init(label: "App", value: environment.appId, note: "secrets in \(state.environmentFile)"),
                .init(label: "Company", value: DemoCompany.name, note: DemoCompany.summary),
                .init(label: "Its people", value: state.path + "/demo.json", note: "device keys and answers"),
            ],
            firstCall: """
                . \(ShellWord.quoteIfNeeded(state.environmentFile))
                  curl -s -u "$TENURE_APP_ID:$TENURE_APP_SECRET" \(company)/employees | jq .
                """,
            warning: "Development: plain HTTP on loopback, generated secrets, demo data. Ctrl-C stops it.")
    }
}

/// What a development service prepares after it has begun to listen; until then it is not ready.
///
/// It listens before, because the demo company registers through HTTP.
final class DevelopmentPreparation: Sendable {
    /// A step. Its text is the reason that `/readyz` gives until the step is passed.
    enum Step: String, CaseIterable {
        case app = "the demo app is not created and dev.env is not written yet"
        case company = "the demo company is not registered yet"
    }

    private let left = Mutex(Step.allCases)
    private let served = Mutex<String?>(nil)

    /// The address of the counters; `nil` while they are not served, such as when another program has their address.
    var counters: String? { served.withLock { $0 } }

    /// The same listener, whose address is noted once it accepts connections.
    func noting(_ listener: MetricsListener) -> MetricsListener {
        var noted = listener
        noted.onServerRunning = { [self] port in
            var bound = listener
            bound.port = port
            let url = bound.url
            served.withLock { $0 = url }
        }
        return noted
    }

    /// The reasons why the service is not ready, in the order of the steps.
    var missing: [String] { left.withLock { $0.map(\.rawValue) } }

    /// Records that a step is done.
    func pass(_ step: Step) { left.withLock { $0.removeAll { $0 == step } } }
}
