public import Canonical

/// An employee as reads show one.
public struct EmployeeResponse: Sendable, Equatable, JSONConvertible {
    /// The company's name as first entered.
    public var companyName: String
    /// The employee's id as first entered; absent once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String
    /// The e-mail as first entered; absent once erased or reclaimed.
    public var email: String?
    /// Whether the e-mail belongs to the company.
    public var isCompanyOwnedEmail: Bool
    /// When the employee registered.
    public var registeredAt: Timestamp
    /// The device keys, oldest first; absent in lists.
    public var keys: [EmployeeKeyResponse]?

    /// Describes one.
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

    /// Reads a response; members it does not know are ignored.
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

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "companyName": .string(companyName), "companyEmployeeId": companyEmployeeId.map(JSONValue.string),
            "status": .string(status), "role": .string(role), "email": email.map(JSONValue.string),
            "isCompanyOwnedEmail": .bool(isCompanyOwnedEmail), "registeredAt": .timestamp(registeredAt),
            "keys": keys?.json,
        ])
    }
}
