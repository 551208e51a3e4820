package import Canonical
import FoundationEssentials
package import Identity
package import Keys
import Ledger
import Postgres

/// A row of the projection `pending_authorizations`: a device key that waits for a decision.
package struct PendingAuthorizationRow: Sendable, Equatable {
    package var employee: EmployeeID
    package var key: PublicKeyBytes
    /// Whether it is the employee's first key.
    package var isFirst: Bool
    /// The flow that presented it.
    package var flow: FlowID
    package var presentedAt: Timestamp
    /// The event that presented it. Its position is the cursor of pages.
    package var presented: EventPlace
    /// The leaf hash of that event's entry, 32 bytes, which statements name.
    package var presentedLeaf: [UInt8]

    package var expiresAt: Timestamp { presentedAt.adding(Employee.pendingLifetime) }

    package func isExpired(at time: Timestamp) -> Bool { expiresAt < time }
}

extension PendingAuthorizationRow: ViewRow {
    package static let table = RowTable<PendingAuthorizationRow>(
        "pending_authorizations", PendingAuthorizationRow.init,
        Column(key: "employee_id", \.employee), Column(key: "key", \.key), Column("is_first", \.isFirst),
        Column("flow_id", \.flow), Column("presented_at", \.presentedAt),
        presented, Column("presented_leaf", \.presentedLeaf))
    private static let presented = Column<PendingAuthorizationRow, EventPlace>(
        parts: \.presented, EventPlace.init,
        Column("presented_event_id", \.id), Column("presented_position", \.position))

    var viewKey: EmployeeKeyRow.Key { EmployeeKeyRow.Key(employee: employee, key: key) }
}

/// The read model of `pending_authorizations`: the keys whose last event presented them.
struct PendingAuthorizationsModel: ReadModel {
    static let name = ProjectionName.pendingAuthorizations
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [PendingAuthorizationRow.self]

    var pending = ViewRows<PendingAuthorizationRow>()

    static let types = EmployeeKeysModel.types

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        [PendingAuthorizationRow.select(scope, employees: events.employees)]
    }

    mutating func load(_ results: [[PostgresRow]]) throws { try pending.load(results.first ?? []) }

    mutating func apply(_ event: ProjectedEvent) throws {
        switch event.payload {
        case let payload as EmployeeKeyPresented:
            let row = PendingAuthorizationRow(
                employee: payload.employeeID, key: payload.key, isFirst: payload.first, flow: payload.flow,
                presentedAt: event.time, presented: EventPlace(id: event.id, position: event.position),
                presentedLeaf: event.recorded.leaf)
            pending[row.viewKey] = row
        case let payload as EmployeeKeyAuthorized: decided(payload.employeeID, payload.key)
        case let payload as ReturnCompleted: decided(payload.employeeID, payload.proof.key)
        case let payload as EmployeeKeyRefused: decided(payload.employeeID, payload.key)
        case let payload as EmployeeKeyRevoked: decided(payload.employeeID, payload.key)
        case let payload as EmailReclaimed: end(payload.employeeID)
        case let payload as EmployeeErased: end(payload.employeeID)
        case let payload as EmployeeIdReleased: end(payload.employeeID)
        case let payload as EmployeeCancelled: end(payload.employeeID)
        default: break
        }
    }

    func changes(_ scope: ViewScope) -> [SQL] { pending.changes(scope) }

    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)] {
        [pending.comparison(scope)]
    }

    private mutating func decided(_ employee: EmployeeID, _ key: PublicKeyBytes) {
        pending[EmployeeKeyRow.Key(employee: employee, key: key)] = nil
    }

    private mutating func end(_ employee: EmployeeID) {
        for row in pending.rows.values where row.employee == employee { pending[row.viewKey] = nil }
    }
}

extension Views {
    /// How many tenants share a transaction.
    private static let width = 200

    /// Waits until a tenant has a pending device key that was presented after a position, until a moment, or until the
    /// service shuts down. It does not return at once.
    ///
    /// All waiting callers of the process share one query, whichever tenants they wait in. The key may be decided when
    /// the caller reads it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForPendingKey(
        of tenant: TenantID, after position: Int64, until deadline: ContinuousClock.Instant
    ) async throws {
        try await pendingKeys.wait(in: tenant, after: position, until: deadline)
    }

    /// The number of waiting callers in the Prometheus text format.
    package func metrics() async -> String {
        """
        # HELP tenure_waiting_callers Callers that wait for a pending device key.
        # TYPE tenure_waiting_callers gauge
        tenure_waiting_callers \(await pendingKeys.waiting)

        """
    }

    /// Returns the positions at which the newest pending keys of tenants were presented, by one transaction for 200 of
    /// them. Tenants without one are missing.
    static func newestPendingKeys(
        of tenants: Set<TenantID>, _ pool: PostgresPool, at time: Timestamp = .now()
    ) async throws -> [TenantID: Int64] {
        var newest: [TenantID: Int64] = [:]
        let tenants = Array(tenants)
        for start in stride(from: 0, to: tenants.count, by: width) {
            let part = tenants[start..<min(start + width, tenants.count)]
            let answers = try await pool.pipeline(
                part.map { newestPendingKey(of: $0, at: time) }, in: part.map { LedgerID($0.uuid) }, waits: false)
            for (tenant, rows) in zip(part, answers) { newest[tenant] = try rows.first?.decode(Int64.self) }
        }
        return newest
    }

    /// One ledger for each statement, so that the same plan serves all, on a distributed database too.
    private static func newestPendingKey(of tenant: TenantID, at time: Timestamp) -> SQL {
        let oldest = PostgresTimestamp(time.adding(.zero - Employee.pendingLifetime))
        return """
            SELECT v.presented_position FROM tenure.pending_authorizations AS v
            WHERE \(live("v", .pendingAuthorizations, tenant)) AND v.presented_at >= \(oldest)
            ORDER BY v.presented_position DESC LIMIT 1
            """
    }
}
