import FoundationEssentials
import Identity
import Postgres

/// Folds `employees`.
struct EmployeesModel: ReadModel {
    static let name = ProjectionName.employees
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [EmployeeRow.self]

    var employees = RowTable<EmployeeRow>()

    static let types: [any EventPayload.Type] = [
        EmployeeRegistered.self, EmployeeApproved.self, EmployeeCancelled.self, EmployeeReinstated.self,
        EmailReclaimed.self, EmployeeErased.self, AdminAppointed.self, AdminDismissed.self,
        SecurityAdminSucceeded.self,
    ]

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        // A succession also changes whoever was the security admin before.
        let isSuccession = events.contains { $0.payload is SecurityAdminSucceeded }
        let touched = EmployeeRow.select(scope, employees: events.employees)
        guard isSuccession else { return [touched] }
        return ["\(touched) UNION ALL \(EmployeeRow.select(scope, "v.role = 'securityAdmin'"))"]
    }

    mutating func load(_ results: [[PostgresRow]]) throws { try employees.load(results.first ?? []) }

    mutating func apply(_ event: ProjectedEvent) throws {
        switch event.payload {
        case let payload as EmployeeRegistered: try register(payload, event)
        case let payload as EmployeeApproved: change(payload.employeeID, event) { $0.isApproved = true }
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
        case let payload as EmployeeErased: change(payload.employeeID, event) { $0.isCancelled = true }
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
            isReclaimed: false, isAppointed: false, isSecurityAdmin: event.position == 1, registeredAt: event.time,
            registeredPosition: event.position, changedAt: event.time, changedPosition: event.position)
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
