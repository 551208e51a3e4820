import Canonical
import FoundationEssentials
import Identity
import Ledger

/// The caller as an employee among their own devices, without any authority over the company.
struct OwnDevices: Sendable {
    let access: CompanyAccess
    let employee: EmployeeSnapshot

    /// Loads both from the log, so that what was just revoked is revoked here too.
    ///
    /// - Throws: `session.invalid` when there is no such employee any more.
    init(of caller: EmployeeCaller, _ context: ServiceContext) async throws {
        let loader = StateLoader(reader: context.reader)
        let tenant = try await loader.tenant(TenantID(caller.tenantId))
        employee = try await loader.employee(EmployeeID(caller.employeeId), in: tenant.id)
        guard let decider = Identity.EmployeeCaller(employee.state, in: tenant.state),
            let name = tenant.state.companyName
        else { throw ServiceError(.sessionInvalid) }
        let own = employee.state.keys.values.first {
            $0.status == .authorized && ServiceContext.fingerprint(of: $0.key) == caller.fingerprint
        }
        let leaf = own?.authorized.flatMap { [employee] place in employee.leaves[place.position] }
        access = CompanyAccess(
            tenant: tenant, name: try parsed { () throws(ValueError) in try CompanyName(name) },
            decider: .employee(decider), guarded: (.employee(employee.id, in: tenant.id), employee.version),
            authority: leaf, signer: own?.key)
    }

    /// The key with a fingerprint; `authorization.unknown_key` for any that is not the caller's own.
    func key(_ fingerprint: String) throws(ServiceError) -> Employee.Key {
        guard let wanted = Hex.decode(fingerprint.lowercased()),
            let key = employee.state.keys.values.first(where: { ServiceContext.fingerprint(of: $0.key) == wanted })
        else { throw ServiceError(.authorizationUnknownKey) }
        return key
    }
}
