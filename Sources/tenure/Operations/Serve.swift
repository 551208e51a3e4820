import ArgumentParser
import Foundation
import HTTPLimits
import HTTPAPI
import IdentityService
import Keys
import LocalDevelopment
import Logging
import Postgres
import Schema
import ServiceLifecycle
import TenureServer
import UnixSignals

/// Serves the API until it is stopped.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the API.",
        discussion: """
            Needs TENURE_DATABASE_URL (role tenure_app), TENURE_READER_DATABASE_URL (role tenure_reader) and \
            TENURE_MASTER_KEY_FILE; see docs/configuration.md for the rest. The database must be migrated. The first \
            start of a log also needs TENURE_OPERATOR_KEY_FILE: it creates the operator key there and never reads it.

            With --development it needs no settings: it creates or adopts a private PostgreSQL, migrates it, creates \
            keys, a demo app and a demo company, and stops PostgreSQL at the end. It listens on loopback without TLS, \
            so it refuses TLS settings.

            Examples:
              tenure serve --development
              tenure serve --config /etc/tenure.json --port 8443
            """)

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Serve on loopback with a private database, generated secrets and demo data.")
    var development = false

    @Option(help: "The port to listen on. Default: the setting, else 8080.")
    var port: Int?

    @Option(help: "The state directory of a development service.")
    var stateDirectory = ".tenure"

    @Flag(
        help: ArgumentHelp(
            "Start under another public URL than before, although there are pages.",
            discussion: "The device keys of all browsers belong to the old one: every browser is then a new device."))
    var acceptPublicUrl = false

    @Option(
        help: ArgumentHelp(
            "The maximum delay of recoveries, for a development service only. `tenure verify` then reports violations "
                + "in its log.", valueName: "seconds"))
    var recoveryDelay: Int?

    func validate() throws {
        guard let recoveryDelay else { return }
        guard development else { throw ValidationError("--recovery-delay needs --development.") }
        guard recoveryDelay >= 0 else { throw ValidationError("--recovery-delay takes 0 or more seconds.") }
    }

    func run() async throws {
        // From here on, for as long as the process runs: without this, SIGHUP would end it.
        let hangups = await HangupSignals()
        defer { withExtendedLifetime(hangups) {} }
        let settings = try await options.settings(port.map { [.listenPort: String($0)] } ?? [:])
        if development {
            try Self.requireNoCertificate(settings)
            let port = try settings.number(.listenPort, in: 1...65_535, default: 8080)
            let logger = try Logs.logger(settings, default: .warning)
            try await DevelopmentService(
                state: StateDirectory(stateDirectory), port: port, publicURL: try settings.publicOrigin(),
                metrics: try settings.metricsListener(), founding: try settings.foundingRule(default: .open),
                brand: try settings.brand(), recoveryDelay: recoveryDelay.map { .seconds($0) }, hangups: hangups,
                logger: logger
            ).run()
        } else {
            let logger = try Logs.logger(settings, default: .info)
            var parts = try ServiceParts(settings)
            parts.assembly.publicURLChange = acceptPublicUrl ? .accepted : .refused
            for (database, name) in parts.databases {
                try await CommandDatabase.reach(database, name, patience: CommandDatabase.patienceOfService)
            }
            try await DatabaseMigration.requireApplied(parts.assembly.reader, logger: logger)
            try await ServiceRun.run(parts, hangups: hangups, logger: logger) { ports, _ in
                Announcement(ports: ports, logger: logger)
            }
        }
    }
}

extension Serve {
    /// Refuses TLS settings, which a development service would not use.
    static func requireNoCertificate(_ settings: Settings) throws {
        let given = [Settings.Name.tlsCertificateFile, .tlsKeyFile].filter { settings.text($0) != nil }
        guard !given.isEmpty else { return }
        throw CommandFailure(
            .usage,
            "--development serves plain HTTP on loopback and does not take "
                + given.map(\.variable).joined(separator: " and "),
            remedy: "Unset \(given.count == 1 ? "it" : "them"), or serve without --development.")
    }
}

/// Logs that the service accepts connections, and waits for the shutdown.
struct Announcement: Service {
    let ports: AsyncStream<Int>
    let logger: Logger

    func run() async throws {
        for await port in ports.cancelOnGracefulShutdown() {
            let build = BuildInfo.running
            logger.info(
                "accepting connections",
                metadata: ["port": "\(port)", "version": "\(build.version)", "commit": "\(build.commit)"])
        }
        try? await gracefulShutdown()
    }
}

