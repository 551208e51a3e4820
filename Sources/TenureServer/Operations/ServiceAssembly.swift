import Credentials
import EventCoding
import FoundationEssentials
package import IdentityService
package import Keys
import Ledger
package import Logging
package import Postgres
import Projections
package import ServiceLifecycle

/// The service with everything that runs beside it, assembled from a database and master keys.
package struct ServiceAssembly: Sendable {
    /// The parts and settings of an assembly.
    package struct Configuration: Sendable {
        /// The database, as the application role.
        package var application: PostgresConfiguration
        /// The database, as the reader role, for the projector.
        package var reader: PostgresConfiguration
        /// The master keys, and where later ones are found.
        package var masters: MasterKeyStore
        /// The issuer, costs and budgets.
        package var settings: ServiceSettings
        /// The largest number of connections of the application role.
        package var maximumConnections: Int
        /// The default number of connections: four for each processor, 8 to 16. Each has a server process with plans
        /// and caches of its own. More processes than the processors can serve evict each other from the processor
        /// caches.
        package static let connections = min(max(ProcessInfo.processInfo.activeProcessorCount * 4, 8), 16)
        /// The number of threads that compute for direct mode.
        package var computeThreads: Int
        /// The number of direct-mode calls that may wait for a thread.
        package var computeWaiting: Int
        /// The number of further direct-mode calls of known devices that may wait; `nil` for a quarter of
        /// ``computeWaiting`` and one for each thread.
        package var computeWaitingKnown: Int?
        /// The longest time that a call waits for a thread.
        package var computePatience: Duration = .seconds(60)
        /// The number of blind-mode calls that may wait for their evaluation.
        package var evaluationsWaiting: Int
        /// The names of the migrations that the service needs. Without one of them it is not ready.
        package var migrations: [String] = []
        package var functionsRevision = 0
        /// The file to keep the newest anchor in, if any.
        package var anchorFile: String?
        /// The list of erased persons, if one is kept. A database in which somebody on it is back is refused.
        package var eraseList: ErasureList?
        /// The longest time that a recount of all ledgers may take.
        package var recounting: Duration = .seconds(86_400)
        /// Takes the mails; `nil` sends none. ``ServiceSettings/mail`` is needed too.
        package var mailTransport: (any MailTransport)?
        /// Creates the operator key at the first start of a log, and stores its private half out of the service's
        /// reach. Without it, a log that was not founded is refused.
        package var makeOperatorKey: (@Sendable () throws -> NewOperatorKey)?
        /// Signs decisions of ``ServiceAssembly/commands``, for a development service and for tests.
        package var operatorSigner: OperatorKeySource?
        /// Where key shares of M-Pin come from; without it M-Pin is not offered. The caller runs it.
        package var mpinKeys: (any MPinKeySource)?
        /// What a start does about another public URL, ``ServiceSettings/tokenIssuer``, than that of the last start with
        /// pages; `nil` asks no question about it.
        package var publicURLChange: PagesStart.Change?

        package init(
            application: PostgresConfiguration, reader: PostgresConfiguration, masters: MasterKeyStore,
            settings: ServiceSettings = ServiceSettings(), maximumConnections: Int = connections,
            computeThreads: Int = 2,
            computeWaiting: Int = 32, evaluationsWaiting: Int = 1_024, anchorFile: String? = nil
        ) {
            self.application = application
            self.reader = reader
            self.masters = masters
            self.settings = settings
            self.maximumConnections = maximumConnections
            self.computeThreads = computeThreads
            self.computeWaiting = computeWaiting
            self.evaluationsWaiting = evaluationsWaiting
            self.anchorFile = anchorFile
        }

        /// The keeper of the anchor file, if there is one. It reads the log's tree with `reader`.
        fileprivate func keeper(_ reader: LedgerReader) -> AnchorKeeper? {
            anchorFile.map {
                AnchorKeeper(AnchorFile(path: $0), tree: LedgerHashes(reader: reader, ledger: .system))
            }
        }

        /// The settings, with the public URL that pages are served under.
        fileprivate var servedSettings: ServiceSettings {
            var settings = settings
            if publicURLChange != nil { settings.pagesURL = settings.tokenIssuer }
            return settings
        }

        /// A copy whose connections share a memory of the newest server.
        fileprivate func using(_ newest: NewestServer) -> Configuration {
            var copy = self
            copy.application.newestServer = newest
            copy.reader.newestServer = newest
            return copy
        }

        /// The master keys stay as they are for the life of the assembly.
        package init(
            application: PostgresConfiguration, reader: PostgresConfiguration, masters: MasterKeys,
            settings: ServiceSettings = ServiceSettings(), maximumConnections: Int = connections,
            computeThreads: Int = 2,
            computeWaiting: Int = 32
        ) {
            self.init(
                application: application, reader: reader, masters: MasterKeyStore(masters), settings: settings,
                maximumConnections: maximumConnections, computeThreads: computeThreads,
                computeWaiting: computeWaiting)
        }
    }

    package let service: TenureService
    /// The operator's use cases on the same components.
    package let commands: OperatorUseCases
    /// The parts of the metrics. Some of them wait for the database.
    package let metricSections: [MetricSection]
    /// All parts in the Prometheus text format, however long they take.
    package var metrics: @Sendable () async -> String {
        { [metricSections] in
            var text = ""
            for section in metricSections { text += await section.text() }
            return text
        }
    }
    /// Closes the sessions whose app was unlinked or whose secret was revoked, as ``services`` do periodically.
    package let closeEndedSessions: @Sendable () async throws -> Void
    /// The durability settings of the database at the start.
    package let durability: Durability
    /// Whether the operator has enabled the pages for browsers, at the start.
    package let hasPages: Bool
    /// The services that must run while the service is used, in the order of their start.
    package let services: [any Service]

    /// Assembles the components. At the first start of a database it creates the purpose keys and the operator key.
    ///
    /// Looks at all hosts of the URLs first, and refuses servers behind the newest one.
    ///
    /// - Throws: `AnchorFileError` if the anchor file cannot be used or the log does not contain its anchor,
    ///   `UnsafeRole` if row-level security would not hold for one of the two roles, `KeysError` if the keys that wrote
    ///   the log are missing or an erased person is back, ``OperatorKeyError``, ``PublicURLChanged``, `PostgresError`.
    package init(_ given: Configuration, logger: Logger) async throws {
        let newest = try NewestServer.ofLog(anchorFile: given.anchorFile)
        let configuration = given.using(newest)
        // Of the hosts of a URL the newest wins, also when an old primary is listed first.
        await newest.probe([configuration.application, configuration.reader], logger: logger)
        let ring = try await withPostgresPool(
            configuration: configuration.application, maximumConnections: 1, logger: logger
        ) { pool in
            try await DatabaseRole.application.check(pool)
            // Without its head, the first charge in a directory would take longer. That would reveal a decoy: every
            // real user has written to the directory.
            _ = try await pool.query(Appender.makingHeads(LedgerID.directories), in: LedgerID.directories)
            let ring = try await KeyRing.load(from: pool, masters: configuration.masters)
            try await Self.begin(configuration, ring, on: pool, logger)
            return ring
        }
        let isDistributed: Bool
        (durability, isDistributed) = try await withPostgresPool(
            configuration: configuration.application, maximumConnections: 1, logger: logger
        ) { pool in
            let isDistributed = try await pool.withConnection { connection in
                try await DistributedDatabase.isDistributed(on: &connection)
            }
            return (try await Durability.read(pool), isDistributed)
        }
        hasPages = try await Self.hasPages(configuration, ring, logger)
        let signer = try CheckpointSigner(
            name: configuration.settings.issuer, secret: try ring.checkpointSigningKey())
        let codes = EventCodes(ring)
        try await withPostgresPool(configuration: configuration.reader, maximumConnections: 1, logger: logger) { pool in
            try await DatabaseRole.reader.check(pool)
            try await RestoredKeys.check(pool)
            let reader = LedgerReader(pool: pool, codes: codes, storesTiles: false)
                .using(TileCodes(ring, logger: logger))
            try await reader.refreshDisowned()
            try await configuration.keeper(reader)?.requireContinuation(by: signer.key, reader: reader)
            try await ErasedPersons.check(configuration.eraseList, pool, logger: logger)
        }
        let pool = PostgresPool(
            configuration: Self.planningOnce(configuration.application, isDistributed: isDistributed),
            maximumConnections: configuration.maximumConnections, acquireTimeout: TenureService.patience,
            logger: logger)
        let readerPool = PostgresPool(configuration: configuration.reader, maximumConnections: 10, logger: logger)
        var appending = Appender.Configuration()
        appending.clockTolerance = configuration.settings.clockTolerance
        let appender = Appender(pool: pool, codes: codes, configuration: appending, logger: logger)
        let projector = Projector(pool: readerPool, codes: codes, logger: logger)
        let hints = FeedHints(pool: pool, logger: logger)
        // Notifies whichever process leads: this one or another.
        let nudge: @Sendable () -> Void = { if projector.isLeading { projector.nudge() } else { hints.signal() } }
        let context = ServiceContext(
            pool: pool, appender: NudgingAppender(appender: appender, nudge: nudge),
            reader: LedgerReader(pool: pool, codes: codes), ring: ring,
            personKeys: PersonKeys(pool: pool, masters: configuration.masters),
            seeds: OPRFSeeds(pool: pool, masters: configuration.masters),
            compute: ComputePool(
                threads: configuration.computeThreads, waiting: configuration.computeWaiting,
                known: configuration.computeWaitingKnown, patience: configuration.computePatience, yields: true),
            // Blind mode's evaluations take milliseconds, and never queue behind direct mode's longer jobs.
            evaluations: ComputePool(
                threads: configuration.computeThreads, waiting: configuration.evaluationsWaiting,
                patience: configuration.computePatience),
            rekeying: BucketRekeying(reader: readerPool, masters: configuration.masters),
            settings: configuration.servedSettings, logger: logger, mpin: .init(keys: configuration.mpinKeys))
        let health = ViewHealth(pool: readerPool, projector: projector)
        let readinessPool = PostgresPool(
            configuration: Self.answeringSoon(configuration.reader), maximumConnections: 1,
            acquireTimeout: Readiness.connectionPatience, logger: logger)
        let readinessHealth = ViewHealth(pool: readinessPool, projector: projector)
        let probe = LoginProbe(
            application: Self.probing(configuration.application), masters: configuration.masters,
            migrations: configuration.migrations, pool: pool, readers: readinessPool, logger: logger)
        let seals = SealMemory(key: signer.key), tiles = context.tileCodes
        let migrations = configuration.migrations, revision = configuration.functionsRevision
        let name = configuration.application.applicationName
        let upkeep = Upkeep(context, readerPool: readerPool, durability: durability, seals: seals) {
            // Without the names of its migrations a program knows nothing of the schema.
            guard !migrations.isEmpty else { return ProgramVersions() }
            return try await ProgramVersions.read(pool, migrations: migrations, revision: revision, name: name)
        }
        let readiness = Readiness(
            pool: readinessPool, now: configuration.settings.now, tolerance: configuration.settings.clockTolerance,
            probe: ProbeMemory(probe: probe.reasons), seals: { seals.reasons() }, clocks: upkeep.clockReasons
        ) {
            Dictionary(uniqueKeysWithValues: try await readinessHealth.stops().map { ($0.rawValue, $1) })
        }
        let views = Views(pool: pool, nudge: nudge)
        let allTenants = PostgresPool(
            configuration: configuration.reader, maximumConnections: 2, acquireTimeout: TenureService.patience,
            logger: logger)
        service = TenureService(
            context: context, reads: CompanyReads(context: context, views: views, allTenants: allTenants),
            readiness: readiness)
        let waiting = WaitingReader(context: context, views: views)
        let mails = MailUpkeep(context, readerPool: readerPool, transport: configuration.mailTransport) {
            try await waiting.entries(of: $0, at: $1)
        }
        let load = LoadMetrics(
            context: context, pools: ["application": pool, "reader": readerPool, "companies": allTenants])
        metricSections = [
            MetricSection("projections") { await health.metrics() },
            MetricSection("checkpoints", upkeep.storedMetrics), MetricSection("upkeep", upkeep.metrics),
            MetricSection("mails", mails.metrics), MetricSection("waits") { await views.metrics() },
            MetricSection("load") { load.text },
            MetricSection("pages") { await PagesPresence.metrics(readerPool) },
        ]
        commands = OperatorUseCases(context, signer: configuration.operatorSigner)
        let sealing = SignGrownLedgers(
            pool: pool, readerPool: readerPool, codes: codes, appender: appender, signer: signer, tiles: tiles,
            memory: seals,
            now: configuration.settings.clockTolerance == nil ? configuration.settings.now : nil, logger: logger)
        closeEndedSessions = upkeep.closeEndedSessions
        let first: [any Service] = [
            pool, readerPool, readinessPool, allTenants, hints, appender, projector,
            ViewUpgrade(pool: readerPool, codes: codes, logger: logger),
        ]
        let last: [any Service] = [
            SealingLoop(
                sealing,
                keeper: configuration.keeper(
                    LedgerReader(pool: readerPool, codes: codes, storesTiles: false).using(tiles)),
                newest: newest, logger: logger),
            RecountLedgers(
                pool: readerPool, codes: codes, memory: seals, period: configuration.recounting, logger: logger),
        ]
        services = first + upkeep.services + mails.services + last
    }

    /// Whether there are pages. Refuses a public URL that orphans the device keys of browsers.
    private static func hasPages(
        _ configuration: Configuration, _ ring: KeyRing, _ logger: Logger
    ) async throws -> Bool {
        let settings = configuration.settings
        return try await withPostgresPool(
            configuration: configuration.application, maximumConnections: 1, logger: logger
        ) { pool in
            // In development the origins follow the public URL once the service runs.
            if configuration.publicURLChange == .refused {
                try await PasskeyOriginsMissed.check(
                    settings.tokenIssuer, LedgerReader(pool: pool, codes: EventCodes(ring)))
            }
            return try await PagesStart(pool, ring, logger: logger).run(
                at: settings.now(), url: configuration.publicURLChange == nil ? nil : settings.tokenIssuer,
                change: configuration.publicURLChange ?? .refused)
        }
    }

    /// Refuses keys that did not write the log, and founds a log that has no operator key yet.
    private static func begin(
        _ configuration: Configuration, _ ring: KeyRing, on pool: PostgresPool, _ logger: Logger
    ) async throws {
        let reader = LedgerReader(pool: pool, codes: EventCodes(ring))
        guard try await LogBeginning.read(reader, by: ring) == nil else { return }
        guard let make = configuration.makeOperatorKey else { throw OperatorKeyError(.notFounded) }
        let new = try make()
        do { try await LogBeginning.found(new.publicKey, by: ring, on: pool) } catch let error as OperatorKeyError {
            guard error.code == .foundedMeanwhile else { throw error }
            // Of two first starts, the other one's key counts.
            new.discard()
            _ = try await LogBeginning.read(reader, by: ring)
            return
        }
        let fingerprint = new.publicKey.fingerprint
        logger.notice("the log begins with a new operator key", metadata: ["fingerprint": "\(fingerprint)"])
    }

    /// Configures generic plans that are made once for each connection.
    ///
    /// All statements of the service find rows by keys, so there is one good plan, and planning costs more than running
    /// it. A plan may be made while a table is empty and used when it is large, so it must never be a sequential scan.
    /// The plan of a distributed database names nodes and depends on the ledger, so it is made each time.
    private static func planningOnce(
        _ configuration: PostgresConfiguration, isDistributed: Bool
    ) -> PostgresConfiguration {
        var settings = ["enable_seqscan": "off", "jit": "off"]
        if !isDistributed { settings["plan_cache_mode"] = "force_generic_plan" }
        var configuration = configuration
        configuration.sessionSettings.merge(settings) { given, _ in given }
        // A caller that meets a silent server gets an answer before its own patience ends.
        configuration.statementTimeout = min(configuration.statementTimeout ?? .seconds(20), .seconds(20))
        configuration.responseGrace = min(configuration.responseGrace, .seconds(2))
        return configuration
    }

    /// Configures a connection whose statements take little time or fail. It is closed without a request to cancel,
    /// which a silent server would not answer either.
    private static func answeringSoon(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        var configuration = configuration
        configuration.connectTimeout = min(configuration.connectTimeout, .seconds(4))
        configuration.statementTimeout = .milliseconds(500)
        configuration.responseGrace = .milliseconds(100)
        return configuration
    }

    /// Configures a connection of the probe, which ends within two seconds or fails.
    private static func probing(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        var configuration = answeringSoon(configuration)
        configuration.connectTimeout = .seconds(1)
        configuration.statementTimeout = .seconds(1)
        return configuration
    }
}

/// Appends, and nudges this process's projector if a projection consumes the events.
///
/// The nudge only shortens the delay of projections, which rely on the projector's polling. Events that no projection
/// consumes, such as those of a log-in, cause no nudge: one pass over the positions of many tenants costs less than
/// many passes. A reader that waits for a position nudges by itself.
struct NudgingAppender: AppendTarget {
    let appender: Appender
    let nudge: @Sendable () -> Void

    func append(_ append: Append) async throws(LedgerError) -> AppendReceipt {
        let appended = try await appender.append(append)
        if append.events.contains(where: { Views.take($0.type) }) { nudge() }
        return appended
    }
}
