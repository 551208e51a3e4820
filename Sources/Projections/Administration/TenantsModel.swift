package import Canonical
import FoundationEssentials
package import Identity
import Postgres

/// A row of the projection `tenants`.
package struct TenantRow: Sendable, Equatable {
    /// The tenant's name as first entered.
    package var companyName: String
    /// The time at which the founder registered.
    package var foundedAt: Timestamp
    /// How many employees are not cancelled.
    package var employees: Int64
    /// The confirmed domain in A-labels, if there is one.
    package var confirmedDomain: String?
    package var policy: TenantPolicy
    /// The apps that may act for the tenant, in the order of their ids.
    package var linkedApps: [AppID]
    package var securityAdmin: EmployeeID
    /// The position of the event that changed the row last.
    package var changedPosition: Int64
}

extension TenantRow: ViewRow {
    static let table = "tenants"
    static let keyColumns: [String] = []
    static let columns = [
        "company_name", "founded_at", "employees", "confirmed_domain", "key_authorization", "approval", "blind_only",
        "questions_with_passphrase", "registration_mode", "recovery_delay_hours", "admin_session_hours", "linked_apps",
        "security_admin_id", "changed_position",
    ]

    var viewKey: OnlyRow { OnlyRow() }

    init(_ columns: inout ColumnReader) throws {
        companyName = try columns.next()
        foundedAt = try columns.time()
        employees = try columns.next()
        confirmedDomain = try columns.next()
        policy = TenantPolicy(
            keyAuthorization: try columns.one(), approval: try columns.one(), blindOnly: try columns.next(),
            questionsWithPassphrase: try columns.next(), registrationMode: try columns.one(),
            recoveryDelayHours: Int(try columns.next(Int32.self)), adminSessionHours: Int(try columns.next(Int32.self)))
        linkedApps = try Self.apps(try columns.json())
        securityAdmin = try columns.id()
        changedPosition = try columns.next()
    }

    static func arrays(_ rows: [TenantRow]) -> [SQL] {
        [
            "\(rows.map(\.companyName))", "\(rows.map { PostgresTimestamp($0.foundedAt) })", "\(rows.map(\.employees))",
            "\(rows.map(\.confirmedDomain))", "\(rows.map(\.policy.keyAuthorization.rawValue))",
            "\(rows.map(\.policy.approval.rawValue))", "\(rows.map(\.policy.blindOnly))",
            "\(rows.map(\.policy.questionsWithPassphrase))", "\(rows.map(\.policy.registrationMode.rawValue))",
            "\(rows.map { Int32($0.policy.recoveryDelayHours) })", "\(rows.map { Int32($0.policy.adminSessionHours) })",
            "\(rows.map { PostgresJSON(.array($0.linkedApps.map(\.json))) })", "\(rows.map(\.securityAdmin.uuid))",
            "\(rows.map(\.changedPosition))",
        ]
    }

    static func arrays(keys: [OnlyRow]) -> [SQL] { [] }

    private static func apps(_ json: JSONValue) throws -> [AppID] {
        guard case .array(let items) = json else { throw ProjectionError.unreadable(11) }
        return try items.map { item in
            guard case .string(let text) = item, let id = AppID(text: text) else {
                throw ProjectionError.unreadable(11)
            }
            return id
        }
    }
}

/// An employee that `tenants.employees` does not count.
struct CancelledEmployeeRow: ViewRow {
    static let table = "tenant_cancelled_employees"
    static let keyColumns = ["employee_id"]
    static let columns = ["employee_id"]

    let viewKey: UUID

    init(_ employee: EmployeeID) { viewKey = employee.uuid }
    init(_ columns: inout ColumnReader) throws { viewKey = try columns.next() }

    static func arrays(_ rows: [CancelledEmployeeRow]) -> [SQL] { arrays(keys: rows.map(\.viewKey)) }
    static func arrays(keys: [UUID]) -> [SQL] { ["\(keys)"] }
}

/// The read model of `tenants`.
struct TenantsModel: ReadModel {
    static let name = ProjectionName.tenants
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [TenantRow.self, CancelledEmployeeRow.self]

    var tenants = RowTable<TenantRow>()
    var cancelled = RowTable<CancelledEmployeeRow>()

    static let types: [any EventPayload.Type] = [
        EmployeeRegistered.self, EmployeeCancelled.self, EmployeeReinstated.self, EmailReclaimed.self,
        EmployeeIdReleased.self, TenantPolicyChanged.self, DomainConfirmed.self, AppLinked.self, AppUnlinked.self,
        SecurityAdminSucceeded.self,
    ]

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        [
            TenantRow.select(scope),
            CancelledEmployeeRow.select(scope, employees: events.employees),
        ]
    }

    mutating func load(_ results: [[PostgresRow]]) throws {
        try tenants.load(results.first ?? [])
        try cancelled.load(results.dropFirst().first ?? [])
    }

    mutating func apply(_ event: ProjectedEvent) throws {
        guard Self.concerns(event) else { return }
        if event.position == 1, let payload = event.payload as? EmployeeRegistered {
            return found(payload, event)
        }
        guard var tenant = tenants[OnlyRow()] else { return }
        switch event.payload {
        case is EmployeeRegistered: tenant.employees += 1
        case let payload as EmployeeCancelled: cancel(payload.employeeID, &tenant)
        case let payload as EmailReclaimed: cancel(payload.employeeID, &tenant)
        case let payload as EmployeeIdReleased: cancel(payload.employeeID, &tenant)
        case let payload as EmployeeReinstated: reinstate(payload.employeeID, &tenant)
        case let payload as TenantPolicyChanged: tenant.policy = payload.policy
        case let payload as DomainConfirmed: tenant.confirmedDomain = payload.aLabel
        case let payload as AppLinked: link(payload.appID, &tenant)
        case let payload as AppUnlinked: tenant.linkedApps.removeAll { $0 == payload.appID }
        case let payload as SecurityAdminSucceeded: tenant.securityAdmin = payload.employeeID
        default: return
        }
        tenant.changedPosition = event.position
        tenants[OnlyRow()] = tenant
    }

    func changes(_ scope: ViewScope) -> [SQL] { tenants.changes(scope) + cancelled.changes(scope) }

    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)] {
        [tenants.comparison(scope), cancelled.comparison(scope)]
    }

    private mutating func found(_ payload: EmployeeRegistered, _ event: ProjectedEvent) {
        tenants[OnlyRow()] = TenantRow(
            companyName: payload.companyName ?? "", foundedAt: event.time, employees: 1, confirmedDomain: nil,
            policy: .initial, linkedApps: [], securityAdmin: payload.employeeID, changedPosition: event.position)
    }

    /// Counts an employee off once. A reclaim is a separate event beside the cancellation.
    private mutating func cancel(_ employee: EmployeeID, _ tenant: inout TenantRow) {
        guard cancelled[employee.uuid] == nil else { return }
        cancelled[employee.uuid] = CancelledEmployeeRow(employee)
        tenant.employees -= 1
    }

    private mutating func reinstate(_ employee: EmployeeID, _ tenant: inout TenantRow) {
        guard cancelled[employee.uuid] != nil else { return }
        cancelled[employee.uuid] = nil
        tenant.employees += 1
    }

    private func link(_ app: AppID, _ tenant: inout TenantRow) {
        guard !tenant.linkedApps.contains(app) else { return }
        tenant.linkedApps.append(app)
        tenant.linkedApps.sort { $0.uuid.bytes.lexicographicallyPrecedes($1.uuid.bytes) }
    }
}
