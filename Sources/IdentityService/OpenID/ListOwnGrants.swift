import Canonical
import EventCoding
import FoundationEssentials
import Identity
package import TenureAPI

/// Lists the open grants of the caller.
package struct ListOwnGrants: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// Lists the grants, the newest first.
    package func run(_ run: UseCaseRun<[GrantResponse]>) async throws -> [GrantResponse] {
        try await run.context.openGrants(
            of: EmployeeID(caller.employeeId), in: TenantID(caller.tenantId), at: run.call.time)
    }
}

/// Lists the open grants of an employee, for an admin or an app with the role ADMINISTRATION.
package struct ListEmployeeGrants: UseCase {
    package let company: String
    package let companyEmployeeId: String
    package let caller: Caller

    package init(company: String, companyEmployeeId: String, caller: Caller) {
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.caller = caller
    }

    /// Lists the grants, the newest first.
    package func run(_ run: UseCaseRun<[GrantResponse]>) async throws -> [GrantResponse] {
        let context = run.context
        let tenant = try await context.access(company, caller, role: .administration).tenant.id
        let employee = try await context.employee(companyEmployeeId, in: tenant).id
        return try await context.openGrants(of: employee, in: tenant, at: run.call.time)
    }
}

/// Ends a grant of the caller.
package struct EndOwnGrant: UseCase {
    package let grant: String
    package let caller: EmployeeCaller

    package init(grant: String, caller: EmployeeCaller) {
        self.grant = grant
        self.caller = caller
    }

    /// Ends the grant. Does nothing about one that has ended or is somebody else's.
    package func run(_ run: UseCaseRun<Void>) async throws {
        let context = run.context
        guard let id = UUID(entered: grant),
            let row = try await GrantRow.find(id, of: caller.tenantId, context, at: run.call.time),
            row.employee == caller.employeeId
        else { return }
        try await EndGrant(context: context).run(
            row.id, in: TenantID(row.tenant), .endedByOwner, run.call, actor: caller.employeeId)
    }
}

extension ServiceContext {
    /// The grants of an account that go on, the newest first, a hundred at most.
    ///
    /// Rows say where to look, and the streams decide: what a person sees is what a client can use. A grant without its
    /// row opens nothing, and one that ended is not shown, whoever puts its row back.
    func openGrants(
        of employee: EmployeeID, in tenant: TenantID, at time: Timestamp
    ) async throws -> [GrantResponse] {
        var open: [GrantResponse] = []
        for row in try await GrantRow.all(of: employee, in: tenant, self, at: time) {
            guard let log = try await grantInForce(row, at: time), let grant = log.grant else { continue }
            open.append(
                GrantResponse(
                    grantId: row.id, clientId: row.client, clientName: log.client.state.name ?? "",
                    scopes: grant.event.scopes.names, openedAt: grant.opened.time, usedAt: row.refreshedAt,
                    expiresAt: log.end(of: row, grant.opened.time), isLasting: row.isOffline))
        }
        return open
    }
}
