import Canonical
import ErrorCodes
import EventCoding
import Identity
import Ledger

/// The caller as an employee with their own devices, without any authority over the tenant.
struct OwnDevices: Sendable {
    let access: CompanyAccess
    let employee: EmployeeSnapshot

    /// Loads both from the log, so that a revocation is effective at once.
    ///
    /// - Throws: `session.invalid` if the employee no longer exists.
    init(of caller: EmployeeCaller, _ context: ServiceContext) async throws {
        let own = try await OwnAccount(of: caller, context), tenant = own.tenant
        employee = own.employee
        let key = employee.state.keys.values.first {
            $0.status == .authorized && ServiceContext.fingerprint(of: $0.key) == caller.fingerprint
        }
        let leaf = key?.authorized.flatMap { [employee] place in employee.leaves[place.position] }
        access = CompanyAccess(
            tenant: tenant, name: own.name,
            decider: .employee(own.decider), guarded: (.employee(employee.id, in: tenant.id), employee.version),
            authority: leaf, signer: key?.key, passkey: key?.passkey?.facts.identity)
    }

    /// Returns the key with a fingerprint.
    ///
    /// - Throws: `authorization.unknown_key` for any key that is not the caller's own.
    func key(_ fingerprint: String) throws(ServiceError) -> Employee.Key {
        guard let wanted = Hex.decode(fingerprint.lowercased()),
            let key = employee.state.keys.values.first(where: { ServiceContext.fingerprint(of: $0.key) == wanted })
        else { throw ServiceError(.authorizationUnknownKey) }
        return key
    }
}
