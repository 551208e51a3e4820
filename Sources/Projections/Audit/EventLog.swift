package import Canonical
package import EventCoding
package import FoundationEssentials
package import Keys
package import Ledger
package import Postgres

/// A source of events for a replay: the log of a database, or a bundle.
package protocol EventSource: Sendable {
    /// Passes the events of a ledger to `body`, page by page, in the order of positions.
    ///
    /// - Parameters:
    ///   - types: The types of events to pass on, or `nil` for all.
    ///   - body: Receives the events of a page that are in the range, and the position up to which the ledger was read.
    func replay(
        _ ledger: LedgerID, _ range: EventLog.Range, types: [String]?,
        _ body: ([OpenedEvent], Int64) async throws -> Void) async throws

    /// Returns the first event of a ledger, which names a tenant, or `nil` if it is missing.
    func founding(of ledger: LedgerID) async throws -> RecordedEvent?

    /// Returns the available registrations of employees.
    func registrations(of employees: [UUID], in ledger: LedgerID) async throws -> [OpenedEvent]
}

extension EventSource {
    /// Passes all events of a ledger in a range to `body`.
    package func replay(
        _ ledger: LedgerID, _ range: EventLog.Range = EventLog.Range(),
        _ body: ([OpenedEvent], Int64) async throws -> Void
    ) async throws {
        try await replay(ledger, range, types: nil, body)
    }
}

