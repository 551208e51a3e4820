public import Canonical
public import FoundationEssentials
public import Keys
public import Ledger
public import Postgres

/// The whole log for reading from beginning to end, a page at a time; no order between ledgers is promised.
public struct EventLog: EventSource {
    /// Which events of a ledger are read.
    public struct Range: Sendable, Hashable {
        /// The first position.
        public var fromPosition: Int64?
        /// The last position.
        public var toPosition: Int64?
        /// The time of the first event at the earliest.
        public var from: Timestamp?
        /// The time of the last event at the latest.
        public var to: Timestamp?

        /// Describes a range; what is not named is not bounded.
        public init(
            fromPosition: Int64? = nil, toPosition: Int64? = nil, from: Timestamp? = nil, to: Timestamp? = nil
        ) {
            self.fromPosition = fromPosition
            self.toPosition = toPosition
            self.from = from
            self.to = to
        }

        /// Whether an event is before the range; so are all that stand before it in its ledger.
        func isBefore(_ event: RecordedEvent) -> Bool {
            (fromPosition.map { event.position < $0 } ?? false) || (from.map { event.time < $0 } ?? false)
        }

        /// Whether an event is after the range; so are all that follow it in its ledger.
        func isOver(_ event: RecordedEvent) -> Bool {
            (toPosition.map { event.position > $0 } ?? false) || (to.map { event.time > $0 } ?? false)
        }
    }

    /// Reads the events.
    public let reader: LedgerReader
    private let pool: PostgresPool
    private let keys: PersonKeys?

    /// A log over a pool of the reader role.
    ///
    /// - Parameter keys: Opens personal texts; nil leaves them sealed.
    public init(pool: PostgresPool, keys: PersonKeys?) {
        self.pool = pool
        self.keys = keys
        reader = LedgerReader(pool: pool, storesTiles: false)
    }

    /// All ledgers that have events, with their numbers of events: system, directories, then tenants by their ids.
    public func ledgers() async throws -> [(id: LedgerID, size: Int64)] {
        let rows = try await pool.withConnection { connection in
            try await connection.query("SELECT ledger_id, size FROM tenure.ledger WHERE size > 0 ORDER BY ledger_id")
        }
        let ledgers = try rows.map { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return (id: LedgerID(ledger), size: size)
        }
        return ledgers.filter { !TenantLedgers.contains($0.id) } + ledgers.filter { TenantLedgers.contains($0.id) }
    }

    /// Hands over the events of a ledger, page by page, opened.
    public func replay(
        _ ledger: LedgerID, _ range: Range, types: [String]?,
        _ body: ([OpenedEvent], Int64) async throws -> Void
    ) async throws {
        var cursor = max((range.fromPosition ?? 1) - 1, 0)
        if let from = range.from { cursor = max(cursor, try await position(before: from, in: ledger)) }
        while true {
            let page = try await reader.ledger(ledger, after: cursor, types: types)
            let wanted = page.events.prefix { !range.isOver($0) }
            try await body(try await open(Array(wanted), in: ledger), page.cursor)
            cursor = page.cursor
            guard page.hasMore, wanted.count == page.events.count else { return }
        }
    }

    /// Opens events of one ledger; one round trip at most.
    public func open(_ events: [RecordedEvent], in ledger: LedgerID) async throws -> [OpenedEvent] {
        guard let keys else { return events.map { OpenedEvent($0, keys: nil) } }
        let owners = events.reduce(into: Set<UUID>()) { $0.formUnion(OpenedEvent.owners($1)) }
        let opened = try await keys.load(Array(owners), ledger: ledger.uuid)
        return events.map { OpenedEvent($0, keys: opened) }
    }

    /// The first event of a ledger, which names a company.
    public func founding(of ledger: LedgerID) async throws -> RecordedEvent? { try await reader.event(ledger, at: 1) }

    /// The registrations of employees, opened.
    public func registrations(of employees: [UUID], in ledger: LedgerID) async throws -> [OpenedEvent] {
        let streams = employees.map { StreamID(ledger: ledger, kind: "employee", id: $0) }
        return try await open(try await reader.beginnings(of: streams), in: ledger)
    }

    /// The keys of persons of a ledger by their ids; nil when none can be had at all.
    public func personKeys(_ ids: [UUID], in ledger: LedgerID) async throws -> [UUID: PersonKey]? {
        try await keys?.load(ids, ledger: ledger.uuid)
    }

    /// The position of the last event before a time, 0 when there is none; times never run backwards in a ledger.
    private func position(before time: Timestamp, in ledger: LedgerID) async throws -> Int64 {
        var low: Int64 = 0, high = try await reader.head(ledger)?.size ?? 0
        while low < high {
            let middle = low + (high - low + 1) / 2
            let isBefore = try await reader.event(ledger, at: middle).map { $0.time < time } ?? false
            if isBefore { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

extension LedgerID {
    /// Whether the ledger is a tenant's, and not the system's or a directory's.
    public var isTenant: Bool { TenantLedgers.contains(self) }
}
