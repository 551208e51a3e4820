import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import IdentityService
import Keys
import Ledger
import Postgres
import Projections
import TenureAPI

/// One request that reads projections, with its input: a list of employees, the security admin of a tenant.
///
/// The route makes the value and a ``UseCaseRunner`` runs it. Nothing is decided on what it reads.
package protocol ProjectionRead<Answer>: Sendable {
    associatedtype Answer: Sendable

    /// Reads.
    ///
    /// - Throws: `ServiceError` for the refusals in the API contract. Anything else is a defect or a lost database.
    func run(_ reads: CompanyReads) async throws -> Answer
}

/// Reads a tenant's projections. Nothing is decided on them.
package struct CompanyReads: Sendable {
    let context: ServiceContext
    let views: Views
    /// Connections of the reader role, which sees all tenants: for what an app may know of each tenant that it is linked
    /// to. The projector has others.
    let allTenants: PostgresPool

    /// Checks access to the tenant and waits until its projections have reached a position that the caller knows.
    ///
    /// - Throws: `request.invalid` for a position beyond the end of the ledger; `service.unavailable` if the position is
    ///   not reached in time.
    func open(
        _ company: String, _ caller: Caller, role: AppLinkRequest.Role, waitFor: Int64?
    ) async throws -> CompanyAccess {
        let access = try await context.access(company, caller, role: role)
        if let waitFor {
            // No caller was told a position beyond the end of the log, so it is not worth waiting for.
            let head = try await context.reader.head(LedgerID(access.tenant.id.uuid))?.size ?? 0
            guard waitFor <= head else { throw beyondTheEnd }
            let reached = try await views.wait(
                for: waitFor, of: access.tenant.id, patience: context.settings.viewPatience)
            guard reached else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        }
        return access
    }

    private var beyondTheEnd: ServiceError {
        ServiceError(
            .requestInvalid,
            members: [
                .init(
                    .header("Tenure-Wait-For"),
                    detail: "the company's ledger has not reached this position: send one that a call told of it")
            ])
    }

    /// Reads a row that the log says exists, and gives a projection that lags time to catch up.
    ///
    /// - Throws: `service.unavailable` if the row does not appear in time.
    func present<Row>(_ access: CompanyAccess, _ read: () async throws -> Row?) async throws -> Row {
        if let row = try await read() { return row }
        let head = try await context.reader.head(LedgerID(access.tenant.id.uuid))?.size ?? 0
        _ = try await views.wait(for: head, of: access.tenant.id, patience: context.settings.viewPatience)
        guard let row = try await read() else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        return row
    }

    /// The keys of the persons that rows are about.
    func keys(of ids: [EmployeeID], in tenant: TenantID) async throws -> [UUID: PersonKey] {
        try await context.personKeys.load(ids.map(\.uuid), ledger: tenant.uuid)
    }
}

extension EmployeeSummaryResponse {
    /// The summary of a row, with the name decrypted while the key exists.
    init(_ row: EmployeeRow, _ access: CompanyAccess, _ keys: [UUID: PersonKey]) throws {
        self.init(
            employeeId: row.id.uuid, tenantId: access.tenant.id.uuid,
            companyName: access.tenant.state.companyName ?? "",
            companyEmployeeId: try row.companyEmployeeID.open(with: keys, in: access.tenant.id.uuid),
            status: row.status.rawValue, role: row.role.rawValue)
    }
}
