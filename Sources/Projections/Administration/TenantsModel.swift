package import Canonical
import FoundationEssentials
package import Identity
package import Keys
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
    package static let table = RowTable<TenantRow>(
        "tenants", TenantRow.init,
        Column("company_name", \.companyName), Column("founded_at", \.foundedAt), Column("employees", \.employees),
        Column("confirmed_domain", \.confirmedDomain), policy, linkedApps,
        Column("security_admin_id", \.securityAdmin), Column("changed_position", \.changedPosition))

    var viewKey: OnlyRow { OnlyRow() }

    private static let policy = Column<TenantRow, TenantPolicy>(
        parts: \.policy,
        TenantPolicy.init(
            keyAuthorization:approval:blindOnly:questionsWithPassphrase:registrationMode:recoveryDelayHours:
            adminSessionHours:logIn:adminsNeedPasskey:clonedKey:),
        Column("key_authorization", \.keyAuthorization), Column("approval", \.approval),
        Column("blind_only", \.blindOnly), Column("questions_with_passphrase", \.questionsWithPassphrase),
        Column("registration_mode", \.registrationMode), hours("recovery_delay_hours", \.recoveryDelayHours),
        hours("admin_session_hours", \.adminSessionHours), Column("log_in", \.logIn),
        Column("admins_need_passkey", \.adminsNeedPasskey), Column("cloned_key", \.clonedKey))
    private static let linkedApps = Column<TenantRow, [AppID]>(
        "linked_apps", { (row: TenantRow) -> JSONValue in .array(row.linkedApps.map(\.json)) }, { apps($0) })

    private static func hours(
        _ name: String, _ get: @escaping @Sendable (TenantPolicy) -> Int
    ) -> Column<TenantPolicy, Int> {
        Column(name, { Int32(get($0)) }, { (hours: Int32) -> Int? in Int(hours) })
    }

    private static func apps(_ json: JSONValue) -> [AppID]? {
        guard case .array(let items) = json else { return nil }
        let apps = items.compactMap { item -> AppID? in
            if case .string(let text) = item { AppID(text: text) } else { nil }
        }
        return apps.count == items.count ? apps : nil
    }
}

/// An employee that `tenants.employees` does not count.
struct CancelledEmployeeRow: ViewRow {
    let viewKey: UUID

    static let table = RowTable<CancelledEmployeeRow>(
        "tenant_cancelled_employees", CancelledEmployeeRow.init, Column(key: "employee_id", \.viewKey))
}

/// The read model of `tenants`.
struct TenantsModel: ReadModel {
    static let name = ProjectionName.tenants
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [TenantRow.self, CancelledEmployeeRow.self]

    var tenants = ViewRows<TenantRow>()
    var cancelled = ViewRows<CancelledEmployeeRow>()

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
        cancelled[employee.uuid] = CancelledEmployeeRow(viewKey: employee.uuid)
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
