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
    /// How many differences are kept; memory does not grow with what is wrong.
    public static let keptDifferences = 10_000

    /// Where the rows that were live differed from the log; at most ``keptDifferences``.
    public private(set) var differences: [ViewDifference] = []
    /// How many there were, counting at most 1,000 of each table of each company.
    public private(set) var differenceCount = 0
    /// The number of companies that were compared.
    public internal(set) var companies = 0
    /// The number of events that were taken, those of an interrupted run before included.
    public internal(set) var events: Int64 = 0
    /// Whether the rebuilt rows are the live ones now.
    public internal(set) var hasSwitched = false

    /// Takes note of one company's differences.
    mutating func add(_ found: [ViewDifference]) {
        companies += 1
        differenceCount += found.count
        differences += found.prefix(Self.keptDifferences - differences.count)
    }

    /// Puts the differences in the order of companies, tables and rows.
    mutating func sort() {
        differences.sort { ($0.tenant.description, $0.table, $0.key) < ($1.tenant.description, $1.table, $1.key) }
    }
}
