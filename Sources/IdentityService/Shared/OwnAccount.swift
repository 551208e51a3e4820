import Canonical
import ErrorCodes
import EventCoding
import Identity

/// The caller as an employee, without any authority over the tenant.
struct OwnAccount: Sendable {
    let tenant: TenantSnapshot
    let employee: EmployeeSnapshot
    /// The tenant's name as first entered.
    let name: CompanyName
    let decider: DecidingEmployee

    /// Loads both from the log, so that a revocation is effective at once.
    ///
    /// - Throws: `session.invalid` if the employee no longer exists.
    init(of caller: EmployeeCaller, _ context: ServiceContext) async throws {
        let loader = StateLoader(reader: context.reader)
        tenant = try await loader.tenant(TenantID(caller.tenantId))
        employee = try await loader.employee(EmployeeID(caller.employeeId), in: tenant.id)
        guard
            let decider = DecidingEmployee(
                employee.state, in: tenant.state, secretProved: caller.secretProved),
            let name = tenant.state.companyName
        else { throw ServiceError(.sessionInvalid) }
        self.decider = decider
        self.name = try parsed { () throws(ValueError) in try CompanyName(name) }
    }
}
