import Canonical
import FoundationEssentials
import IdentityService
import ServiceLifecycle

/// What a development service does once it accepts connections: the demo app, the demo company, the banner.
struct DevelopmentSetUp: Service {
    let state: StateDirectory
    let cluster: PrivateCluster
    let start: PrivateCluster.Start
    let commands: OperatorCommands
    let ports: AsyncStream<Int>
    let started: ContinuousClock.Instant

    func run() async throws {
        for await port in ports.cancelOnGracefulShutdown() { try await prepare(port: port) }
        try? await gracefulShutdown()
    }

    private func prepare(port: Int) async throws {
        let environment = try await environment(port: port)
        try SecretFile.replace(at: state.environmentFile, with: environment.text)
        let demo = DemoCompany(caller: DemoCaller(environment), file: state.path + "/demo.json")
        let output = Output.standardError()
        try await demo.found { output.line("Registering the people of \(DemoCompany.name) ...") }
        output.write(banner(environment).rendered(on: output.terminal))
    }

    /// The environment of the last run with this run's addresses; with a new app when there is none yet.
    private func environment(port: Int) async throws -> DevelopmentEnvironment {
        let old = (try? String(contentsOf: URL(filePath: state.environmentFile), encoding: .utf8))
            .flatMap(DevelopmentEnvironment.init(text:))
        let (id, secret, salt) =
            if let old { (old.appId, old.appSecret, old.appSalt) } else { try await demoApp() }
        return DevelopmentEnvironment(
            url: "http://127.0.0.1:\(port)", appId: id, appSecret: secret, appSalt: salt,
            databaseURL: cluster.layout.url(role: "tenure_app"),
            readerDatabaseURL: cluster.layout.url(role: "tenure_reader"),
            ownerDatabaseURL: cluster.layout.url(role: "tenure_owner"), masterKeyFile: state.masterKeyFile)
    }

    private func demoApp() async throws -> (String, String, String) {
        let roles = Set(CallerRole.allCases)
        // The app is there without its secret when the file was deleted: a secret is never stored, so it gets another.
        let known = try await commands.apps().first { $0.name == Self.appName }
        let issued =
            if let known { try await commands.issueSecret(appId: known.appId, roles: roles) } else {
                try await commands.createApp(name: Self.appName, roles: roles)
            }
        return (issued.appId.lowercased, issued.secret, issued.salt)
    }

    private static let appName = "demo"

    private func banner(_ environment: DevelopmentEnvironment) -> Banner {
        let database = "private PostgreSQL \(cluster.installation.major), \(start.rawValue), in \(state.clusterLink)"
        let company = "\(environment.url)/v1/companies/\(DemoCompany.name)"
        return Banner(
            version: Tenure.version, readyAfter: started.duration(to: .now),
            lines: [
                .init(label: "API", value: environment.url + "/v1"),
                .init(label: "Reference", value: environment.url + "/docs", note: "the description is /openapi.yaml"),
                .init(label: "Health", value: environment.url + "/readyz", note: "counters are /metrics"),
                .init(label: "Database", value: database),
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
