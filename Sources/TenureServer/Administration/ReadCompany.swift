import Canonical
import EventCoding
import FoundationEssentials
import Identity
public import IdentityService
import Keys
import Projections
public import TenureAPI

/// Reads a tenant.
public struct ReadCompany: ProjectionRead {
    /// The tenant's name.
    public let company: String
    /// The app or admin who asks.
    public let caller: Caller
    /// A position in the tenant's ledger that the projection must have reached.
    public let waitFor: Int64?

    /// Each parameter sets the property of the same name.
    public init(company: String, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.caller = caller
        self.waitFor = waitFor
    }

    /// Reads the tenant.
    public func run(_ reads: CompanyReads) async throws -> CompanyResponse {
        let access = try await reads.open(company, caller, role: .access, waitFor: waitFor)
        let row = try await reads.present(access) { try await reads.views.tenant(access.tenant.id) }
        return CompanyResponse(
            companyName: row.companyName, foundedAt: row.foundedAt, employees: row.employees,
            confirmedDomain: row.confirmedDomain, position: try await reads.views.position(of: access.tenant.id))
    }
}

/// Lists the employees of a tenant, oldest first.
public struct ListEmployees: ProjectionRead {
    /// The tenant's name.
    public let company: String
    /// Which of them.
    public let page: PageRequest
    /// The app or admin who asks.
    public let caller: Caller
    /// A position in the tenant's ledger that the projection must have reached.
    public let waitFor: Int64?

    /// Each parameter sets the property of the same name.
    public init(company: String, _ page: PageRequest, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.page = page
        self.caller = caller
        self.waitFor = waitFor
    }

    /// Reads a page.
    public func run(_ reads: CompanyReads) async throws -> PageResponse<EmployeeResponse> {
        let access = try await reads.open(company, caller, role: .access, waitFor: waitFor)
        let rows = try await reads.views.employees(in: access.tenant.id, after: page.after, limit: page.limit + 1)
        let shown = rows.prefix(page.limit)
        let keys = try await reads.keys(of: shown.map(\.id), in: access.tenant.id)
        let items = try shown.map { try EmployeeResponse($0, access, keys, devices: nil) }
        return PageResponse(items: items, next: rows.count > page.limit ? shown.last?.registeredPosition : nil)
    }
}

/// Reads one employee with device keys.
public struct ReadEmployee: ProjectionRead {
    /// The tenant's name.
    public let company: String
    /// The employee id in that tenant.
    public let companyEmployeeId: String
    /// The app or admin who asks.
    public let caller: Caller
    /// A position in the tenant's ledger that the projection must have reached.
    public let waitFor: Int64?

    /// Each parameter sets the property of the same name.
    public init(company: String, companyEmployeeId: String, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.caller = caller
        self.waitFor = waitFor
    }

    /// Reads the employee.
    public func run(_ reads: CompanyReads) async throws -> EmployeeResponse {
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
public struct ReadSecurityAdmin: ProjectionRead {
    /// The tenant's name.
    public let company: String
    /// The app or admin who asks.
    public let caller: Caller
    /// A position in the tenant's ledger that the projection must have reached.
    public let waitFor: Int64?

    /// Each parameter sets the property of the same name.
    public init(company: String, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.caller = caller
        self.waitFor = waitFor
    }

    /// Reads the security admin.
    public func run(_ reads: CompanyReads) async throws -> SecurityAdminResponse {
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
            companyName: summary.companyName, companyEmployeeId: summary.companyEmployeeId, status: summary.status,
            role: summary.role,
            email: row.isReclaimed ? nil : try row.email.open(with: keys, in: access.tenant.id.uuid),
            isCompanyOwnedEmail: row.isCompanyOwnedEmail, registeredAt: row.registeredAt, keys: devices)
    }
}