/// Runs the service until it is stopped or a part of it fails.
enum ServiceRun {
    /// The time that running requests get after the draining. With the draining of five seconds a stop takes at most
    /// 20 seconds.
    static let patience: Duration = .seconds(15)

    /// Runs the service.
    ///
    /// - Parameters:
    ///   - parts: The configured parts.
    ///   - hangups: What reads the certificate again.
    ///   - logger: The logger of the process.
    ///   - companion: Creates an additional service, which receives the port once connections are accepted.
    static func run(
        _ parts: ServiceParts, hangups: HangupSignals, logger: Logger,
        companion: (AsyncStream<Int>, OperatorUseCases) -> any Service
    ) async throws {
        let (ports, told) = AsyncStream<Int>.makeStream()
        var http = parts.http
        http.onServerRunning = { port in
            told.yield(port)
            told.finish()
        }
        let descriptors = DescriptorAdmission(
            limit: .raise(), wanted: http.connections, others: parts.assembly.maximumConnections)
        http.connections = descriptors.connections
        descriptors.log(logger)
        var assembled = parts.assembly
        assembled.mpinKeys = try parts.mpin.map { try MPinAuthorityClient($0, logger: logger) }
        let assembly = try await ServiceAssembly(assembled, logger: logger)
        http.metrics?.sections = assembly.metricSections + [MetricSection("build") { BuildInfo.running.metrics }]
        servePages(assembly, &http, hasMail: parts.assembly.mailTransport != nil, logger)
        let draining = Drain.State(), preparation = http.preparation
        http.preparation = { preparation() + draining.missing }
        for weakness in assembly.durability.weaknesses where weakness.losesEvents {
            logger.warning("\(weakness.setting) is off: \(weakness.consequence)")
        }
        let servers = try HTTPServers(service: assembly.service, configuration: http, logger: logger)
        // Services stop in reverse order: first readiness ends, then new requests are refused, the database comes last.
        let drain = Drain(length: parts.draining, state: draining, logger: logger)
        let services =
            assembly.services + [HangupService(hangups, servers, logger: logger)] + servers.services
            + [companion(ports, assembly.commands), drain]
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = parts.draining + patience
        do { try await ServiceGroup(configuration: configuration).run() } catch {
            guard let failure = ListenFailure(error) else { throw error }
            throw CommandFailure.listening(
                failure, host: http.host, port: http.port, setting: Settings.Name.listenPort.variable)
        }
    }
}

extension ServiceRun {
    /// Serves pages, and says whether they are enabled. Whoever enables or disables them later needs no restart.
    private static func servePages(
        _ assembly: ServiceAssembly, _ http: inout HTTPConfiguration, hasMail: Bool, _ logger: Logger
    ) {
        guard !http.servesPages else { return }
        http.servesPages = true
        guard assembly.hasPages else {
            return logger.info("the pages for browsers are disabled; tenure pages enable serves them")
        }
        logger.info("pages for browsers are served", metadata: ["address": "\(http.address)/"])
        if !hasMail { logger.warning("the pages cannot vouch for new devices: no mail server is configured") }
    }
}

/// The configuration of `tenure serve`, read from its settings.
struct ServiceParts: Sendable {
    var assembly: ServiceAssembly.Configuration
    var http: HTTPConfiguration
    /// The D-TAs; without them M-Pin is not offered.
    var mpin: MPinAuthorityClientConfiguration?
    /// How long the service serves after a stop was requested.
    var draining: Duration = .zero

