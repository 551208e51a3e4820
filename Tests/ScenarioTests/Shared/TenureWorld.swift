import Canonical
import Credentials
import Foundation
import HTTPAPI
import IdentityService
import Keys
import Ledger
import Logging
import Postgres
import ServiceLifecycle
import Synchronization
import TenureAPI
import TenureServer
import Testing
import TestSupport

/// What a world may be told to do otherwise.
struct WorldOptions: Sendable {
    /// Names, costs and budgets; the cheapest accepted scrypt.
    var settings: ServiceSettings
    /// How many threads compute.
    var computeThreads = 2
    /// How many direct-mode calls may wait.
    var computeWaiting = 512
    /// How many requests one address may send; none by default, because all tests share one address.
    var rateLimit: RateLimit?
    /// Whether the app of the world lets its users choose questions of their own.
    var customQuestions = false
    /// Whether the service serves pages; a world with pages has an app for them.
    var servesPages = false
    /// The D-TAs that the service gets key shares of M-Pin from, if it offers M-Pin.
    var mpinKeys: (any MPinKeySource)?
    /// Takes the mails, if the service sends any. `settings.mail` is needed too.
    var mailTransport: (any MailTransport)?
    /// The file that the service keeps the newest anchor in, if any.
    var anchorFile: String?

    init(budgets: BudgetRules = BudgetRules()) {
        settings = ServiceSettings(budgets: budgets)
        // Tests in direct mode must reach a decoy's secret whichever name they try.
        settings.blindOnlyDecoys = 0
        // Tests move the clock by more than the five minutes of a token, and are about something else.
        settings.accessLifetime = .seconds(3_600)
        // They set the times of calls too, which are not the database's.
        settings.clockTolerance = nil
        // What recoveries are, without the time that they take.
        settings.recoveryDelay = .zero
        // A projector that gets no processor for seconds is none that stopped.
        settings.viewPatience = .seconds(60)
        if let cheap = try? ScryptParameters(log2N: 14) { settings.scrypt = cheap }
    }
}

/// An app with one of its secrets.
struct TestApp: Sendable {
    var appId: String
    var secret: String
    var salt: String
}

/// A running service on a database of its own, in this process, on a free port of 127.0.0.1.
struct TenureWorld: Sendable {
    let baseURL: URL
    let app: TestApp
    let database: TestDatabase
    let instance: RunningInstance
    let options: WorldOptions
    /// The file of the keys of every instance.
    let keyFile: MasterKeyFile
    /// The keys of the instance.
    let store: MasterKeyStore
    private let log: CollectedLog

    /// The service behind the address, for tests that set the time of a call.
    var service: any UseCaseRunner { instance.service }

    /// The keys of the start, for every process that a test starts.
    var masters: MasterKeys { store.keys }

    /// Everything that the service has logged so far.
    var logs: [String] { log.lines }

    /// Another app with all roles.
    ///
    /// - Parameter customQuestions: Whether its users may choose questions of their own.
    func makeApp(name: String, customQuestions: Bool = false) async throws -> TestApp {
        try await Self.makeApp(name: name, customQuestions: customQuestions, instance.commands)
    }

    /// A further secret of an app, with these roles of `ACCESS`, `CREATION`, `AUTHORIZATION`.
    func issueSecret(for app: TestApp, roles: [String]) async throws -> String {
        let id = try #require(UUID(uuidString: app.appId))
        let issued = try await instance.commands.issueSecret(
            appId: id, roles: Set(roles.compactMap(AppLinkRequest.Role.init(rawValue:))))
        return issued.secret
    }

