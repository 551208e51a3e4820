public import Canonical
public import FoundationEssentials
public import IdentityService

/// A tenant as the read API returns it.
public struct CompanyView: Sendable, Equatable {
    /// The tenant's id.
    public var tenantId: UUID
    /// The name as first entered.
    public var companyName: String
    /// When the tenant was founded.
    public var foundedAt: Timestamp
    /// The number of employees who are not cancelled.
    public var employees: Int64
    /// The confirmed domain, if there is one.
    public var confirmedDomain: String?
    /// The position in the tenant's ledger that the projection has reached.
    public var position: Int64
}

/// An employee as the read API returns one.
public struct EmployeeView: Sendable, Equatable {
    /// The summary, which replies of flows contain too.
    public var summary: EmployeeSummary
    /// The e-mail as first entered; `nil` once erased or reclaimed.
    public var email: String?
    /// Whether the e-mail was claimed as the tenant's.
    public var isCompanyOwnedEmail: Bool
    /// When the employee registered.
    public var registeredAt: Timestamp
    /// The device keys, oldest first; `nil` in lists.
    public var keys: [EmployeeKeyView]?
}

/// The security admin, with the event that proves the role.
public struct SecurityAdminView: Sendable, Equatable {
    /// The employee.
    public var employee: EmployeeSummary
    /// The id of the event that proves the role.
    public var eventId: UUID
    /// The event's position in the tenant's ledger.
    public var position: Int64
    /// When the role began.
    public var since: Timestamp
}

/// A tenant that an app is linked to.
public struct LinkedCompanyView: Sendable, Equatable {
    /// The tenant's id.
    public var tenantId: UUID
    /// The name as first entered.
    public var companyName: String
    /// When the tenant was founded.
    public var foundedAt: Timestamp
}
