package import Canonical
package import EventCoding
package import Identity
package import Keys
import Postgres

/// A row of the projection `employees`.
package struct EmployeeRow: Sendable, Equatable {
    package var id: EmployeeID
    /// The user that the employee belongs to.
    package var user: UserID
    /// The employee id as first entered, encrypted under the employee's person key.
    package var companyEmployeeID: SealedText
    /// The address as first entered, encrypted under the employee's person key.
    package var email: SealedText
    /// Whether the address was claimed for the tenant.
    package var isCompanyOwnedEmail: Bool
    /// Whether founding, the policy or an admin approved the employee.
    package var isApproved: Bool
    package var isCancelled: Bool
    /// Whether the address was reclaimed, which is permanent.
    package var isReclaimed: Bool
    /// Whether the employee id is provisional and can be released.
    package var isProvisional: Bool
    /// Whether the employee id was released, so that another account may take it.
    package var isReleased: Bool
    /// Whether an admin's approval verified the address.
    package var isEmailVerified: Bool
    /// Whether the employee was appointed an admin.
    package var isAppointed: Bool
    /// Whether the employee is the tenant's security admin.
    package var isSecurityAdmin: Bool
    /// The time of the registration.
    package var registeredAt: Timestamp
    /// The position of the registration. Lists are ordered by it, and it is the cursor of their pages.
    package var registeredPosition: Int64
    /// The time of the event that last changed the row.
    package var changedAt: Timestamp
    /// The position of the event that last changed the row.
    package var changedPosition: Int64

    /// The account's status. Reinstating an account does not approve it.
    package var status: EmployeeStatus { isCancelled ? .cancelled : isApproved ? .active : .registered }
    /// The employee's role in the tenant.
    package var role: EmployeeRole { isSecurityAdmin ? .securityAdmin : isAppointed ? .admin : .employee }
}

extension EmployeeRow: ViewRow {
    package static let table = RowTable<EmployeeRow>(
        "employees", EmployeeRow.init,
        Column(key: "employee_id", \.id), Column("user_id", \.user),
        Column("company_employee_id", \.companyEmployeeID), Column("email", \.email),
        Column("is_company_owned_email", \.isCompanyOwnedEmail), Column("is_approved", \.isApproved),
        Column("status", \.status) { $0 == .cancelled }, Column("is_reclaimed", \.isReclaimed),
        Column("is_provisional", \.isProvisional), Column("is_released", \.isReleased),
        Column("is_email_verified", \.isEmailVerified), Column("is_appointed", \.isAppointed),
        Column("role", \.role) { $0 == .securityAdmin }, Column("registered_at", \.registeredAt),
        Column("registered_position", \.registeredPosition), Column("changed_at", \.changedAt),
        Column("changed_position", \.changedPosition))

    var viewKey: EmployeeID { id }
}

/// The read model of `employees`.
struct EmployeesModel: ReadModel {
    static let name = ProjectionName.employees
    static let revision: Int32 = 2
    static let tables: [any ViewRow.Type] = [EmployeeRow.self]

    var employees = ViewRows<EmployeeRow>()

    static let types: [any EventPayload.Type] = [
        EmployeeRegistered.self, EmployeeApproved.self, EmployeeCancelled.self, EmployeeReinstated.self,
        EmailReclaimed.self, EmployeeEmailChanged.self, EmployeeErased.self, AdminAppointed.self, AdminDismissed.self,
        SecurityAdminSucceeded.self, EmployeeKeyAuthorized.self, EmployeeIdReleased.self,
    ]

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        // A succession also changes the previous security admin.
        let isSuccession = events.contains { $0.payload is SecurityAdminSucceeded }
        let touched = EmployeeRow.select(scope, employees: events.employees)
        guard isSuccession else { return [touched] }
        return ["\(touched) UNION ALL \(EmployeeRow.select(scope, "v.role = 'securityAdmin'"))"]
    }

    mutating func load(_ results: [[PostgresRow]]) throws { try employees.load(results.first ?? []) }

    mutating func apply(_ event: ProjectedEvent) throws {
        switch event.payload {
        case let payload as EmployeeRegistered: try register(payload, event)
        case let payload as EmployeeApproved:
            change(payload.employeeID, event) { employee in
                employee.isApproved = true
                if payload.emailVerified { employee.isEmailVerified = true }
                if payload.by.statement != nil { employee.isProvisional = false }
            }
        case let payload as EmployeeKeyAuthorized: authorize(payload.employeeID, event)
        case let payload as EmployeeIdReleased:
            change(payload.employeeID, event) { employee in
                employee.isCancelled = true
                employee.isReleased = true
                employee.isProvisional = false
            }
        case let payload as EmployeeCancelled:
            change(payload.employeeID, event) { employee in
                employee.isCancelled = true
                if payload.reason == .reclaimed { employee.isReclaimed = true }
            }
        case let payload as EmailReclaimed:
            change(payload.employeeID, event) { employee in
                employee.isCancelled = true
                employee.isReclaimed = true
            }
        case let payload as EmployeeEmailChanged:
            let email = try event.sealedText("email")
            change(payload.employeeID, event) { employee in
                employee.email = email
                employee.isCompanyOwnedEmail = false
                employee.isEmailVerified = false
            }
        case let payload as EmployeeErased:
            change(payload.employeeID, event) { employee in
                employee.isCancelled = true
                employee.isProvisional = false
            }
        case let payload as EmployeeReinstated: change(payload.employeeID, event) { $0.isCancelled = false }
        case let payload as AdminAppointed: change(payload.employeeID, event) { $0.isAppointed = true }
        case let payload as AdminDismissed: change(payload.employeeID, event) { $0.isAppointed = false }
        case let payload as SecurityAdminSucceeded: succeed(payload.employeeID, event)
        default: break
        }
    }

    func changes(_ scope: ViewScope) -> [SQL] { employees.changes(scope) }

    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)] {
        [employees.comparison(scope)]
    }

    private mutating func register(_ payload: EmployeeRegistered, _ event: ProjectedEvent) throws {
        guard employees[payload.employeeID] == nil else { return }
        employees[payload.employeeID] = EmployeeRow(
            id: payload.employeeID, user: payload.userID,
            companyEmployeeID: try event.sealedText("companyEmployeeId"), email: try event.sealedText("email"),
            isCompanyOwnedEmail: payload.isCompanyOwnedEmail, isApproved: payload.approved, isCancelled: false,
            isReclaimed: false, isProvisional: true, isReleased: false, isEmailVerified: false, isAppointed: false,
            isSecurityAdmin: event.position == 1, registeredAt: event.time,
            registeredPosition: event.position, changedAt: event.time, changedPosition: event.position)
    }

    /// Ends the provisional state with the first authorized device key. Later keys change nothing here.
    private mutating func authorize(_ employee: EmployeeID, _ event: ProjectedEvent) {
        guard employees[employee]?.isProvisional == true else { return }
        change(employee, event) { $0.isProvisional = false }
    }

    private mutating func succeed(_ employee: EmployeeID, _ event: ProjectedEvent) {
        for before in employees.rows.values where before.isSecurityAdmin && before.id != employee {
            change(before.id, event) { $0.isSecurityAdmin = false }
        }
        change(employee, event) { $0.isSecurityAdmin = true }
    }

    private mutating func change(
        _ employee: EmployeeID, _ event: ProjectedEvent, _ body: (inout EmployeeRow) -> Void
    ) {
        guard var row = employees[employee] else { return }
        body(&row)
        row.changedAt = event.time
        row.changedPosition = event.position
        employees[employee] = row
    }
}
