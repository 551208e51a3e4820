public import Canonical

/// A device key as shown to admins and apps.
public struct EmployeeKeyResponse: Sendable, Equatable, JSONConvertible {
    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The 65-byte X9.63 point; padded base64 on the wire.
    public var employeePublicKey: [UInt8]
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// The time when the key was presented.
    public var presentedAt: Timestamp
    /// The time when the key was authorized, refused or revoked.
    public var decidedAt: Timestamp?

    /// Creates a value from its members.
    public init(
        fingerprint: String, employeePublicKey: [UInt8], state: String, presentedAt: Timestamp,
        decidedAt: Timestamp? = nil
    ) {
        self.fingerprint = fingerprint
        self.employeePublicKey = employeePublicKey
        self.state = state
        self.presentedAt = presentedAt
        self.decidedAt = decidedAt
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        fingerprint = try reader.string("fingerprint")
        employeePublicKey = try reader.base64("employeePublicKey")
        state = try reader.string("state")
        presentedAt = try reader.timestamp("presentedAt")
        decidedAt = try reader.optionalTimestamp("decidedAt")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "fingerprint": .string(fingerprint), "employeePublicKey": .base64(employeePublicKey),
            "state": .string(state), "presentedAt": .timestamp(presentedAt),
            "decidedAt": decidedAt.map(JSONValue.timestamp),
        ])
    }
}

/// A pending device key, with the bytes to sign for its authorization.
public struct PendingAuthorizationResponse: Sendable, Equatable, JSONConvertible {
    /// The employee who owns the key.
    public var employee: EmployeeSummaryResponse
    /// The key.
    public var key: EmployeeKeyResponse
    /// The time when the key stops being pending.
    public var expiresAt: Timestamp
    /// The position in the ledger at which the key was presented. Send it as `after` to list later keys.
    public var position: Int64
    /// The exact bytes that an approver signs, or `nil` for callers who cannot sign.
    public var statement: [UInt8]?

    /// Creates a value from its members.
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

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        key = try reader.wire("key")
        expiresAt = try reader.timestamp("expiresAt")
        position = try reader.integer("position")
        statement = try reader.optionalBase64("statement")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "employee": employee.json, "key": key.json, "expiresAt": .timestamp(expiresAt),
            "position": .integer(position), "statement": statement.map(JSONValue.base64),
        ])
    }
}
