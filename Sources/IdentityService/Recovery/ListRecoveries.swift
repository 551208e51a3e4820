import Canonical
import FoundationEssentials
import Identity
import Ledger

/// Lists what admins of a company may open, confirm or cancel: at most a hundred, those that are open first.
///
/// Rows only say what to look at; what each is comes from the log.
struct ListRecoveries: Sendable {
    let context: ServiceContext

    func run(_ company: String, caller: EmployeeCaller, at time: Timestamp) async throws -> [RecoveryView] {
        let access = try await context.access(company, .employee(caller), role: .authorization)
        let tenant = access.tenant
        let loader = StateLoader(reader: context.reader)
        var views: [RecoveryView] = []
        for row in try await RecoveryRequests(context: context).rows(of: tenant.id, at: time) {
            guard views.count < RecoveryRequests.listLimit else { break }
            let employee = try await loader.employee(row.employee, in: tenant.id)
            guard let account = employee.state.account, account.status == .active else { continue }
            let user = try await loader.user(account.user)
            let target = User.RecoveryTarget(tenant: tenant.id, employee: employee.id, fingerprint: row.fingerprint)
            let recovery = user.state.openRecovery(at: time).flatMap { $0.isAbout(target) ? $0 : nil }
            // It ended, and the row is about to.
            guard recovery != nil || !row.isOpen else { continue }
            var opener: String?
            if case .employee(let id, _)? = recovery?.openedBy {
                opener = try await context.summary(of: loader.employee(id, in: tenant.id), in: tenant).companyEmployeeId
            }
            views.append(
                RecoveryView(
                    employee: try await context.summary(of: employee, in: tenant),
                    tenantId: tenant.id.uuid, userId: account.user.uuid, employeeId: employee.id.uuid,
                    fingerprint: row.fingerprint.description,
                    state: recovery.map { $0.confirmed == nil ? "opened" : "confirmed" } ?? "waiting",
                    requestedAt: row.requestedAt, expiresAt: recovery?.expiresAt ?? row.expiresAt, openedBy: opener))
        }
        return views
    }
}
