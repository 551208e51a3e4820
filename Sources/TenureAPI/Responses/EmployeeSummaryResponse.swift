public import Canonical

/// An employee as outcomes show one.
public struct EmployeeSummaryResponse: Sendable, Equatable, JSONConvertible {
    /// The company's name as first entered.
    public var companyName: String
    /// The employee's id as first entered; absent once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String

    /// Describes one.
    public init(
        companyName: String, companyEmployeeId: String? = nil, status: String, role: String
    ) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        companyName = try reader.string("companyName")
        companyEmployeeId = try reader.optionalString("companyEmployeeId")
        status = try reader.string("status")
        role = try reader.string("role")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "companyName": .string(companyName), "companyEmployeeId": companyEmployeeId.map(JSONValue.string),
            "status": .string(status), "role": .string(role),
        ])
    }
}
