public import Identity

/// What a rebuild is to do.
public struct RebuildRequest: Sendable, Hashable {
    /// The views, all when nothing else is said.
    public var views: Set<ProjectionName>
    /// The one company whose rows are rebuilt; nil for all.
    public var tenant: TenantID?
    /// Whether to tell differences only, and leave the live views as they are.
    public var isDryRun: Bool

    /// How many ledgers are built at the same moment.
    public var jobs: Int

    /// Describes a rebuild.
    public init(
        views: Set<ProjectionName> = Set(ProjectionName.all), tenant: TenantID? = nil, isDryRun: Bool = false,
        jobs: Int = 2
    ) {
        self.views = views
        self.tenant = tenant
        self.isDryRun = isDryRun
        self.jobs = jobs
    }
}

/// How far a rebuild has come, in events of the log.
public struct RebuildProgress: Sendable, Hashable {
    /// Events taken, those of an interrupted run before included.
    public var done: Int64
    /// Events there were at the start.
    public var total: Int64
}

/// What a rebuild came to.
public struct RebuildReport: Sendable {
    /// Where the rows that were live differed from the log; up to 1,000 for each table of each company.
    public internal(set) var differences: [ViewDifference] = []
    /// The number of companies that were compared.
    public internal(set) var companies = 0
    /// The number of events that were taken, those of an interrupted run before included.
    public internal(set) var events: Int64 = 0
    /// Whether the rebuilt rows are the live ones now.
    public internal(set) var hasSwitched = false
}
