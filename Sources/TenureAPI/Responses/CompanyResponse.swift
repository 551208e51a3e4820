public import Canonical

/// A company.
public struct CompanyResponse: Sendable, Equatable, JSONConvertible {
    /// The name as first entered.
    public var companyName: String
    /// When the first employee registered.
    public var foundedAt: Timestamp
    /// How many employees are not cancelled.
    public var employees: Int64
    /// The domain, once it is confirmed.
    public var confirmedDomain: String?
    /// The position in the company's ledger that the view has reached.
    public var position: Int64

    /// Describes one.
    public init(
        companyName: String, foundedAt: Timestamp, employees: Int64, confirmedDomain: String? = nil, position: Int64
    ) {
        self.companyName = companyName
        self.foundedAt = foundedAt
        self.employees = employees
        self.confirmedDomain = confirmedDomain
        self.position = position
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        companyName = try reader.string("companyName")
        foundedAt = try reader.timestamp("foundedAt")
        employees = try reader.integer("employees")
        confirmedDomain = try reader.optionalString("confirmedDomain")
        position = try reader.integer("position")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "companyName": .string(companyName), "foundedAt": .timestamp(foundedAt), "employees": .integer(employees),
            "confirmedDomain": confirmedDomain.map(JSONValue.string), "position": .integer(position),
        ])
    }
}
