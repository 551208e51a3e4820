import FoundationEssentials
public import Keys
public import Ledger
public import Logging
public import Postgres

/// What every use case works with.
public struct ServiceContext: Sendable {
    let pool: PostgresPool
    let appender: any Appending
    let reader: LedgerReader
    let ring: KeyRing
    let personKeys: PersonKeys
    let seeds: OPRFSeeds
    let compute: ComputePool
    let evaluations: ComputePool
    let rekeying: BucketRekeying?
    let settings: ServiceSettings
    let logger: Logger
    let flows = FlowMemory()
    let companies = CompanyMemory()

    /// Collects the parts; they are started and stopped by whoever made them.
    ///
    /// - Parameter rekeying: What re-keys the bucket of a replaced credential; whoever changes none needs none.
    public init(
        pool: PostgresPool, appender: any Appending, reader: LedgerReader, ring: KeyRing, personKeys: PersonKeys,
        seeds: OPRFSeeds, compute: ComputePool, evaluations: ComputePool, rekeying: BucketRekeying? = nil,
        settings: ServiceSettings,
        logger: Logger
    ) {
        self.pool = pool
        self.appender = appender
        self.reader = reader
        self.ring = ring
        self.personKeys = personKeys
        self.seeds = seeds
        self.compute = compute
        self.evaluations = evaluations
        self.rekeying = rekeying
        self.settings = settings
        self.logger = logger
    }
}
