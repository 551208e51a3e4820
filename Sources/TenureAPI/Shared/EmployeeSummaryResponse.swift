public import Canonical

/// The employee that an outcome is about.
public struct EmployeeSummaryResponse: Sendable, Equatable, JSONConvertible {
    /// The tenant's name as first entered.
    public var companyName: String
    /// The employee's id as first entered; absent once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String

    /// Creates a value from its members.
    public init(
        companyName: String, companyEmployeeId: String? = nil, status: String, role: String
    ) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        companyName = try reader.string("companyName")
        companyEmployeeId = try reader.optionalString("companyEmployeeId")
        status = try reader.string("status")
        role = try reader.string("role")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "companyName": .string(companyName), "companyEmployeeId": companyEmployeeId.map(JSONValue.string),
            "status": .string(status), "role": .string(role),
        ])
    }
}

/// A notice for the owner of an account, sent with every reply to one of their sessions.
public struct NoticeResponse: Sendable, Equatable, JSONConvertible {
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

    /// Describes a notice.
    public init(
        type: String, openedAt: Timestamp? = nil, openedBy: String? = nil, availableAt: Timestamp? = nil,
        cancelBefore: Timestamp? = nil
    ) {
        self.type = type
        self.openedAt = openedAt
        self.openedBy = openedBy
        self.availableAt = availableAt
        self.cancelBefore = cancelBefore
    }

    /// Reads a notice and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        type = try reader.string("type")
        openedAt = try reader.optionalTimestamp("openedAt")
        openedBy = try reader.optionalString("openedBy")
        availableAt = try reader.optionalTimestamp("availableAt")
        cancelBefore = try reader.optionalTimestamp("cancelBefore")
    }

    /// The notice as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "type": .string(type), "openedAt": openedAt.map(JSONValue.timestamp),
            "openedBy": openedBy.map(JSONValue.string), "availableAt": availableAt.map(JSONValue.timestamp),
            "cancelBefore": cancelBefore.map(JSONValue.timestamp),
        ])
    }
}
