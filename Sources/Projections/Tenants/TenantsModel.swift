import Canonical
import FoundationEssentials
import Identity
import Postgres

/// Folds `tenants`.
struct TenantsModel: ReadModel {
    static let name = ProjectionName.tenants
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [TenantRow.self, CancelledEmployeeRow.self]

    var tenants = RowTable<TenantRow>()
    var cancelled = RowTable<CancelledEmployeeRow>()

    static let types: [any EventPayload.Type] = [
        EmployeeRegistered.self, EmployeeCancelled.self, EmployeeReinstated.self, EmailReclaimed.self,
        TenantPolicyChanged.self, DomainConfirmed.self, AppLinked.self, AppUnlinked.self, SecurityAdminSucceeded.self,
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
        case let payload as EmployeeReinstated: reinstate(payload.employeeID, &tenant)
        case let payload as TenantPolicyChanged: tenant.policy = payload.policy
        case let payload as DomainConfirmed: tenant.confirmedDomain = payload.domain
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

    /// A reclaim is an event of its own beside the cancellation, and an employee counts once.
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