    /// The operator links an app.
    func linkApp(_ app: TestApp, to company: String) async throws {
        try await instance.commands.linkApp(try #require(UUID(uuidString: app.appId)), to: company)
    }

    /// The operator confirms the company's domain.
    func confirmDomain(of company: String) async throws {
        try await instance.commands.confirmDomain(company: company)
    }

    /// The operator names the next security admin.
    func succeedSecurityAdmin(of company: String, by employee: String, on device: Device? = nil) async throws {
        try await instance.commands.succeedSecurityAdmin(
            of: company, by: employee, fingerprints: device.map { [$0.fingerprint] })
    }

    /// Runs statements as superuser on this world's database.
    func superuser<Result>(
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        var connection = try await database.connect(as: .superuser)
        return try await body(&connection)
    }

    /// Runs `body` with a second instance of the service on the same database.
    ///
    /// - Parameters:
    ///   - proxy: The URL of a proxy through which the instance reaches the database.
    ///   - change: What is different at this instance.
    func withSecondInstance<Result: Sendable>(
        through proxy: String? = nil, changing change: (inout WorldOptions) -> Void = { _ in },
        _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let store = try MasterKeyStore(file: keyFile)
        var options = options
        change(&options)
        return try await RunningInstance.with(database, options, store, log, through: proxy) { second in
            try await body(second.baseURL)
        }
    }

    /// Runs `body` with the operator's commands of a machine whose clock is ahead by some seconds, or behind.
    func withSecondCommands<Result: Sendable>(
        ahead seconds: Int, _ body: (OperatorUseCases) async throws -> Result
    ) async throws -> Result {
        var options = options
        options.settings.now = { .now().adding(.seconds(seconds)) }
        options.settings.clockTolerance = Appender.clockTolerance
        return try await RunningInstance.with(database, options, try MasterKeyStore(file: keyFile), log) { second in
            try await body(second.commands)
        }
    }

    static func with<Result>(
        _ options: WorldOptions, on server: String? = nil, _ body: (TenureWorld) async throws -> Result
    ) async throws -> Result {
        try await TestDatabase.with(on: try server ?? TestServer.requireURL()) { database in
            let files = try TemporaryFiles()
            defer { files.remove() }
            let keyFile = MasterKeyFile(path: files.path("master.json"))
            let store = MasterKeyStore(try keyFile.create(), file: keyFile)
            try TestOperator.write(to: keyFile.path + ".operator")
            let log = CollectedLog()
            return try await RunningInstance.with(database, options, store, log) { instance in
                let app = try await makeApp(
                    name: "scenarios", customQuestions: options.customQuestions, instance.commands)
                return try await body(
                    TenureWorld(
                        baseURL: instance.baseURL, app: app, database: database, instance: instance, options: options,
                        keyFile: keyFile, store: store, log: log))
            }
        }
    }

    private static func makeApp(
        name: String, customQuestions: Bool, _ commands: OperatorUseCases
    ) async throws -> TestApp {
        let issued = try await commands.createApp(
            name: name, roles: AppLinkRequest.Role.usual, customQuestions: customQuestions)
        return TestApp(
            appId: issued.appId.uuidString.lowercased(), secret: issued.secret, salt: issued.salt)
    }
}

/// Runs `body` with a service of its own, on a server of its own where one is named.
func withTenure<Result>(
    _ options: WorldOptions = WorldOptions(), on server: String? = nil,
    _ body: (TenureWorld) async throws -> Result
) async throws -> Result {
    try await TenureWorld.with(options, on: server, body)
}

/// The operator of every world: a fixed key, so that a restored copy of a database has the same one.
enum TestOperator {
    /// The key.
    @Sendable static func key() throws -> OperatorKey {
        try OperatorKey(privateBytes: [UInt8](repeating: 7, count: 32))
    }

    /// Writes the key where a process that a test starts finds it.
    static func write(to path: String) throws {
        let data = Data(try key().text.utf8)
        guard FileManager.default.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600])
        else {
            throw CocoaError(.fileWriteUnknown)
        }
    }
}

extension TenureWorld {
    /// The file of the operator key, beside that of the master keys.
    var operatorKeyFile: String { keyFile.path + ".operator" }
}

/// A clock that runs with the real one, and that a test sets forward.
final class TestClock: Sendable {
    private let ahead = Mutex(Duration.zero)

    /// Now.
    var now: Timestamp { Timestamp.now().adding(ahead.withLock { $0 }) }

    /// Lets time pass.
    func pass(_ duration: Duration) { ahead.withLock { $0 += duration } }
}

extension WorldOptions {
    /// A world in which recoveries wait as long as tenants say, by a clock that the test sets forward.
    static func waiting(_ clock: TestClock) -> WorldOptions {
        var options = WorldOptions()
        options.settings.recoveryDelay = nil
        options.settings.now = { clock.now }
        return options
    }
}