    /// Reads the settings of a production service. Secrets have no defaults.
    init(_ settings: Settings) throws {
        try settings.requireFiles()
        let url = { (name: Settings.Name) in try CommandDatabase.configuration(name, settings) }
        assembly = Self.assembly(
            application: try url(.databaseUrl), reader: try url(.readerDatabaseUrl),
            masters: try settings.masterKeyStore(),
            issuer: settings.text(.issuer))
        assembly.anchorFile = settings.text(.anchorFile)
        assembly.eraseList = settings.text(.masterKeyFile).map { ErasureList(beside: MasterKeyFile(path: $0)) }
        if let file = settings.operatorKeyFile {
            assembly.makeOperatorKey = { try file.createForService() }
        }
        let hours = try settings.number(.sessionHours, in: 1...8_760, default: 24)
        assembly.settings.sessionLifetime = .seconds(hours * 3_600)
        let days = try settings.number(.grantDays, in: 1...365, default: 30)
        assembly.settings.grantLifetime = .seconds(days * 86_400)
        assembly.recounting = .seconds(try settings.number(.recountHours, in: 1...8_760, default: 24) * 3_600)
        assembly.settings.founding = try settings.foundingRule()
        assembly.maximumConnections = try settings.number(
            .databaseConnections, in: 4...1_000, default: assembly.maximumConnections)
        let limits = try ServiceLimits(settings)
        assembly.settings.unknownAttempts = limits.unknownAttempts
        http = HTTPConfiguration(
            host: settings.text(.listenHost) ?? "127.0.0.1",
            port: try settings.number(.listenPort, in: 0...65_535, default: 8080),
            publicURL: try settings.publicOrigin(), certificate: try Self.certificate(settings),
            allowsClearText: try settings.flag(.clearTextAllowed),
            trustedProxies: try settings.networks(.trustedProxies), rateLimit: limits.address,
            appRateLimit: limits.app, companyRateLimit: limits.company, metrics: try settings.metricsListener())
        http.connections = try settings.connectionLimits()
        http.waitingPages = try settings.number(.waitingPages, in: 0...65_536, default: http.waitingPages)
        http.brand = try settings.brand()
        assembly.settings.tokenIssuer = try Self.issuer(http)
        try admit(settings)
        mpin = try settings.mpinAuthorities()
        if let mail = try MailConfiguration(settings) { send(mail) }
        draining = .seconds(try settings.number(.drainSeconds, in: 0...300, default: 5))
    }

    /// Creates the configuration of a development service: a private cluster, and clear text on loopback.
    ///
    /// - Parameters:
    ///   - publicURL: The public URL; `nil` for `http://localhost` with the port. The pages need one origin, and
    ///     `localhost` and `127.0.0.1` are two.
    ///   - founding: Who may found a tenant. Whoever reaches the service of a development machine may try it.
    init(
        cluster: ClusterLayout, masters: MasterKeyStore, operatorKey: OperatorKeyFile, port: Int,
        publicURL: String? = nil, mpin: MPinAuthorityClientConfiguration? = nil, founding: FoundingRule = .open
    ) throws {
        let application = try PostgresConfiguration(url: cluster.url(role: "tenure_app"))
        assembly = Self.assembly(
            application: application, reader: application.with(user: "tenure_reader"), masters: masters, issuer: nil)
        assembly.makeOperatorKey = { try operatorKey.createForService() }
        // This process creates the demo app, in place of an operator who runs `tenure app create`.
        assembly.operatorSigner = OperatorKeySource { try operatorKey.load() }
        assembly.settings.founding = founding
        http = HTTPConfiguration(port: port, publicURL: publicURL ?? "http://localhost:\(port)")
        http.servesPages = true
        http.sendsBrowsersToPublicURL = true
        assembly.settings.tokenIssuer = http.address
        // Another port is another origin, and a development machine may change it.
        assembly.publicURLChange = .accepted
        self.mpin = mpin
    }

    var databases: [(PostgresConfiguration, Settings.Name)] {
        [(assembly.application, .databaseUrl), (assembly.reader, .readerDatabaseUrl)]
    }

    /// Returns the address that access tokens name. Beyond loopback the bound address says nothing about it.
    static func issuer(_ http: HTTPConfiguration) throws -> String {
        guard http.publicURL != nil || http.bindsLoopback else {
            throw CommandFailure(
                .usage, "the service has no public URL, which access tokens name as their issuer",
                remedy: "Set TENURE_PUBLIC_URL to the address that callers use, such as https://id.example")
        }
        return http.address
    }

    /// Reads how many calls may wait for hashing, and how long.
    private mutating func admit(_ settings: Settings) throws {
        assembly.computeWaiting = try settings.number(
            .hashingPlaces, in: 1...100_000, default: assembly.computeWaiting)
        assembly.computeWaitingKnown = try settings.number(
            .hashingPlacesKnown, in: 1...100_000, default: assembly.computeThreads * 128)
        assembly.computePatience = .seconds(try settings.number(.hashingSeconds, in: 1...25, default: 20))
    }

    private mutating func send(_ mail: MailConfiguration) {
        assembly.settings.mail = mail.settings
        assembly.settings.mail?.brand = http.brand
        assembly.mailTransport = mail.transport
    }

