public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A provisional employee id was released: no device key was ever authorized under it.
public struct EmployeeIdReleased: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeIdReleased"
    /// The employee.
    public var employeeID: EmployeeID
    /// The reason, as a code.
    public var reason: ReleaseReason
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, reason: ReleaseReason, by: Authority
    ) {
        self.employeeID = employeeID
        self.reason = reason
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "reason": .string(reason.rawValue),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        reason = try reader.one("reason")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A user's address was released, and another person may claim it.
public struct EmailReleased: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmailReleased"
    /// The user.
    public var userID: UserID
    /// The tenant whose decision released the address.
    public var tenant: TenantID
    /// The event in that tenant's ledger that caused the release.
    public var cause: UUID

    /// Each parameter sets the member of the same name.
    public init(userID: UserID, tenant: TenantID, cause: UUID) {
        self.userID = userID
        self.tenant = tenant
        self.cause = cause
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "userId": userID.json,
            "tenant": tenant.json,
            "cause": .uuid(cause),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        tenant = try reader.id("tenant")
        cause = try reader.uuid("cause")
        try reader.finish()
    }
}
