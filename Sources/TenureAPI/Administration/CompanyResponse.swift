public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A tenant as the read model shows it.
public struct CompanyResponse: Sendable, Equatable, JSONConvertible {
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

    /// Creates a value from its members.
    public init(
        companyName: String, foundedAt: Timestamp, employees: Int64, confirmedDomain: String? = nil, position: Int64
    ) {
        self.companyName = companyName
        self.foundedAt = foundedAt
        self.employees = employees
        self.confirmedDomain = confirmedDomain
        self.position = position
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        companyName = try reader.string("companyName")
        foundedAt = try reader.timestamp("foundedAt")
        employees = try reader.integer("employees")
        confirmedDomain = try reader.optionalString("confirmedDomain")
        position = try reader.integer("position")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "companyName": .string(companyName), "foundedAt": .timestamp(foundedAt), "employees": .integer(employees),
            "confirmedDomain": confirmedDomain.map(JSONValue.string), "position": .integer(position),
        ])
    }
}

/// An employee as the read model shows it.
public struct EmployeeResponse: Sendable, Equatable, JSONConvertible {
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

    /// Creates a value from its members.
    public init(
        companyName: String, companyEmployeeId: String? = nil, status: String, role: String, email: String? = nil,
        isCompanyOwnedEmail: Bool, registeredAt: Timestamp, keys: [EmployeeKeyResponse]? = nil
    ) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        self.registeredAt = registeredAt
        self.keys = keys
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        companyName = try reader.string("companyName")
        companyEmployeeId = try reader.optionalString("companyEmployeeId")
        status = try reader.string("status")
        role = try reader.string("role")
        email = try reader.optionalString("email")
        isCompanyOwnedEmail = try reader.bool("isCompanyOwnedEmail")
        registeredAt = try reader.timestamp("registeredAt")
        keys = try reader.optionalWire("keys")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "companyName": .string(companyName), "companyEmployeeId": companyEmployeeId.map(JSONValue.string),
            "status": .string(status), "role": .string(role), "email": email.map(JSONValue.string),
            "isCompanyOwnedEmail": .bool(isCompanyOwnedEmail), "registeredAt": .timestamp(registeredAt),
            "keys": keys?.json,
        ])
    }
}

/// The security admin and the event that proves it.
public struct SecurityAdminResponse: Sendable, Equatable, JSONConvertible {
    /// The employee.
    public var employee: EmployeeSummaryResponse
    /// The id of the proving event.
    public var eventId: UUID
    /// The position of the proving event in the tenant's ledger.
    public var position: Int64
    /// The time since when the employee has been the security admin.
    public var since: Timestamp

    /// Creates a value from its members.
    public init(
        employee: EmployeeSummaryResponse, eventId: UUID, position: Int64, since: Timestamp
    ) {
        self.employee = employee
        self.eventId = eventId
        self.position = position
        self.since = since
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        eventId = try reader.uuid("eventId")
        position = try reader.integer("position")
        since = try reader.timestamp("since")
    }

    /// The response as JSON.
    public var json: JSONValue {
        [
            "employee": employee.json, "eventId": .uuid(eventId), "position": .integer(position),
            "since": .timestamp(since),
        ]
    }
}
