public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A tenant as the read model shows it.
public struct CompanyResponse: Sendable, Equatable, ResponseObject {
    /// The tenant's id, which access tokens name too.
    public var tenantId: UUID
    /// The name as first entered.
    public var companyName: String
    /// The time when the first employee registered.
    public var foundedAt: Timestamp
    /// The number of employees who are not cancelled.
    public var employees: Int64
    /// The confirmed domain, or `nil` while no domain is confirmed.
    public var confirmedDomain: String?
    /// The position in the tenant's ledger that the read model has reached.
    public var position: Int64

    package init(
        tenantId: UUID, companyName: String, foundedAt: Timestamp, employees: Int64, confirmedDomain: String? = nil,
        position: Int64
    ) {
        self.tenantId = tenantId
        self.companyName = companyName
        self.foundedAt = foundedAt
        self.employees = employees
        self.confirmedDomain = confirmedDomain
        self.position = position
    }

    /// The members on the wire.
    public static let members = WireMembers<CompanyResponse>(
        "CompanyResponse", CompanyResponse.init, Member("tenantId", \.tenantId), Member("companyName", \.companyName),
        Member("foundedAt", \.foundedAt), Member("employees", \.employees, .number()),
        Member(optional: "confirmedDomain", \.confirmedDomain), Member("position", \.position, .number()))
}

/// A tenant that an app is linked to.
public struct LinkedCompanyResponse: Sendable, Equatable, ResponseObject {
    /// The tenant's id, which access tokens name too.
    public var tenantId: UUID
    /// The name as first entered.
    public var companyName: String
    /// The time when the first employee registered.
    public var foundedAt: Timestamp

    package init(tenantId: UUID, companyName: String, foundedAt: Timestamp) {
        self.tenantId = tenantId
        self.companyName = companyName
        self.foundedAt = foundedAt
    }

    /// The members on the wire.
    public static let members = WireMembers<LinkedCompanyResponse>(
        "LinkedCompanyResponse", LinkedCompanyResponse.init, Member("tenantId", \.tenantId),
        Member("companyName", \.companyName), Member("foundedAt", \.foundedAt))
}

/// An employee as the read model shows it.
public struct EmployeeResponse: Sendable, Equatable, ResponseObject {
    /// The employee's permanent id, which access tokens name as `sub`.
    public var employeeId: UUID
    /// The tenant's id.
    public var tenantId: UUID
    /// The tenant's name as first entered.
    public var companyName: String
    /// The employee's id as first entered; absent once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String
    /// The e-mail as first entered; absent once erased or reclaimed.
    public var email: String?
    /// Whether the e-mail address belongs to the tenant.
    public var isCompanyOwnedEmail: Bool
    /// The time when the employee registered.
    public var registeredAt: Timestamp
    /// The device keys, oldest first; absent in lists.
    public var keys: [EmployeeKeyResponse]?

    package init(
        employeeId: UUID, tenantId: UUID, companyName: String, companyEmployeeId: String? = nil, status: String,
        role: String, email: String? = nil, isCompanyOwnedEmail: Bool, registeredAt: Timestamp,
        keys: [EmployeeKeyResponse]? = nil
    ) {
        self.employeeId = employeeId
        self.tenantId = tenantId
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        self.registeredAt = registeredAt
        self.keys = keys
    }

    /// The members on the wire.
    public static let members = WireMembers<EmployeeResponse>(
        "EmployeeResponse", EmployeeResponse.init, Member("employeeId", \.employeeId), Member("tenantId", \.tenantId),
        Member("companyName", \.companyName),
        Member(optional: "companyEmployeeId", \.companyEmployeeId), Member("status", \.status),
        Member("role", \.role), Member(optional: "email", \.email),
        Member("isCompanyOwnedEmail", \.isCompanyOwnedEmail), Member("registeredAt", \.registeredAt),
        Member(optional: "keys", \.keys, .list()))
}

/// The security admin and the event that proves it.
public struct SecurityAdminResponse: Sendable, Equatable, ResponseObject {
    /// The employee.
    public var employee: EmployeeSummaryResponse
    /// The id of the proving event.
    public var eventId: UUID
    /// The position of the proving event in the tenant's ledger.
    public var position: Int64
    /// The time since when the employee has been the security admin.
    public var since: Timestamp

    package init(
        employee: EmployeeSummaryResponse, eventId: UUID, position: Int64, since: Timestamp
    ) {
        self.employee = employee
        self.eventId = eventId
        self.position = position
        self.since = since
    }

    /// The members on the wire.
    public static let members = WireMembers<SecurityAdminResponse>(
        "SecurityAdminResponse", SecurityAdminResponse.init, Member("employee", \.employee),
        Member("eventId", \.eventId), Member("position", \.position, .number()), Member("since", \.since))
}
