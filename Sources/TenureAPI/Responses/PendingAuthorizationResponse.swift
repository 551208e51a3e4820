public import Canonical

/// A key that waits, with the bytes to sign.
public struct PendingAuthorizationResponse: Sendable, Equatable, JSONConvertible {
    /// The employee.
    public var employee: EmployeeSummaryResponse
    /// The key.
    public var key: EmployeeKeyResponse
    /// When the key stops waiting.
    public var expiresAt: Timestamp
    /// Where in the company's ledger the key was presented: what to ask `after` to hear of later ones.
    public var position: Int64
    /// The exact bytes that an approver signs; absent for callers who cannot sign.
    public var statement: [UInt8]?

    /// Describes one.
    public init(
        employee: EmployeeSummaryResponse, key: EmployeeKeyResponse, expiresAt: Timestamp, position: Int64,
        statement: [UInt8]? = nil
    ) {
        self.employee = employee
        self.key = key
        self.expiresAt = expiresAt
        self.position = position
        self.statement = statement
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        key = try reader.wire("key")
        expiresAt = try reader.timestamp("expiresAt")
        position = try reader.integer("position")
        statement = try reader.optionalBase64("statement")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "employee": employee.json, "key": key.json, "expiresAt": .timestamp(expiresAt),
            "position": .integer(position), "statement": statement.map(JSONValue.base64),
        ])
    }
}
