import Identity
import Keys
import Ledger

extension OperatorCommands {
    /// Makes an employee the security admin of a company whose present one is lost; nobody signs, and the event says so.
    ///
    /// - Throws: `company.unknown`, `employee.unknown`, or `employee.inactive` for somebody who is not active.
    public func succeedSecurityAdmin(of company: String, by companyEmployeeId: String) async throws {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        try await optimistic {
            let id = TenantID(context.ring.tenantID(companyName: name.canonical))
            let tenant = try await StateLoader(reader: context.reader).tenant(id)
            guard tenant.exists else { throw ServiceError(.companyUnknown) }
            let employee = try await context.employee(companyEmployeeId, in: id)
            let status = employee.state.account?.status ?? .registered
            let events = try decided { () throws(Tenant.Rejection) in
                try Tenant.decide(
                    tenant.state,
                    .succeedSecurityAdmin(employee.id, status: status, Tenant.Decision(caller: .operator)))
            }
            try await append(events.map(\.payload), to: .tenant(id), version: tenant.version)
        }
    }
}
