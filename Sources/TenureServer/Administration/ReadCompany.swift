import Canonical
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
package import IdentityService
import Keys
import Projections
package import TenureAPI

package struct ReadCompany: ProjectionRead {
    package let company: String
    package let caller: Caller
    package let waitFor: Int64?

    package init(company: String, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.caller = caller
        self.waitFor = waitFor
    }

    package func run(_ reads: CompanyReads) async throws -> CompanyResponse {
        let access = try await reads.open(company, caller, role: .access, waitFor: waitFor)
        let row = try await reads.present(access) { try await reads.views.tenant(access.tenant.id) }
        return CompanyResponse(
            tenantId: access.tenant.id.uuid, companyName: row.companyName, foundedAt: row.foundedAt,
            employees: row.employees,
            confirmedDomain: row.confirmedDomain, position: try await reads.views.position(of: access.tenant.id))
    }
}

/// Lists the tenants that link an app with the role ACCESS, in the order of their foundation.
///
/// The projection finds candidates: it knows that an app is linked, not for what, and may lag. The log decides which of
/// them the app may see. So a page may be shorter than its limit although another follows.
package struct ListCompanies: ProjectionRead {
    /// Which of them. The cursor is the time of the foundation in microseconds.
    package let page: PageRequest
    /// The app that asks.
    package let app: AppCaller

    package init(_ page: PageRequest, app: AppCaller) {
        self.page = page
        self.app = app
    }

    package func run(_ reads: CompanyReads) async throws -> PageResponse<LinkedCompanyResponse> {
        guard app.roles.contains(.access) else { throw ServiceError(.appRoleMissing) }
        let found = try await LinkedCompany.page(
            of: AppID(app.appId), after: Timestamp(microseconds: min(page.after, Self.lastTime)), limit: page.limit,
            reads.allTenants)
        let loader = StateLoader(reader: reads.context.reader)
        var items: [LinkedCompanyResponse] = []
        for company in found {
            guard try await loader.tenant(company.id).state.links(AppID(app.appId), as: .access) else { continue }
            items.append(
                LinkedCompanyResponse(
                    tenantId: company.id.uuid, companyName: company.companyName, foundedAt: company.foundedAt))
        }
        return PageResponse(items: items, next: found.count < page.limit ? nil : found.last?.foundedAt.microseconds)
    }

    /// The end of the year 9999, which no cursor exceeds.
    private static let lastTime: Int64 = 253_402_300_799_999_999
}

/// Which employees a list shows.
package enum EmployeeChoice: Sendable, Equatable {
    case all
    /// The one with this permanent id, which access tokens name as `sub`.
    case id(UUID)
    /// The accounts of the user who holds this address.
    case email(String)
}

/// Lists the employees of a tenant, oldest first.
package struct ListEmployees: ProjectionRead {
    package let company: String
    /// Which employees are wanted.
    package let choice: EmployeeChoice
    package let page: PageRequest
    package let caller: Caller
    package let waitFor: Int64?

    package init(
        company: String, _ choice: EmployeeChoice = .all, _ page: PageRequest, caller: Caller, waitFor: Int64? = nil
    ) {
        self.company = company
        self.choice = choice
        self.page = page
        self.caller = caller
        self.waitFor = waitFor
    }

    package func run(_ reads: CompanyReads) async throws -> PageResponse<EmployeeResponse> {
        let access = try await reads.open(company, caller, role: .access, waitFor: waitFor)
        let rows = try await rows(in: access.tenant.id, reads)
        let shown = rows.prefix(page.limit)
        let keys = try await reads.keys(of: shown.map(\.id), in: access.tenant.id)
        let items = try shown.map { try EmployeeResponse($0, access, keys, devices: nil) }
        return PageResponse(items: items, next: rows.count > page.limit ? shown.last?.registeredPosition : nil)
    }

    /// The rows of the page, and one more if there are more.
    private func rows(in tenant: TenantID, _ reads: CompanyReads) async throws -> [EmployeeRow] {
        let ids: [EmployeeID]
        switch choice {
        case .all: return try await reads.views.employees(in: tenant, after: page.after, limit: page.limit + 1)
        case .id(let id): ids = [EmployeeID(id)]
        case .email(let email): ids = try await reads.context.employees(holding: email, in: tenant)
        }
        var found: [EmployeeRow] = []
        for id in ids {
            guard let row = try await reads.views.employee(id, in: tenant)?.employee else { continue }
            if row.registeredPosition > page.after { found.append(row) }
        }
        return Array(found.sorted { $0.registeredPosition < $1.registeredPosition }.prefix(page.limit + 1))
    }
}

/// Reads one employee with device keys.
package struct ReadEmployee: ProjectionRead {
    package let company: String
    package let companyEmployeeId: String
    package let caller: Caller
    package let waitFor: Int64?

    package init(company: String, companyEmployeeId: String, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.caller = caller
        self.waitFor = waitFor
    }

    package func run(_ reads: CompanyReads) async throws -> EmployeeResponse {
        let access = try await reads.open(company, caller, role: .access, waitFor: waitFor)
        let id = try await reads.context.employeeID(companyEmployeeId, in: access.tenant.id)
        let found = try await reads.present(access) { try await reads.views.employee(id, in: access.tenant.id) }
        let keys = try await reads.keys(of: [found.employee.id], in: access.tenant.id)
        let now = reads.context.settings.now()
        return try EmployeeResponse(
            found.employee, access, keys, devices: found.keys.map { EmployeeKeyResponse($0, at: now) })
    }
}

/// Reads the security admin, with the event that proves the role.
package struct ReadSecurityAdmin: ProjectionRead {
    package let company: String
    package let caller: Caller
    package let waitFor: Int64?

    package init(company: String, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.caller = caller
        self.waitFor = waitFor
    }

    package func run(_ reads: CompanyReads) async throws -> SecurityAdminResponse {
        let access = try await reads.open(company, caller, role: .access, waitFor: waitFor)
        let (entry, employee) = try await reads.present(access) {
            try await reads.views.securityAdmin(of: access.tenant.id).flatMap { entry in
                entry.employee.map { (entry, $0) }
            }
        }
        let keys = try await reads.keys(of: [employee.id], in: access.tenant.id)
        return SecurityAdminResponse(
            employee: try EmployeeSummaryResponse(employee, access, keys), eventId: entry.admin.current.proof.id,
            position: entry.admin.current.proof.position, since: entry.admin.current.since)
    }
}

extension EmployeeResponse {
    /// The view of a row, with personal texts decrypted while the key exists.
    fileprivate init(
        _ row: EmployeeRow, _ access: CompanyAccess, _ keys: [UUID: PersonKey], devices: [EmployeeKeyResponse]?
    ) throws {
        let summary = try EmployeeSummaryResponse(row, access, keys)
        self.init(
            employeeId: summary.employeeId, tenantId: summary.tenantId, companyName: summary.companyName,
            companyEmployeeId: summary.companyEmployeeId, status: summary.status,
            role: summary.role,
            email: row.isReclaimed ? nil : try row.email.open(with: keys, in: access.tenant.id.uuid),
            isCompanyOwnedEmail: row.isCompanyOwnedEmail, registeredAt: row.registeredAt, keys: devices)
    }
}