    /// Writes the mails of a development service into a directory and shows them under `/dev/mail`.
    mutating func keepMails(in directory: MailDirectory) {
        guard let mail = MailConfiguration(development: directory, publicURL: http.address) else { return }
        send(mail)
        http.developmentMail = directory
    }

    private static func assembly(
        application: PostgresConfiguration, reader: PostgresConfiguration, masters: MasterKeyStore, issuer: String?
    ) -> ServiceAssembly.Configuration {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        var assembly = ServiceAssembly.Configuration(
            application: application, reader: reader, masters: masters,
            settings: issuer.map { ServiceSettings(issuer: $0) } ?? ServiceSettings(), computeThreads: threads,
            computeWaiting: threads * 32)
        assembly.migrations = Schema.migrations.map(\.name)
        assembly.functionsRevision = Schema.functionsRevision
        // Unless the URL has a name of its own, as no program of another version has it.
        if assembly.application.applicationName == "tenure" {
            let newest = assembly.migrations.last ?? ""
            let name = "\(ProgramVersions.prefix)\(Tenure.version) \(Schema.functionsRevision) \(newest)"
            // The server keeps no more.
            assembly.application.applicationName = String(name.prefix(63))
        }
        return assembly
    }

    private static func certificate(_ settings: Settings) throws -> HTTPConfiguration.Certificate? {
        switch (settings.text(.tlsCertificateFile), settings.text(.tlsKeyFile)) {
        case (nil, nil): return nil
        case (let chain?, let key?):
            do throws(CertificateFailure) { try CertificateFiles(chain: chain, key: key).check() } catch {
                throw CommandFailure.certificate(error)
            }
            return HTTPConfiguration.Certificate(chainFile: chain, keyFile: key)
        default:
            throw CommandFailure(
                .usage, "a TLS certificate needs its key, and a key its certificate",
                remedy: "Set both TENURE_TLS_CERTIFICATE_FILE and TENURE_TLS_KEY_FILE.")
        }
    }
}

/// The rates of requests that callers may make.
struct ServiceLimits: Sendable {
    var address: RateLimit?
    var app: RateLimit?
    var company: RateLimit?
    /// The rate of attempts from unknown devices, per app.
    var unknownAttempts: RateLimit?

    /// Reads the limits. A rate of 0 means no limit.
    init(_ settings: Settings) throws {
        address = try Self.limit(settings, .addressRate, 250, .addressBurst, 1_000)
        app = try Self.limit(settings, .appRate, 2_500, .appBurst, 10_000)
        company = try Self.limit(settings, .companyRate, 1_000, .companyBurst, 4_000)
        // The rate is per minute, because one attempt takes most of a second of CPU time.
        unknownAttempts = try Self.limit(settings, .unknownAttemptRate, 60, .unknownAttemptBurst, 120, seconds: 60)
    }

    private static func limit(
        _ settings: Settings, _ rate: Settings.Name, _ usualRate: Int, _ burst: Settings.Name, _ usualBurst: Int,
        seconds: Double = 1
    ) throws -> RateLimit? {
        let perTime = try settings.number(rate, in: 0...1_000_000, default: usualRate)
        let atOnce = try settings.number(burst, in: 1...1_000_000, default: usualBurst)
        return perTime == 0 ? nil : RateLimit(perSecond: Double(perTime) / seconds, burst: atOnce)
    }
}

/// The log of the process: lines on standard error. Standard output is for data.
enum Logs {
    /// Creates a logger with the given minimum level.
    static func logger(level: Logger.Level, _ format: LineLogHandler.Format = .text) -> Logger {
        var logger = Logger(label: "tenure") { _ in LineLogHandler(format) }
        logger.logLevel = level
        return logger
    }

    /// Creates a logger with the level and the form of the settings.
    static func logger(_ settings: Settings, default level: Logger.Level) throws -> Logger {
        logger(
            level: try settings.word(.logLevel, of: Logger.Level.allCases) ?? level,
            try settings.word(.logFormat, of: LineLogHandler.Format.allCases) ?? .text)
    }
}

extension Settings {
    /// One of some words, in any case; `nil` if it is not set.
    func word<Word: RawRepresentable>(_ name: Name, of words: [Word]) throws -> Word? where Word.RawValue == String {
        guard let text = text(name)?.lowercased() else { return nil }
        if let word = words.first(where: { $0.rawValue == text }) { return word }
        let list = words.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "\(name.variable) must be one of \(list)")
    }
}
