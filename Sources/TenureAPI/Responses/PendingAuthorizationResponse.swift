public import Canonical

/// A key that waits, with the bytes to sign.
public struct PendingAuthorizationResponse: Sendable, Equatable, JSONConvertible {
    /// The employee.
    public var employee: EmployeeSummaryResponse
    /// The key.
    public var key: EmployeeKeyResponse
    /// When the key stops waiting.
    public var expiresAt: Timestamp
    /// The exact bytes that an approver signs; absent for callers who cannot sign.
    public var statement: [UInt8]?

    /// Describes one.
    public init(
        employee: EmployeeSummaryResponse, key: EmployeeKeyResponse, expiresAt: Timestamp, statement: [UInt8]? = nil
    ) {
        self.employee = employee
        self.key = key
        self.expiresAt = expiresAt
        self.statement = statement
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        key = try reader.wire("key")
        expiresAt = try reader.timestamp("expiresAt")
        statement = try reader.optionalBase64("statement")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "employee": employee.json, "key": key.json, "expiresAt": .timestamp(expiresAt),
            "statement": statement.map(JSONValue.base64),
        ])
    }
}
