import FoundationEssentials
public import Keys
import Ledger
public import Logging
public import Postgres
import Projections
public import ServiceLifecycle

/// The service with everything that has to run beside it, put together from a database and master keys.
public struct ServiceAssembly: Sendable {
    /// What an assembly is made of.
    public struct Configuration: Sendable {
        /// The database, as the application role.
        public var application: PostgresConfiguration
        /// The database, as the reader role, for the projector.
        public var reader: PostgresConfiguration
        /// The master keys, and where later ones are found.
        public var masters: MasterKeyStore
        /// Names, costs and budgets.
        public var settings: ServiceSettings
        /// How many connections of the application role are kept at most.
        public var maximumConnections: Int
        /// Four for each processor of this machine, 8 to 16: each has a process of the server with plans and caches of its own,
        /// and more of them than processors can serve take the memory close to a processor from one another.
        public static let connections = min(max(ProcessInfo.processInfo.activeProcessorCount * 4, 8), 16)
        /// How many threads compute for direct mode.
        public var computeThreads: Int
        /// How many direct-mode calls may wait for a thread.
        public var computeWaiting: Int
        /// How many blind-mode calls may wait for their evaluation.
        public var evaluationsWaiting: Int
        /// The file that is kept with the newest anchor, if any.
        public var anchorFile: String?

        /// Describes an assembly.
        public init(
            application: PostgresConfiguration, reader: PostgresConfiguration, masters: MasterKeyStore,
            settings: ServiceSettings = ServiceSettings(), maximumConnections: Int = connections,
            computeThreads: Int = 2,
            computeWaiting: Int = 32, evaluationsWaiting: Int = 256, anchorFile: String? = nil
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

        /// Describes an assembly whose master keys stay as they are.
        public init(
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

    /// The service.
    public let service: EventSourcedService
    /// The operator's commands on the same parts.
    public let commands: OperatorCommands
    /// Gauges of views, seals and re-keyings in the Prometheus text format.
    public let metrics: @Sendable () async -> String
    /// How durable the database was at the start.
    public let durability: Durability
    /// What has to run while the service is used, in the order it is started.
    public let services: [any Service]

    /// Puts the parts together; the purpose keys are made here on the first start of a database.
    ///
    /// - Throws: `UnsafeRole` when row-level security would not hold one of the two roles, `KeysError`, `PostgresError`.
    public init(_ configuration: Configuration, logger: Logger) async throws {
        let ring = try await withPostgresPool(
            configuration: configuration.application, maximumConnections: 1, logger: logger
        ) { pool in
            try await DatabaseRole.application.check(pool)
            // Where a directory had no head yet, the first charge in it would take longer, and tell that nobody has the name:
            // whoever has one wrote to it.
            _ = try await pool.query(Appender.makingHeads(LedgerID.directories), in: LedgerID.directories)
            return try await KeyRing.load(from: pool, masters: configuration.masters)
        }
        durability = try await withPostgresPool(
            configuration: configuration.application, maximumConnections: 1, logger: logger
        ) { pool in try await Durability.read(pool) }
        try await withPostgresPool(configuration: configuration.reader, maximumConnections: 1, logger: logger) { pool in
            try await DatabaseRole.reader.check(pool)
        }
        let signer = try CheckpointSigner(
            name: configuration.settings.issuer, secret: try ring.checkpointSigningKey())
        let pool = PostgresPool(
            configuration: Self.planningOnce(configuration.application),
            maximumConnections: configuration.maximumConnections, logger: logger)
        let readerPool = PostgresPool(configuration: configuration.reader, maximumConnections: 10, logger: logger)
        let appender = Appender(pool: pool, logger: logger)
        let projector = Projector(pool: readerPool, logger: logger)
        let hints = FeedHints(pool: pool, logger: logger)
        // Whoever works is told: this process, or another one.
        let nudge: @Sendable () -> Void = { if projector.isLeading { projector.nudge() } else { hints.signal() } }
        let context = ServiceContext(
            pool: pool, appender: NudgingAppender(appender: appender, nudge: nudge),
            reader: LedgerReader(pool: pool), ring: ring,
            personKeys: PersonKeys(pool: pool, masters: configuration.masters),
            seeds: OPRFSeeds(pool: pool, masters: configuration.masters),
            compute: ComputePool(
                threads: configuration.computeThreads, waiting: configuration.computeWaiting, yields: true),
            // Blind mode's evaluations take milliseconds and never stand behind direct mode's tens of them.
            evaluations: ComputePool(threads: configuration.computeThreads, waiting: configuration.evaluationsWaiting),
            rekeying: BucketRekeying(reader: readerPool, masters: configuration.masters),
            settings: configuration.settings, logger: logger)
        let health = ViewHealth(pool: readerPool, projector: projector)
        service = EventSourcedService(context: context, views: Views(pool: pool, nudge: nudge), health: health)
        let seals = SealHealth(pool: readerPool)
        let rekeyings = RekeyingHealth(pool: readerPool)
        metrics = { await health.metrics() + seals.metrics() + rekeyings.metrics() }
        commands = OperatorCommands(context)
        let sealing = SealCheckpoints(
            pool: pool, readerPool: readerPool, appender: appender, signer: signer, logger: logger)
        services = [
            pool, readerPool, hints, appender, projector, ViewUpgrade(pool: readerPool, logger: logger),
            ExpiredRowSweeper(pool: pool, readerPool: readerPool, logger: logger), MemoryAging(context),
            RekeyingSweeper(context: context),
            CheckpointSealer(sealing, anchorFile: configuration.anchorFile, logger: logger),
        ]
    }
    /// The same role with plans that are made once for each connection.
    ///
    /// All statements of the service find rows by keys, so there is one good plan, and planning costs more than running
    /// it. A plan may be made while a table is empty and used when it is large, so it must never be a sequential scan.
    private static func planningOnce(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        let settings = ["plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "jit": "off"]
        var configuration = configuration
        configuration.sessionSettings.merge(settings) { given, _ in given }
        return configuration
    }
}
