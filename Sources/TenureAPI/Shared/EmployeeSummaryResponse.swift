public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The employee that an outcome is about.
public struct EmployeeSummaryResponse: Sendable, Equatable, ResponseObject {
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

    package init(
        employeeId: UUID, tenantId: UUID, companyName: String, companyEmployeeId: String? = nil, status: String,
        role: String
    ) {
        self.employeeId = employeeId
        self.tenantId = tenantId
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
    }

    /// The members on the wire.
    public static let members = WireMembers<EmployeeSummaryResponse>(
        "EmployeeSummaryResponse", EmployeeSummaryResponse.init, Member("employeeId", \.employeeId),
        Member("tenantId", \.tenantId), Member("companyName", \.companyName),
        Member(optional: "companyEmployeeId", \.companyEmployeeId), Member("status", \.status),
        Member("role", \.role))
}

/// A notice for the owner of an account, sent with every reply to one of their sessions.
public struct NoticeResponse: Sendable, Equatable, ResponseObject {
    /// The kind of notice, such as `recovery.opened`.
    public var type: String
    /// The time when a recovery was opened.
    public var openedAt: Timestamp?
    /// The id of the employee who opened it, or `nil` if erased.
    public var openedBy: String?
    /// The time from which it can be completed.
    public var availableAt: Timestamp?
    /// The time until which the owner can cancel it.
    public var cancelBefore: Timestamp?

    package init(
        type: String, openedAt: Timestamp? = nil, openedBy: String? = nil, availableAt: Timestamp? = nil,
        cancelBefore: Timestamp? = nil
    ) {
        self.type = type
        self.openedAt = openedAt
        self.openedBy = openedBy
        self.availableAt = availableAt
        self.cancelBefore = cancelBefore
    }

    /// The members on the wire.
    public static let members = WireMembers<NoticeResponse>(
        "NoticeResponse", NoticeResponse.init, Member("type", \.type), Member(optional: "openedAt", \.openedAt),
        Member(optional: "openedBy", \.openedBy), Member(optional: "availableAt", \.availableAt),
        Member(optional: "cancelBefore", \.cancelBefore))
}
