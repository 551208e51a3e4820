import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Projections

/// Reads a tenant's projections. Nothing is decided on them.
struct CompanyReads: Sendable {
    let context: ServiceContext
    let views: Views

    /// Checks access to the tenant and waits until its projections have reached a position that the caller knows.
    ///
    /// - Throws: `service.unavailable` if the position does not exist or is not reached in time.
    func open(
        _ company: String, _ caller: Caller, role: CallerRole, waitFor: Int64?
    ) async throws -> CompanyAccess {
        let access = try await context.access(company, caller, role: role)
        if let waitFor {
            // A position beyond the end of the log is not worth waiting for.
            let head = try await context.reader.head(LedgerID(access.tenant.id.uuid))?.size ?? 0
            guard waitFor <= head else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
            let reached = try await views.wait(
                for: waitFor, of: access.tenant.id, patience: context.settings.viewPatience)
            guard reached else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        }
        return access
    }

    func company(_ name: String, caller: Caller, waitFor: Int64?) async throws -> CompanyView {
        let access = try await open(name, caller, role: .access, waitFor: waitFor)
        let row = try await present(access) { try await views.tenant(access.tenant.id) }
        return CompanyView(
            companyName: row.companyName, foundedAt: row.foundedAt, employees: row.employees,
            confirmedDomain: row.confirmedDomain, position: try await views.position(of: access.tenant.id))
    }

    func employees(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<EmployeeView> {
        let access = try await open(company, caller, role: .access, waitFor: waitFor)
        let rows = try await views.employees(in: access.tenant.id, after: after, limit: limit + 1)
        let shown = rows.prefix(limit)
        let keys = try await keys(of: shown.map(\.id), in: access.tenant.id)
        let items = try shown.map { try view(of: $0, access, keys, devices: nil) }
        return Page(items: items, next: rows.count > limit ? shown.last?.registeredPosition : nil)
    }

    func employee(
        _ companyEmployeeId: String, of company: String, caller: Caller, waitFor: Int64?
    ) async throws -> EmployeeView {
        let access = try await open(company, caller, role: .access, waitFor: waitFor)
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(companyEmployeeId) }
        guard let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: access.tenant.id)) else {
            throw ServiceError(.employeeUnknown)
        }
        let found = try await present(access) {
            try await views.employee(EmployeeID(claim.owner), in: access.tenant.id)
        }
        let keys = try await keys(of: [found.employee.id], in: access.tenant.id)
        let now = context.settings.now()
        return try view(of: found.employee, access, keys, devices: found.keys.map { Self.view(of: $0, at: now) })
    }

    func securityAdmin(of company: String, caller: Caller, waitFor: Int64?) async throws -> SecurityAdminView {
        let access = try await open(company, caller, role: .access, waitFor: waitFor)
        let (entry, employee) = try await present(access) {
            try await views.securityAdmin(of: access.tenant.id).flatMap { entry in entry.employee.map { (entry, $0) } }
        }
        let keys = try await keys(of: [employee.id], in: access.tenant.id)
        return SecurityAdminView(
            employee: try summary(of: employee, access, keys), eventId: entry.admin.current.proof.id,
            position: entry.admin.current.proof.position, since: entry.admin.current.since)
    }

    /// Reads a row that the log says exists, and gives a projection that lags time to catch up.
    ///
    /// - Throws: `service.unavailable` if the row does not appear in time.
    private func present<Row>(_ access: CompanyAccess, _ read: () async throws -> Row?) async throws -> Row {
        if let row = try await read() { return row }
        let head = try await context.reader.head(LedgerID(access.tenant.id.uuid))?.size ?? 0
        _ = try await views.wait(for: head, of: access.tenant.id, patience: context.settings.viewPatience)
        guard let row = try await read() else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        return row
    }

    private func keys(of ids: [EmployeeID], in tenant: TenantID) async throws -> [UUID: PersonKey] {
        try await context.personKeys.load(ids.map(\.uuid), ledger: tenant.uuid)
    }

    private func view(
        of row: EmployeeRow, _ access: CompanyAccess, _ keys: [UUID: PersonKey], devices: [EmployeeKeyView]?
    ) throws -> EmployeeView {
        EmployeeView(
            summary: try summary(of: row, access, keys),
            email: row.isReclaimed ? nil : try row.email.open(with: keys, in: access.tenant.id.uuid),
            isCompanyOwnedEmail: row.isCompanyOwnedEmail, registeredAt: row.registeredAt, keys: devices)
    }

    func summary(
        of row: EmployeeRow, _ access: CompanyAccess, _ keys: [UUID: PersonKey]
    ) throws -> EmployeeSummary {
        EmployeeSummary(
            companyName: access.tenant.state.companyName ?? "",
            companyEmployeeId: try row.companyEmployeeID.open(with: keys, in: access.tenant.id.uuid),
            status: row.status.rawValue, role: row.role.rawValue)
    }

    static func view(of row: EmployeeKeyRow, at time: Timestamp) -> EmployeeKeyView {
        EmployeeKeyView(
            fingerprint: Hex.encode(ServiceContext.fingerprint(of: row.key)), employeePublicKey: row.key.bytes,
            state: row.stateName(at: time), presentedAt: row.presentedAt, decidedAt: row.decision?.time)
    }
}