/// The log in a database, read page by page. There is no order between ledgers.
package struct EventLog: EventSource {
    /// A range of a ledger's events.
    package struct Range: Sendable, Hashable {
        /// The first position.
        package var fromPosition: Int64?
        /// The last position.
        package var toPosition: Int64?
        /// The earliest time.
        package var from: Timestamp?
        /// The latest time.
        package var to: Timestamp?

        /// A range without the bounds that are not given.
        package init(
            fromPosition: Int64? = nil, toPosition: Int64? = nil, from: Timestamp? = nil, to: Timestamp? = nil
        ) {
            self.fromPosition = fromPosition
            self.toPosition = toPosition
            self.from = from
            self.to = to
        }

        /// Whether an event is before the range. All events before it in its ledger are too.
        func isBefore(_ event: RecordedEvent) -> Bool {
            (fromPosition.map { event.position < $0 } ?? false) || (from.map { event.time < $0 } ?? false)
        }

        /// Whether an event is after the range. All events that follow it in its ledger are too.
        func isOver(_ event: RecordedEvent) -> Bool {
            (toPosition.map { event.position > $0 } ?? false) || (to.map { event.time > $0 } ?? false)
        }
    }

    package let reader: LedgerReader
    private let pool: PostgresPool
    private let keys: PersonKeys?

    /// The log, read over a pool of the reader role.
    ///
    /// - Parameters:
    ///   - codes: What the codes of events are checked with.
    ///   - keys: The person keys that decrypt personal texts, or `nil` to leave the texts encrypted.
    package init(pool: PostgresPool, codes: EventCodes, keys: PersonKeys?) {
        self.pool = pool
        self.keys = keys
        reader = LedgerReader(pool: pool, codes: codes, storesTiles: false)
    }

    /// Returns all ledgers that have events, with their sizes: system, directories, then tenants by their ids.
    package func ledgers() async throws -> [(id: LedgerID, size: Int64)] {
        let rows = try await pool.withConnection { connection in
            try await connection.query("SELECT ledger_id, size FROM tenure.ledger WHERE size > 0 ORDER BY ledger_id")
        }
        let ledgers = try rows.map { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return (id: LedgerID(ledger), size: size)
        }
        return ledgers.filter { !TenantLedgers.contains($0.id) } + ledgers.filter { TenantLedgers.contains($0.id) }
    }

    /// Passes the events of a ledger to `body`, page by page, with personal texts decrypted.
    package func replay(
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

    /// Decrypts the personal texts of events of one ledger, in at most one round trip.
    package func open(_ events: [RecordedEvent], in ledger: LedgerID) async throws -> [OpenedEvent] {
        guard let keys else { return events.map { OpenedEvent($0, keys: nil) } }
        let owners = events.reduce(into: Set<UUID>()) { $0.formUnion(OpenedEvent.owners($1)) }
        let opened = try await keys.load(Array(owners), ledger: ledger.uuid)
        return events.map { OpenedEvent($0, keys: opened) }
    }

    /// Returns the first event of a ledger, which names a tenant.
    package func founding(of ledger: LedgerID) async throws -> RecordedEvent? { try await reader.event(ledger, at: 1) }

    /// Returns the registrations of employees, decrypted.
    package func registrations(of employees: [UUID], in ledger: LedgerID) async throws -> [OpenedEvent] {
        let streams = employees.map { StreamID(ledger: ledger, kind: StreamID.employeeKind, id: $0) }
        return try await open(try await reader.beginnings(of: streams), in: ledger)
    }

    /// Returns the person keys of a ledger by their ids, or `nil` if the log has no keys at all.
    package func personKeys(_ ids: [UUID], in ledger: LedgerID) async throws -> [UUID: PersonKey]? {
        try await keys?.load(ids, ledger: ledger.uuid)
    }

    /// Returns the position of the last event before a time, or 0 if there is none. Times never run backwards in a
    /// ledger.
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
    /// Whether the ledger belongs to a tenant, not to the system or a directory.
    package var isTenant: Bool { TenantLedgers.contains(self) }
}

/// A bundle as a source of events. It has neither database nor keys, so personal texts stay encrypted.
///
/// Every event is proved against a checkpoint before it is passed on.
package struct BundleLog: EventSource {
    private static let pageSize = 500
    private let bundle: BundleReader

    /// A log of an opened bundle whose checkpoints were verified.
    package init(_ bundle: BundleReader) { self.bundle = bundle }

    /// The ledgers of the bundle with the sizes of their checkpoints: system, directories, then tenants by their ids.
    package var ledgers: [(id: LedgerID, size: Int64)] {
        let all = bundle.manifest.parts.map { (id: $0.ledger, size: $0.size) }
        return all.filter { !$0.id.isTenant } + all.filter(\.id.isTenant)
    }

    /// Passes the events of a ledger to `body`.
    ///
    /// - Throws: `ProofError` at the first entry that is not the one that was signed.
    package func replay(
        _ ledger: LedgerID, _ range: EventLog.Range, types: [String]?,
        _ body: ([OpenedEvent], Int64) async throws -> Void
    ) async throws {
        var page: [OpenedEvent] = []
        let types = types.map { Set($0) }
        var last: Int64 = 0
        try await read(ledger) { event in
            if range.isOver(event) { return false }
            last = event.position
            if range.isBefore(event) || !(types?.contains(event.type) ?? true) { return true }
            page.append(OpenedEvent(event, keys: nil))
            if page.count == Self.pageSize {
                try await body(page, last)
                page.removeAll(keepingCapacity: true)
            }
            return true
        }
        try await body(page, last)
    }

    /// Returns the first event of a ledger, if the bundle has it.
    package func founding(of ledger: LedgerID) async throws -> RecordedEvent? {
        var first: RecordedEvent?
        try await read(ledger) { event in
            if event.position == 1 { first = event }
            return false
        }
        return first
    }

    /// Returns nothing, because the names in registrations are encrypted.
    package func registrations(of employees: [UUID], in ledger: LedgerID) async throws -> [OpenedEvent] { [] }

    /// Reads until `body` returns `false`.
    private func read(_ ledger: LedgerID, _ body: (RecordedEvent) async throws -> Bool) async throws {
        guard let part = bundle.manifest.parts.first(where: { $0.ledger == ledger }) else { return }
        do {
            try await bundle.read(part, leavingOut: await bundle.disowned()) { event in
                guard try await body(event) else { throw Enough() }
            }
        } catch is Enough {
            return
        }
    }

    private struct Enough: Error {}
}
